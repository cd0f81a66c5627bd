/** Stores for tests: both engines, the database below them, and rows that are complete. */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ConversationRow, RunRow, WorkflowRow } from '#contract/view.ts';
import { ZERO_TALLY } from '#domain/tally.ts';
import { newId } from '#core/base/ids.ts';
import type { Closable } from '#core/store/closable.ts';
import { readMigrations } from '#core/store/opening/migrate.ts';
import { remoteAddress } from '#core/store/remote/address.ts';
import { openRemoteDatabase } from '#core/store/remote/open-remote.ts';
import type { RowChange, TableRows } from '#contract/rows.ts';
import type { Store } from '#core/store/store.ts';
import { storeOn, type StorePlace } from '#core/store/store-on.ts';
import { startStoreServer } from '../../support/store-server/server.ts';
import { envelopeOf } from '../../support/envelope.ts';
import { pooledDatabase, schemaDir } from '../../support/stores/pooled.ts';

export { schemaDir };

export interface Opened {
  store: Store;
  database: Closable;
  close(): Promise<void>;
}

/** Set before the tests of a file are collected: its stores are on a server, whatever they ask for. */
export const everyStore = { isOnServer: false };

/** A store that is empty, with the database in reach. */
export async function openOn(engine: 'mem' | 'rocksdb'): Promise<Opened> {
  if (everyStore.isOnServer) return openOnServer();
  const database = await pooledDatabase(engine);
  return { database, store: openStoreOn(database), close: () => database.close() };
}

/** A store whose commits are in the database when they resolve. */
export function openStoreOn(database: Closable, place: StorePlace = {}): Store {
  return storeOn(database, { ...place, mode: { kind: 'through' } }).store;
}

async function openOnServer(): Promise<Opened> {
  const server = await startStoreServer();
  const address = remoteAddress(server.url)!;
  const { database, lost } = await openRemoteDatabase(address, await readMigrations(schemaDir), {});
  const close = async () => {
    await database.close();
    await server.close();
  };
  return { database, store: openStoreOn(database, { lost }), close };
}

async function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'triad-store-'));
}

/** A folder that goes with the test. */
export async function testFolder(): Promise<string> {
  const folder = await temporaryFolder();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The number of schema files. */
export const newestSchema = (await readMigrations(schemaDir)).length;

/** Copies the schema and adds so many files, which change the table `workflow`; returns the folder. */
export async function extendSchema(base: string, count: number): Promise<string> {
  const folder = join(base, `schema-${count}`);
  await cp(schemaDir, folder, { recursive: true });
  for (let n = 1; n <= count; n += 1) {
    const sql = `DEFINE FIELD added_${n} ON workflow TYPE int DEFAULT 0; UPDATE workflow SET added_${n} = ${n} RETURN NONE;`;
    await writeFile(join(folder, `${String(newestSchema + n).padStart(4, '0')}_added.surql`), sql);
  }
  return folder;
}

/** Copies the store in a folder, with the version beside it, into one of this name in there; returns the folder of the copy. */
export async function copiedStore(base: string, name: string): Promise<string> {
  for (const part of ['store', 'store.schema-version'])
    await cp(join(base, part), join(base, name, part), { recursive: true });
  return join(base, name, 'store');
}

const at = '2026-03-01T12:00:00.000Z';

export function conversationRow(rest: Partial<ConversationRow> = {}): ConversationRow {
  return {
    id: newId(),
    title: '',
    folder: '/home/ada',
    agent: 'lead',
    createdAt: at,
    updatedAt: at,
    lastSeq: 0,
    usage: ZERO_TALLY,
    ...rest,
  };
}

export function workflowRow(rest: Partial<WorkflowRow> = {}): WorkflowRow {
  return {
    id: newId(),
    conversationId: newId(),
    runId: newId(),
    prompt: 'Do it',
    agents: ['lead'],
    approve: 'ask',
    status: 'pending',
    outcome: null,
    text: '',
    error: null,
    attempt: 1,
    createdAt: at,
    startedAt: null,
    endedAt: null,
    durationMs: null,
    firstSeq: 1,
    lastSeq: 1,
    subAgentCount: 0,
    usage: ZERO_TALLY,
    ...rest,
  };
}

export function runRow(rest: Partial<RunRow> = {}): RunRow {
  return {
    id: newId(),
    conversationId: newId(),
    workflowId: newId(),
    parentRunId: null,
    toolCallId: null,
    item: 0,
    agent: 'lead',
    name: 'lead',
    title: 'Do it',
    kind: 'lead',
    depth: 0,
    parentChain: ['user', 'lead'],
    traceId: 'abc',
    task: 'Do it',
    envelope: envelopeOf('lead', 'Do it'),
    envelopeHash: 'hash',
    status: 'pending',
    outcome: null,
    text: '',
    error: null,
    attempt: 0,
    queuedAt: at,
    startedAt: null,
    endedAt: null,
    durationMs: null,
    usage: ZERO_TALLY,
    ...rest,
  };
}

export function put<T extends 'conversation' | 'workflow' | 'run'>(table: T, row: TableRows[T]): RowChange {
  return { table, key: row.id, row } as RowChange;
}

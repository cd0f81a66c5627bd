/** Stores for tests: both engines, the database below them, and rows that are complete. */
import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ConversationRow, RunRow, WorkflowRow } from '#contract/view.ts';
import { ZERO_TALLY } from '#contract/tally.ts';
import { newId } from '#core/base/ids.ts';
import type { Closable } from '#core/store/closable.ts';
import { readMigrations } from '#core/store/opening/migrate.ts';
import { remoteAddress } from '#core/store/remote/address.ts';
import { openRemoteDatabase } from '#core/store/remote/open-remote.ts';
import type { Store, Write } from '#core/store/store.ts';
import { storeOn } from '#core/store/store-on.ts';
import { startStoreServer } from '../../support/store-server/server.ts';
import { envelopeOf } from '../../support/envelope.ts';
import { pooledDatabase, schemaDir } from '../../support/stores/pooled.ts';
import { inFullRun } from '../../support/samples.ts';

export { schemaDir };

export interface Opened {
  store: Store;
  database: Closable;
  close(): Promise<void>;
}

/** Engines of a store: the one of an installation, and in the full run also the one in memory. */
export const ENGINES: readonly ('mem' | 'rocksdb')[] = inFullRun ? ['mem', 'rocksdb'] : ['rocksdb'];

/** Set before the tests of a file are collected: its stores are on a server, whatever they ask for. */
export const everyStore = { isOnServer: false };

/** A store that is empty, with the database in reach. */
export async function openOn(engine: 'mem' | 'rocksdb'): Promise<Opened> {
  if (everyStore.isOnServer) return openOnServer();
  const database = await pooledDatabase(engine);
  return { database, store: storeOn(database).store, close: () => database.close() };
}

async function openOnServer(): Promise<Opened> {
  const server = await startStoreServer();
  const address = remoteAddress(server.url)!;
  const { database, lost } = await openRemoteDatabase(address, await readMigrations(schemaDir), {});
  const close = async () => {
    await database.close();
    await server.close();
  };
  return { database, store: storeOn(database, { lost }).store, close };
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

/** Where a store is kept that the last program of a schema left. */
export function keptStore(schema: number): string {
  return join(import.meta.dirname, `opening/store-v${schema}.tar.gz`);
}

/** Unpacks such a store into a folder; returns its own. */
export function unpackedStore(schema: number, base: string): string {
  const { status, stderr } = spawnSync('tar', ['-xzf', keptStore(schema), '-C', base]);
  if (status !== 0) throw new Error(`The store of schema ${schema} was not unpacked: ${String(stderr)}`);
  return join(base, 'store');
}

/** A store as the first release wrote it: four conversations, a sub-agent with its approval, 60 events in one of them. */
export async function firstRelease(base: string): Promise<string> {
  return unpackedStore(1, base);
}

/** Copies the store in a folder, with the version beside it, into one of this name in there; returns the folder of the copy. */
export async function copiedStore(base: string, name: string): Promise<string> {
  for (const part of ['store', 'store.schema-version'])
    await cp(join(base, part), join(base, name, part), { recursive: true });
  return join(base, name, 'store');
}

/** At each of so many steps, two at a time. */
export async function atSteps(count: number, kill: (step: number) => Promise<void>): Promise<void> {
  const waiting = Array.from({ length: count }, (_, step) => step);
  const lane = async () => {
    for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) await kill(step);
  };
  await Promise.all([lane(), lane()]);
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

export function put(table: 'conversation' | 'workflow' | 'run', row: { id: string }): Write {
  return { kind: 'put', table, key: row.id, row: { ...row } };
}

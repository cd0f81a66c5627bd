/**
 * A large store of schema 8 reads the same after its upgrade, also after a kill at an instant that `TEST_SEED` chooses.
 * The full run includes it. `each-schema` tests small stores of every schema.
 */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Database } from '#core/store/database.ts';
import { migrate, readMigrations } from '#core/store/opening/migrate.ts';
import { textOf } from '#core/store/rows/frame.ts';
import { exactKey } from '#core/store/rows/row-codec.ts';
import type { Store } from '#core/store/store.ts';
import { storeOn } from '#core/store/store-on.ts';
import { connect } from '#core/store/surreal.ts';
import { rowsInParts } from '../../../support/run-parts.ts';
import { startChild } from '../child/run.ts';
import { Random } from '../../../soak/random.ts';
import { digestsOf } from '../everything.ts';
import { Conversation } from '../finished.ts';
import { copiedStore, schemaDir, testFolder } from '../support.ts';
import { fullTest, TEST_SEED } from '../../../support/samples.ts';

const WORKFLOWS = 1000;
const INSTANTS = 1;

const OUTCOMES = ['completed', 'interrupted', 'error', 'completed', 'cancelled'] as const;
/** Workflows of a conversation. */
const EACH = 5;

async function fill(store: Store): Promise<void> {
  const child = {
    agent: 'writer',
    tools: ['grep', 'read_file'],
    output: 'A heron \0 stands',
    text: 'A kingfisher',
    tokens: 7,
  };
  for (let made = 0; made < WORKFLOWS; made += EACH) {
    const conversation = await new Conversation(store).create();
    for (let n = made; n < Math.min(made + EACH, WORKFLOWS); n += 1) {
      const outcome = OUTCOMES[n % OUTCOMES.length]!;
      const children = Array.from({ length: n % 4 }, () => child);
      await conversation.add({
        prompt: `Prompt ${n} of otters`,
        children,
        outcome,
        lead: { tools: ['glob'], nanoUsd: n },
      });
    }
    if (made % 15 === 0) await conversation.add({ prompt: 'Still going', outcome: null });
    if (made % 20 === 0) await store.trash(conversation.row.id, '2026-03-02T00:00:00.000Z');
  }
  await store.settled();
}

/** Takes out what later schemas make, and puts the rows of runs where they were before there were parts. */
async function asBefore(database: Database): Promise<void> {
  const rows = await rowsInParts(database);
  for (const [table, found] of Object.entries(rows)) {
    const old = Object.entries(found).map(([key, row]) => {
      const [run = '', name = ''] = key.split(' ', 2);
      const id =
        table === 'message' ? [run, Number(name)] : [String(table === 'tool_call' ? run : row['workflowId']), name];
      return { id: exactKey(id as [string, string]), json: JSON.stringify(row) };
    });
    for (let from = 0; from < old.length; from += 500)
      await database.transaction(`INSERT INTO ${table} $rows RETURN NONE;`, { rows: old.slice(from, from + 500) });
  }
  for (const table of ['envelope', 'run', 'approval']) {
    const [framed] = (await database.query(`SELECT id, text FROM ${table}`)) as [{ id: unknown; text: unknown }[]];
    for (const { id, text } of framed)
      await database.transaction('UPDATE $id SET json = $json, text = NONE RETURN NONE;', { id, json: textOf(text) });
    await database.transaction(`REMOVE FIELD text ON ${table};`);
  }
  const undone = [
    ...['UPDATE workflow_index SET seal = NONE, figures = NONE', 'UPDATE execution_index SET figures = NONE'],
    ...['REMOVE FIELD seal ON workflow_index', 'REMOVE FIELD figures ON workflow_index'],
    ...['REMOVE FIELD figures ON execution_index', 'REMOVE TABLE run_part', 'REMOVE TABLE usage_hour'],
    'UPDATE meta:schema SET version = 8',
  ];
  await database.transaction(`${undone.join('; ')};`);
}

interface Seen {
  /** Until it was open, in milliseconds. */
  openMs: number;
  digests: unknown;
}

async function seen(store: string, ...quick: string[]): Promise<Seen> {
  const child = startChild('read-all.ts', [store, schemaDir, ...quick]);
  await child.line();
  const began = performance.now();
  await child.line();
  const openMs = performance.now() - began;
  const digests: unknown = JSON.parse(await child.line());
  await child.ended;
  return { openMs, digests };
}

/** What can be read of a store that is then as a program of schema 8 would have left it. */
async function make(folder: string): Promise<unknown> {
  const database = await connect(`rocksdb://${folder}`, { timeoutMs: 30_000 });
  await migrate(database, await readMigrations(schemaDir));
  const { store } = storeOn(database);
  await fill(store);
  const before = await digestsOf(store);
  await asBefore(database);
  await database.close();
  await writeFile(`${folder}.schema-version`, '8\n');
  return before;
}

const EACH_SCHEMA =
  'tests/core/store/opening/each-schema.test.ts › a store of schema %i keeps all, killed at any instant';

fullTest(EACH_SCHEMA)(
  'everything that could be read can be read after an upgrade',
  { timeout: 1_800_000 },
  async () => {
    const base = await testFolder();
    const before = await make(join(base, 'store'));
    const whole = await copiedStore(base, 'whole');
    const { openMs, digests } = await seen(whole);
    expect(digests).toEqual(before);
    // Exports are made from what the others read.
    const quick = (await seen(whole, 'quick')).digests;
    const random = new Random('version before', TEST_SEED);
    for (let instant = 0; instant < INSTANTS; instant += 1) {
      const store = await copiedStore(base, String(instant));
      const child = startChild('read-all.ts', [store, schemaDir]);
      await child.line();
      await Promise.race([wait(random.between(0, Math.ceil(openMs))), child.ended]);
      child.process.kill('SIGKILL');
      await child.ended;
      expect((await seen(store, 'quick')).digests, `instant ${instant}`).toEqual(quick);
      expect(await readdir(store)).not.toContain('UPGRADING');
      await rm(join(base, String(instant)), { recursive: true });
    }
  },
);

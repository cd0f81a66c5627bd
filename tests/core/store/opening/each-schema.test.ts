/**
 * A store of each schema there was takes the newest with all that was in it, whole and killed at any instant of its
 * upgrade. `TEST_SEED` chooses the instants: 3 for each store in the full run, one for one store otherwise.
 *
 * `store-vN.tar.gz` is what the last program of schema N left: `triad run` of three workflows, of which one had three
 * sub-agents and one was asked to write a file, and a fourth one killed in a call (`tests/support/fake-model/serve.ts`
 * with `threeChildren`, `writeFile`, `spawnOne`). No program had 2 or 3 as its newest: these are made of the first.
 */
import { readdir, rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import { migrate, readMigrations } from '#core/store/opening/migrate.ts';
import { recordVersion } from '#core/store/opening/prepare.ts';
import { textOf } from '#core/store/rows/frame.ts';
import { connect, openStore } from '#core/store/surreal.ts';
import { inFullRun, TEST_SEED } from '../../../support/samples.ts';
import { Random } from '../../../soak/random.ts';
import { startChild } from '../child/run.ts';
import { type Digests, digestsOf } from '../everything.ts';
import { copiedStore, keptStore, schemaDir, testFolder, unpackedStore } from '../support.ts';

const MIGRATIONS = await readMigrations(schemaDir);
const INSTANTS = inFullRun ? 3 : 1;
const VERSIONS = MIGRATIONS.map(({ version }) => version);
/** One whose events are JSON: `version-before` has frames. */
const PLAYED = inFullRun ? VERSIONS : [4];

/** Of which no program ever had left one. */
const isDerived = (version: number) => version === 2 || version === 3;
const timeoutMs = 30_000;

/** Puts the store of a schema into a folder. */
async function storeIn(base: string, version: number): Promise<void> {
  const store = unpackedStore(isDerived(version) ? 1 : version, base);
  if (!isDerived(version)) return;
  const database = await connect(`rocksdb://${store}`, { timeoutMs });
  await migrate(database, MIGRATIONS.slice(0, version));
  await database.close();
  await recordVersion(store, version);
}

/** Envelopes may stand in rows beside their events, which keep the hash. */
const bare = (event: DurableEvent): unknown =>
  JSON.parse(JSON.stringify(event, (key, value: unknown) => (key === 'envelope' ? undefined : value)));
const byPlace = (a: DurableEvent, b: DurableEvent) => a.conversationId.localeCompare(b.conversationId) || a.seq - b.seq;

interface Held {
  events: DurableEvent[];
  /** Ids of what people find in lists. */
  conversations: string[];
  workflows: string[];
  executions: string[];
}

/** What is in the store in a folder as its rows have it, whatever this program makes of them. */
async function heldBy(base: string): Promise<Held> {
  const database = await connect(`rocksdb://${await copiedStore(base, 'raw')}`, { timeoutMs });
  const ids = async (table: string) => {
    const [found] = await database.query(`SELECT VALUE record::id(id) FROM ${table}`);
    return (found as (string | string[])[]).map((id) => [id].flat().at(-1)!).sort();
  };
  const [rows] = (await database.query('SELECT * FROM event')) as [{ json?: string; text?: unknown }[]];
  const found = rows.flatMap((row) => JSON.parse(row.json ?? textOf(row.text)) as DurableEvent | DurableEvent[]);
  const [conversations, workflows, executions] = [
    await ids('conversation'),
    await ids('workflow'),
    await ids('sub_agent_execution'),
  ];
  await database.close();
  return { events: found.sort(byPlace), conversations, workflows, executions };
}

interface Upgraded {
  held: Held;
  digests: Digests;
  /** Until it was open, and until all was read, in milliseconds. */
  openMs: number;
  wholeMs: number;
}

/** What this program reads of a store that it has upgraded. */
async function upgraded(folder: string): Promise<Upgraded> {
  const began = performance.now();
  const store = await openStore({ url: `rocksdb://${folder}`, schemaDir });
  const openMs = performance.now() - began;
  const digests = await digestsOf(store, false);
  const wholeMs = performance.now() - began;
  const ids = await store.conversationIds();
  const events = await Promise.all(ids.map((id) => store.events(id, 1, 1e6)));
  const of = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).sort();
  const page = { limit: 200 };
  const held = {
    events: events.flat().sort(byPlace),
    conversations: of((await store.conversations(page)).items),
    workflows: of((await store.workflows(page)).items),
    executions: of((await store.executions(page)).items),
  };
  await store.close();
  return { held, digests, openMs, wholeMs };
}

/** Without exports, which are made from what the others read. */
async function digestsIn(store: string): Promise<unknown> {
  const child = startChild('read-all.ts', [store, schemaDir, 'quick']);
  await child.ended;
  return JSON.parse(child.lines.at(-1) ?? 'null');
}

test('of each schema a store is kept', () => {
  const missing = VERSIONS.filter((version) => !isDerived(version) && !existsSync(keptStore(version)));
  expect(missing, 'make one with the program as it is, as is said above').toEqual([]);
});

test.for(PLAYED)('a store of schema %i keeps all, killed at any instant', { timeout: 1_800_000 }, async (version) => {
  const base = await testFolder();
  await storeIn(base, version);
  const before = await heldBy(base);
  expect(before.events.length).toBeGreaterThan(100);
  // As a start that is never killed leaves it.
  const { held, digests, openMs, wholeMs } = await upgraded(await copiedStore(base, 'whole'));
  // Rows of what was cut off may not have been written yet: they are made from its events.
  const executions = expect.arrayContaining(before.executions) as unknown;
  expect({ ...held, events: held.events.map(bare) }).toEqual({
    ...before,
    executions,
    events: before.events.map(bare),
  });
  const random = new Random('each schema', version, TEST_SEED);
  for (let instant = 0; instant < INSTANTS; instant += 1) {
    const killed = await copiedStore(base, String(instant));
    const child = startChild('read-all.ts', [killed, schemaDir, 'quick']);
    await child.line();
    // Every other one while it is opened, when the schema changes.
    const afterMs = random.next() * (instant % 2 === 0 ? openMs : wholeMs);
    await Promise.race([wait(afterMs), child.ended]);
    child.process.kill('SIGKILL');
    await child.ended;
    expect(await digestsIn(killed), `instant ${instant}, after ${afterMs} ms`).toEqual(digests);
    expect(await readdir(killed)).not.toContain('UPGRADING');
    await rm(join(killed, '..'), { recursive: true });
  }
});

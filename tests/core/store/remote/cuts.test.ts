/**
 * Cuts, delays and lost answers at any frame between the program and the server of its store: what was acknowledged is
 * there once, nothing else is there twice, and of two owners one writes at a time. `TEST_SEED` chooses the cuts. The
 * full run repeats each test with 12 seeds.
 */
import { expect, test } from 'vitest';
import { startEngine } from '../../../support/engine.ts';
import { threeChildren } from '../../../support/fake-model/scenarios.ts';
import { fullTest, inFullRun, TEST_SEED } from '../../../support/samples.ts';
import type { Fault, StoreServer } from '../../../support/store-server/server.ts';
import { Random } from '../../../soak/random.ts';
import { storeOf, storeServer } from './support.ts';
import { commit, eventOf, textsOf } from './writing.ts';

const seeds = (few: number) => Array.from({ length: inFullRun ? 6 : few }, (_, seed) => seed);
/** A call that is lost costs this; what waits for the lease of one that is gone, twice that. */
const CALL_MS = 150;
const times = { call: CALL_MS, patience: 60_000, start: 60_000, lease: 2 * CALL_MS, renew: CALL_MS };

/** Each frame may meet a fault, and the third one does; some are executed long after they were given up. */
function disturb(server: StoreServer, random: Random, chance: number): { faults: number } {
  const count = { faults: 0 };
  const kinds: (() => Fault)[] = [
    () => 'cut-before',
    () => 'cut-after',
    () => 'drop-request',
    () => 'drop-answer',
    () => ({ delayMs: random.between(1, 10) }),
    () => ({ delayMs: CALL_MS + random.between(1, CALL_MS) }),
  ];
  let frames = 0;
  server.fault = () => {
    frames += 1;
    if (frames !== 3 && !random.chance(chance)) return null;
    count.faults += 1;
    return kinds[random.between(0, kinds.length - 1)]!();
  };
  return count;
}

test.for(seeds(1))('loses and repeats no event of one owner (%i)', { timeout: 60_000 }, async (seed) => {
  const random = new Random('cuts', TEST_SEED, seed);
  const server = await storeServer();
  const store = await storeOf(server, { times });
  const count = disturb(server, random, 0.1);
  const many = inFullRun ? 50 : 10;
  for (let seq = 1; seq <= many; seq++) await commit(store, eventOf('c', seq, `text ${seq}`));
  server.fault = () => null;
  expect(count.faults).toBeGreaterThan(0);
  const [rows] = await server.query('SELECT VALUE [record::id(id)[1], last] FROM event');
  expect(rows).toEqual(Array.from({ length: many }, (_, index) => [index + 1, index + 1]));
  expect(textsOf(await store.events('c', 1, many + 1))).toEqual(
    Array.from({ length: many }, (_, index) => `text ${index + 1}`),
  );
  expect(store.lost.aborted).toBe(false);
});

/** Takes the lease again and again, and writes until it has lost it; resolves with what the store has acknowledged. */
async function writeWhileOwner(server: StoreServer, name: string, until: () => boolean): Promise<string[]> {
  const said: string[] = [];
  for (let life = 0; !until(); life++) {
    try {
      // Each takes over from the other at once, as from a process that is dead or asleep.
      const store = await storeOf(server, { times, holder: { installation: 'one', name } });
      const [epoch] = (await server.query('SELECT VALUE epoch FROM lease'))[0] as number[];
      for (let seq = (await store.lastSeq('c')) + 1; !until(); seq++) {
        const text = `${epoch} ${name} ${life} ${seq}`;
        await commit(store, eventOf('c', seq, text));
        said.push(text);
      }
      await store.close();
    } catch (error) {
      // In use: the other took it while this one was looking at what it had taken.
      expect(String(error)).toMatch(/(was taken by (ada|bob) at|is in use by (ada|bob) since)/);
    }
  }
  return said;
}

test.for(seeds(1))('two owners never write at the same time (%i)', { timeout: 60_000 }, async (seed) => {
  const random = new Random('owners', TEST_SEED, seed);
  const server = await storeServer();
  await (await storeOf(server, { times })).close();
  const count = disturb(server, random, 0.06);
  let writes = 0;
  const until = () => (writes += 1) > (inFullRun ? 40 : 20);
  const said = await Promise.all(['ada', 'bob'].map((name) => writeWhileOwner(server, name, until)));
  server.fault = () => null;
  const last = await storeOf(server, { times, holder: { installation: 'one', name: 'last' } });
  const texts = textsOf(await last.events('c', 1, 1000));
  // Each number once, and all of an earlier owner before all of a later one.
  expect(texts.map((text) => Number(text.split(' ').at(-1)))).toEqual(texts.map((_, index) => index + 1));
  const epochs = texts.map((text) => Number(text.split(' ')[0]));
  expect(epochs).toEqual([...epochs].sort((a, b) => a - b));
  for (const text of said.flat()) expect(texts.filter((one) => one === text)).toHaveLength(1);
  expect(said.flat().length).toBeGreaterThan(0);
  expect(count.faults).toBeGreaterThan(0);
});

const ONE_OWNER = 'tests/core/store/remote/cuts.test.ts › loses and repeats no event of one owner (%i)';

fullTest(ONE_OWNER).for(seeds(1))(
  'completes a workflow of eight requests without lost events (%i)',
  { timeout: 120_000 },
  async (seed) => {
    const random = new Random('workflow', TEST_SEED, seed);
    const server = await storeServer();
    const store = await storeOf(server, { times });
    const engine = await startEngine(threeChildren(), { store });
    const count = disturb(server, random, 0.15);
    const end = await engine.ask('Inspect the workspace');
    await store.settled();
    server.fault = () => null;
    expect(count.faults).toBeGreaterThan(0);
    expect(end.outcome).toBe('completed');
    const { conversationId } = engine;
    const durable = engine.durable();
    expect(durable.map(({ seq }) => seq)).toEqual(durable.map((_, index) => durable[0]!.seq + index));
    const stored = await store.events(conversationId, 1, 10_000);
    expect(stored.slice(-durable.length).map(({ type, seq }) => [type, seq])).toEqual(
      durable.map(({ type, seq }) => [type, seq]),
    );
    expect(await engine.runtime.request('conversation.check', { conversationId })).toMatchObject({ missing: [] });
    const [workflow] = (await store.workflows({ limit: 9 })).items;
    expect(workflow).toMatchObject({ id: end.workflowId, status: 'completed', subAgentCount: 3 });
    expect((await store.facets()).agents).not.toEqual([]);
    expect(engine.model.requests).toHaveLength(8);
  },
);

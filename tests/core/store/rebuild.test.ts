/** The read models are a function of the events: stored in groups, one by one or replayed, the rows are the same. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { conversationId } from '../../support/recording.ts';
import { rowsInParts } from '../../support/run-parts.ts';
import { conversation, eventsOf, type Plan, plan } from './random-history.ts';
import { openOn, type Opened, openStoreOn } from './support.ts';
import { samples } from '../../support/samples.ts';
import { eventItems } from '../../support/commit-items.ts';
import { MemoryRows } from '../../support/memory-rows.ts';

const TABLES = ['conversation', 'workflow', 'run', 'sub_agent_execution', 'approval', 'open_message'];

let opened: Opened;
beforeAll(async () => {
  opened = await openOn('mem');
});
afterAll(() => opened.close());

/** Everything that the tables hold, which is then gone. */
async function drain(): Promise<unknown[]> {
  const { database, store } = opened;
  // A list shows all rows: they are flushed.
  await store.conversations({ limit: 1 });
  const rows = await database.query(TABLES.map((table) => `SELECT * FROM ${table};`).join('\n'));
  const parts = await rowsInParts(database);
  const all = ['event', 'index_queue', 'run_part', ...TABLES];
  await database.query(all.map((table) => `DELETE ${table} RETURN NONE;`).join('\n'));
  // What it remembers of them is gone as well.
  opened = { ...opened, store: openStoreOn(database) };
  return [...rows, parts].map((found) => JSON.parse(JSON.stringify(found)) as unknown);
}

test('events committed in groups, together or replayed produce equal rows', async () => {
  const run = async (plans: Plan[], sizes: number[]) => {
    const { store } = opened;
    const events = eventsOf(plans);
    await store.commit([conversation]);
    for (let from = 0, group = 0; from < events.length; group++) {
      const some = events.slice(from, from + (sizes[group % sizes.length] ?? 1));
      await store.commit(eventItems(some));
      from += some.length;
    }
    expect(await store.lastSeq(conversationId)).toBe(events.length);
    const stored = await store.events(conversationId, 1, events.length);
    expect(stored).toEqual(events);
    const grouped = await drain();

    await opened.store.commit([conversation]);
    const rows = new MemoryRows([conversation]);
    for (const event of stored) await opened.store.commit(rows.apply(event));
    const replayed = await drain();
    expect(replayed).toEqual(grouped);

    await opened.store.commit([conversation, ...eventItems(stored)]);
    expect(await drain()).toEqual(grouped);
  };
  const plans = fc.array(plan, { minLength: 1, maxLength: 3 });
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
  await fc.assert(fc.asyncProperty(plans, sizes, run), samples(1, 20));
});

test('usage totals are the sums of the requests', async () => {
  const { store } = opened;
  const child = { agent: 'writer', no: false, turns: 2, text: 'x', outcome: 'completed' } as const;
  const events = eventsOf([{ children: [child, { ...child, turns: 3 }], outcome: 'completed', resumed: false }]);
  await store.commit([conversation, ...eventItems(events)]);
  const requests = events.flatMap((event) => (event.type === 'usage' ? [event.request] : []));
  const sum = (field: 'inputTokens' | 'outputTokens' | 'nanoUsd') =>
    requests.reduce((total, request) => total + (request[field] ?? 0), 0);
  const usage = {
    requests: requests.length,
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    nanoUsd: sum('nanoUsd'),
    unpriced: 1,
  };
  const [workflow] = (await store.workflows({ limit: 1 })).items;
  expect((await store.conversation(conversationId))?.usage).toMatchObject(usage);
  expect(workflow).toMatchObject({ usage, subAgentCount: 2, agents: ['lead', 'writer'] });
  const runs = await store.runsOf([workflow?.id ?? '']);
  expect(runs.reduce((total, run) => total + run.usage.requests, 0)).toBe(requests.length);
  expect(await store.requestsOf(workflow?.id ?? '')).toHaveLength(requests.length);
  await drain();
});

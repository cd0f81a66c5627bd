/** A store with a seeded history in a process of its own, and the times of its pages: `FOLDER`. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openStore } from '#core/store/surreal.ts';
import { composeRuntime, settingsOf } from '../support/compose.ts';
import { clock } from './clock.ts';
import { serve } from './peer.ts';
import { Seeder } from './seed.ts';

export interface HistoryOperations {
  /** Resolves with how long it took, in milliseconds. */
  seed(count: number): Promise<number>;
  /** Resolves with the number of events. */
  seedLong(events: number): Promise<number>;
  /** Times of a page of the newest 50. */
  list(): Promise<number[]>;
  /** Makes the index behind the log complete; resolves with how long that took. */
  settle(): Promise<number>;
  /** Times of a search for words that all entries have, and for one that few have. */
  search(): Promise<number[]>;
  /** Times of the tree of the long workflow with the entries of its lead. */
  screen(): Promise<number[]>;
}

const TIMES = 15;
const SEARCHES = 5;

const folder = join(process.argv[2] ?? '', 'workspace');
await mkdir(folder, { recursive: true });
const store = await openStore({ url: `rocksdb://${join(folder, '../store')}` });
const runtime = await composeRuntime({
  store,
  folder,
  url: 'http://127.0.0.1:9',
  settings: settingsOf(''),
});
const seeder = new Seeder(store, folder);
const long = Promise.withResolvers<{ workflowId: string; runId: string; events: number }>();

const operations: HistoryOperations = {
  seed: async (count) => {
    const start = clock();
    await seeder.workflows(count);
    return clock() - start;
  },
  seedLong: async (events) => {
    long.resolve(await seeder.long(events));
    return (await long.promise).events;
  },
  list: () =>
    times(async () => {
      const { items } = await runtime.request('workflow.list', { limit: 50 });
      if (items.length !== 50) throw new Error(`the page has ${items.length} workflows`);
    }),
  settle: async () => {
    const start = clock();
    await store.settled();
    return clock() - start;
  },
  search: async () => {
    const times: number[] = [];
    for (const text of ['does should', 'answer 77', 'what']) {
      for (let time = 0; time < SEARCHES; time += 1) {
        const start = clock();
        const { items } = await runtime.request('history.search', { text, limit: 20 });
        times.push(clock() - start);
        if (items.length === 0) throw new Error(`nothing was found for "${text}"`);
      }
    }
    return times;
  },
  screen: async () => {
    const { workflowId, runId } = await long.promise;
    return times(async () => {
      const [detail, entries] = await Promise.all([
        runtime.request('workflow.get', { workflowId }),
        runtime.request('run.entries', { runId }),
      ]);
      if (detail.runs.length !== 4 || entries.length === 0) throw new Error('the workflow is not whole');
    });
  },
};

async function times(work: () => Promise<void>): Promise<number[]> {
  const measured: number[] = [];
  for (let time = 0; time < TIMES; time += 1) {
    const start = clock();
    await work();
    measured.push(clock() - start);
  }
  return measured;
}

serve({ ...operations }, () => runtime.close());

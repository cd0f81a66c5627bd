/** Our side on a store that is watched at its port: `whole|unindexed MODEL_URL FOLDER`. */
import { join } from 'node:path';
import { openOurs } from './ours.ts';
import { serve } from './peer.ts';
import { openWatched, type PortCounts } from './port.ts';

export interface WatchedOperations {
  /** So many workflows, one after the other; resolves, when all is written that follows from them, with what they took. */
  workflows(count: number): Promise<PortCounts>;
}

const [kind, url = '', folder = ''] = process.argv.slice(2);
const { store, counts } = await openWatched(`rocksdb://${join(folder, 'store')}`, { indexed: kind === 'whole' });
const work = await openOurs(url, folder, store);

const operations: WatchedOperations = {
  workflows: async (count) => {
    const before = { ...counts };
    for (let done = 0; done < count; done += 1) await work.workflow();
    await store.settled();
    return {
      commits: counts.commits - before.commits,
      rows: counts.rows - before.rows,
      indexCommits: counts.indexCommits - before.indexCommits,
      indexRows: counts.indexRows - before.indexRows,
      queries: counts.queries - before.queries,
    };
  },
};

serve({ ...operations }, () => work.close());

/** Our side under a flood of short workflows, each in a conversation of its own: `MODEL_URL FOLDER`. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openStore } from '#core/store/surreal.ts';
import { clock } from './clock.ts';
import { openOurs } from './ours.ts';
import { serve } from './peer.ts';
import { longestBlock } from './side.ts';

export interface Flooded {
  ms: number;
  /** Processor time of all threads. */
  cpuMs: number;
  /** Of the main loop. */
  blockedMs: number;
  /** Sessions without Markdown when the last workflow ended. */
  behind: number;
}

export interface Caught {
  /** Until every session has its Markdown. */
  markdownMs: number;
  cpuMs: number;
  /** Of the main loop meanwhile. */
  blockedMs: number;
}

export interface FloodOperations {
  /** So many workflows, so many of them at a time. */
  flood(input: { count: number; lanes: number }): Promise<Flooded>;
  /** Does nothing itself: waits until what is written behind has been written. */
  catchUp(): Promise<Caught>;
}

const LOOK_MS = 50;

const [url = '', folder = ''] = process.argv.slice(2);
const store = await openStore({ url: `rocksdb://${join(folder, 'store')}` });
const work = await openOurs(url, folder, store);
const behind = async () => (await readdir(join(folder, 'sessions-behind')).catch(() => [])).length;

async function watched(run: () => Promise<unknown>): Promise<Omit<Flooded, 'behind'>> {
  const [start, before] = [clock(), process.cpuUsage()];
  const { blockedMs } = await longestBlock(run);
  const { user, system } = process.cpuUsage(before);
  return { ms: clock() - start, cpuMs: (user + system) / 1000, blockedMs };
}

const operations: FloodOperations = {
  flood: async ({ count, lanes }) => {
    let left = count;
    const lane = async () => {
      while (left-- > 0) await work.workflow();
    };
    // What the first one of a process loads and compiles belongs to its start.
    await work.workflow();
    const times = await watched(() => Promise.all(Array.from({ length: lanes }, lane)));
    return { ...times, behind: await behind() };
  },
  catchUp: async () => {
    const { ms, cpuMs, blockedMs } = await watched(async () => {
      while ((await behind()) > 0) await wait(LOOK_MS);
    });
    return { markdownMs: ms, cpuMs, blockedMs };
  },
};

serve({ ...operations }, () => work.close());

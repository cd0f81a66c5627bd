/** One side in a process of its own: `ours|floor MODEL_URL FOLDER`. */
import { held } from '../support/held.ts';
import { clock } from './clock.ts';
import { openFloor } from './floor.ts';
import { openOurs } from './ours.ts';
import { serve } from './peer.ts';
import { longestBlock, type SideOperations } from './side.ts';
import { StampReader } from './stamps.ts';

const [kind, url = '', folder = ''] = process.argv.slice(2);
const work = kind === 'ours' ? await openOurs(url, folder) : openFloor(url, folder);

const batch: SideOperations['batch'] = async (count) => {
  const shown: number[] = [];
  const updates: number[] = [];
  const [start, before] = [clock(), process.cpuUsage()];
  for (let done = 0; done < count; done += 1) {
    const times = await work.workflow();
    shown.push(...times.shown);
    updates.push(...times.updates);
  }
  const ms = clock() - start;
  const cpuMs = cpuSince(before);
  await work.settled();
  const wholeCpuMs = cpuSince(before);
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  return { ms, cpuMs, wholeCpuMs, heap: heapUsed, rss, shown, updates };
};

const talk: SideOperations['talk'] = async ({ count, fresh }) => {
  const before = process.cpuUsage();
  await work.talk(count, fresh);
  await work.settled();
  return cpuSince(before) / count;
};

function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const stream: SideOperations['stream'] = async ({ prompt, count }) => {
  const reader = new StampReader();
  const { value, blockedMs } = await longestBlock(() => work.stream(prompt, (text) => reader.take(text)));
  return { ms: value.endedAt - value.sentAt, delays: reader.delays(count), blockedMs };
};

serve(
  {
    batch,
    stream,
    talk,
    held,
    workflow: () => work.workflow(),
    begin: () => work.begin(),
    stop: () => work.stop(),
  },
  () => work.close(),
);

/** What a process holds on to: that which must not grow with the work that is done. */
import { readdir, readFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { queryObjects, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Transcript } from '#core/store/log/transcript.ts';
import { Workflow } from '#core/runs/workflow/workflow.ts';

/** Counts; the same work again must leave them as they are. */
export interface Held {
  /** Sockets, timers, watchers and the like that keep the process alive. */
  handles: number;
  /** Of the process itself. */
  listeners: number;
  childProcesses: number;
  /** Living objects of the kinds that a forgotten listener or reference keeps. */
  objects: number;
}

const KINDS: readonly ((...input: never[]) => unknown)[] = [
  // A controller is counted with its signal, which is an event target.
  ...[EventTarget, Socket, Workflow, Transcript],
] as unknown as ((...input: never[]) => unknown)[];

/** Looks after collections of garbage; what one lets go of in the turn after it would hide what is kept later. */
export async function held(): Promise<Held> {
  queryObjects(EventTarget, { format: 'count' });
  await setImmediate();
  return {
    handles: process.getActiveResourcesInfo().length,
    listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
    childProcesses: await childProcesses(),
    objects: KINDS.reduce((sum, kind) => sum + Number(queryObjects(kind, { format: 'count' })), 0),
  };
}

/** Collects garbage in a process that was not started with `--expose-gc`. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/** On Linux, where it can be read without starting one more. */
async function childProcesses(): Promise<number> {
  if (process.platform !== 'linux') return 0;
  let count = 0;
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    // The name, in parentheses, may hold anything.
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(parent) === process.pid) count += 1;
  }
  return count;
}

/**
 * A process in which one or more workflows run, each on a store of its own: `node crash-host.ts LIVES`, as JSON. One
 * with `killAfter` stands still the instant after that event was stored: nothing more is acknowledged to it; one with
 * `killIn` in the middle of a call. When all of them stand still, the process kills itself. A process without any prints
 * what was stored.
 */
import { watch } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Store } from '#core/store/store.ts';
import { openStore } from '#core/store/surreal.ts';
import { Changes } from '#core/workspace/changes.ts';
import type { Workspaces } from '#core/workspace/workspaces.ts';
import { workspacesBeside } from './compose.ts';
import type { HostedLife, Moment } from './crash.ts';
import { lifeOf, type Result } from './crash-life.ts';
import { eventsIn } from './commit-items.ts';

const lives = JSON.parse(process.argv[2] ?? '[]') as HostedLife[];
let standing = 0;
let ended = 0;

/** Kills at once where this was the last one that was to stand still. */
function stood(): void {
  if (standing === lives.length) process.kill(process.pid, 'SIGKILL');
  if (standing > 0 && standing + ended === lives.length) throw new Error('a workflow ended before its event');
}

/**
 * Stores event by event, so that every instant between two events is one at which the process can die. How many events
 * there are depends a little on time: where a workflow has fewer than the number asked for, the process dies before
 * the last one.
 */
function killing(store: Store, after: number | string): Store {
  const [what, which = '1'] = String(after).split('#');
  const still = new Promise<never>(() => undefined);
  let met = 0;
  const commit: Store['commit'] = async (items) => {
    const events = eventsIn(items);
    if (met === Number(which)) return still;
    if (events.length > 1) throw new Error('the groups of this host have one event');
    const last = typeof after === 'number' && events.some(({ type }) => type === 'workflow-end');
    if (!last) await store.commit(items);
    if (last || events.some(({ seq, type }) => String(seq) === what || type === what)) met += 1;
    if (met !== Number(which)) return;
    standing += 1;
    stood();
    return still;
  };
  return { ...store, commit };
}

/** The store and the changes of a life that stands still in the middle of its first call. */
function killingIn(moment: Moment, store: Store, folder: string): { store: Store; workspaces: Workspaces } {
  const still = new Promise<never>(() => undefined);
  let isStill = false;
  const stand = (): Promise<never> => {
    isStill = true;
    standing += 1;
    stood();
    return still;
  };
  let begun = false;
  const commit: Store['commit'] = async (items) => {
    const events = eventsIn(items);
    if (isStill) return still;
    if (moment === 'ended' && events.some(({ type }) => type === 'tool-end')) return stand();
    await store.commit(items);
    if (begun || !events.some(({ type }) => type === 'tool-start') || typeof moment !== 'object') return;
    begun = true;
    if ('ms' in moment) setTimeout(() => void stand(), moment.ms);
    if ('file' in moment) void whenThere(join(folder, moment.file)).then(stand);
  };
  const workspaces = workspacesBeside(folder);
  const { changes } = workspaces;
  const keep: Changes['keep'] = async (...change) => {
    if (typeof moment !== 'object' || !('keep' in moment)) return Changes.prototype.keep.apply(changes, change);
    if (moment.keep === 'after') await Changes.prototype.keep.apply(changes, change);
    return stand();
  };
  Object.assign(changes, { keep });
  return { store: { ...store, commit }, workspaces };
}

async function whenThere(path: string): Promise<void> {
  const watcher = watch(join(path, '..'));
  const isThere = (): Promise<boolean> =>
    access(path).then(
      () => true,
      () => false,
    );
  await new Promise<void>((resolve) => {
    const look = (): void => void isThere().then((there) => there && resolve());
    watcher.on('change', look);
    look();
  });
  watcher.close();
}

async function run({ data, killAfter, killIn, ...life }: HostedLife): Promise<Result> {
  const store = await openStore({ url: `rocksdb://${data}` });
  const parts = killIn
    ? { ...killingIn(killIn, store, life.folder), groupSize: 1 }
    : killAfter === undefined
      ? { store }
      : { store: killing(store, killAfter), groupSize: 1 };
  const result = await lifeOf({ ...life, ...parts });
  ended += 1;
  stood();
  return result;
}

const results = await Promise.all(lives.map(run));
await new Promise((done) => process.stdout.write(JSON.stringify(results), done));
// The engine of a store that was made in this process keeps its threads, and with them the process.
process.exit(0);

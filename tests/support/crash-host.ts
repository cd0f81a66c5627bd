/**
 * A process in which one or more workflows run, each on a store of its own: `node crash-host.ts LIVES`, as JSON. One
 * with `killAfter` stands still the instant after that event was stored: nothing more is acknowledged to it, and when
 * all of them stand still, the process kills itself. A process without any prints what was stored.
 */
import type { Store } from '#core/store/store.ts';
import { openStore } from '#core/store/surreal.ts';
import type { HostedLife } from './crash.ts';
import { lifeOf, type Result } from './crash-life.ts';

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
  const commit: Store['commit'] = async (events, writes) => {
    if (met === Number(which)) return still;
    if (events.length > 1) throw new Error('the groups of this host have one event');
    const last = typeof after === 'number' && events.some(({ type }) => type === 'workflow-end');
    if (!last) await store.commit(events, writes);
    if (last || events.some(({ seq, type }) => String(seq) === what || type === what)) met += 1;
    if (met !== Number(which)) return;
    standing += 1;
    stood();
    return still;
  };
  return { ...store, commit };
}

async function run({ data, killAfter, ...life }: HostedLife): Promise<Result> {
  const store = await openStore({ url: `rocksdb://${data}` });
  const parts = killAfter === undefined ? { store } : { store: killing(store, killAfter), groupSize: 1 };
  const result = await lifeOf({ ...life, ...parts });
  ended += 1;
  stood();
  return result;
}

const results = await Promise.all(lives.map(run));
await new Promise((done) => process.stdout.write(JSON.stringify(results), done));
// The engine of a store that was made in this process keeps its threads, and with them the process.
process.exit(0);

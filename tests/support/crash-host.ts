/**
 * A process that runs or resumes one workflow on a store in a folder, and kills itself the instant after a given event
 * was stored: `node crash-host.ts start|resume DATA MODEL_URL WORKSPACE [KILL_AFTER]`, its number, its type (the first of it), or
 * its type and which of them it is, as in `usage#2`. Prints what was stored.
 */
import type { Store } from '#core/store/store.ts';
import { openStore } from '#core/store/surreal.ts';
import { lifeOf, type LifeParts } from './crash-life.ts';

const [mode, data, url, folder, killAfter] = process.argv.slice(2) as [
  LifeParts['mode'],
  string,
  string,
  string,
  string | undefined,
];

/** Stores event by event, so that every instant between two events is one at which the process can die. */
function killing(store: Store, after: string): Store {
  const [what, which = '1'] = after.split('#');
  let met = 0;
  const commit: Store['commit'] = async (events, writes) => {
    if (events.length > 1) throw new Error('the groups of this host have one event');
    await store.commit(events, writes);
    if (events.some(({ seq, type }) => String(seq) === what || type === what)) met += 1;
    if (met === Number(which)) process.kill(process.pid, 'SIGKILL');
  };
  return { ...store, commit };
}

const opened = await openStore({ url: `rocksdb://${data}` });
const { CRASH_HOST_SETTINGS: settings = '', CRASH_HOST_FILES: files, CRASH_HOST_GRANT: grant } = process.env;
const result = await lifeOf({
  mode,
  url,
  folder,
  settings,
  ...(files ? { files } : {}),
  ...(grant ? { grant: JSON.parse(grant) as LifeParts['grant'] } : {}),
  ...(killAfter === undefined ? { store: opened } : { store: killing(opened, killAfter), groupSize: 1 }),
});
await new Promise((done) => process.stdout.write(JSON.stringify(result), done));
// The engine of a store that was made in this process keeps its threads, and with them the process.
process.exit(0);

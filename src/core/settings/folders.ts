/** Where this installation keeps its configuration and its data. */
import { mkdir, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';

export interface Folders {
  /** `config.toml`, `secrets.json`, `agents/`. */
  config: string;
  /** The store and everything else that the program writes by itself. */
  data: string;
}

/** The program's own folders, canonical: no tool of an agent reaches into them. */
export interface OwnFolders {
  /** Settings, keys, trust, the store and everything else. */
  folders: readonly string[];
  /** Those with the Markdown of sessions; they lie in the ones above. */
  sessions: readonly string[];
}

/** Where the Markdown of sessions lies in the data folder, and in a project that keeps its own. */
export const SESSIONS = 'sessions';
export const PROJECT_SESSIONS = '.triad/sessions';

/** Where, in the data folder, what agents replaced is kept. */
export const REPLACED = 'replaced';

/** `store`: the folder of a store that lies elsewhere; null for one in the data folder, or on another machine. */
export async function ownFolders({ config, data }: Folders, store: string | null): Promise<OwnFolders> {
  const [own, atData] = await Promise.all([
    Promise.all([config, data, ...(store === null ? [] : [store])].map(canonical)),
    canonical(data),
  ]);
  return { folders: [...new Set(own)], sessions: [join(atData, SESSIONS)] };
}

/** Of what does not exist yet: its place in the nearest folder that does, links on the way followed. */
export async function canonical(path: string): Promise<string> {
  const full = resolve(path);
  const parent = dirname(full);
  return realpath(full).catch(async () => (parent === full ? full : join(await canonical(parent), basename(full))));
}

/** `TRIAD_HOME` is one folder for both; otherwise the XDG folders. Made with mode 0700 where they are missing. */
export async function folders(env: Readonly<Record<string, string | undefined>>): Promise<Folders> {
  const found = locate(env);
  await mkdir(found.config, { recursive: true, mode: 0o700 });
  await mkdir(found.data, { recursive: true, mode: 0o700 });
  return found;
}

function locate(env: Readonly<Record<string, string | undefined>>): Folders {
  if (env['TRIAD_HOME']) {
    const home = resolve(env['TRIAD_HOME']);
    return { config: home, data: home };
  }
  const home = env['HOME'] || homedir();
  return {
    config: join(absolute(env['XDG_CONFIG_HOME']) ?? join(home, '.config'), 'triad'),
    data: join(absolute(env['XDG_DATA_HOME']) ?? join(home, '.local', 'share'), 'triad'),
  };
}

/** The XDG rules say that a relative path is to be ignored. */
function absolute(path: string | undefined): string | null {
  return path && isAbsolute(path) ? path : null;
}

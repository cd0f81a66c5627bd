/** Names that can be completed, read from files alone: no store is opened, and no program is asked. */
import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { loadPlace, nameOf } from '#core/agents/load.ts';
import { builtinPlaces, projectPlaces, userPlaces } from '#core/agents/places.ts';
import { METADATA_FILE } from '#core/records/sessions/names.ts';
import { folders, SESSIONS } from '#core/settings/folders.ts';
import { settingPaths } from '#core/settings/settings.ts';
import type { Io } from '../../terminal/io.ts';

export interface Candidate {
  word: string;
  /** One line. */
  about: string;
}

export type Names = 'agents' | 'sessions' | 'settings';

/** The newest ones are offered. */
const MOST_SESSIONS = 50;

/** Never rejects: what cannot be read is not offered. */
export async function namesOf(names: Names, io: Io): Promise<Candidate[]> {
  const read = { agents, sessions, settings: async () => settingPaths().map((word) => ({ word, about: '' })) }[names];
  return read(io).catch(() => []);
}

async function agents({ env, folder }: Io): Promise<Candidate[]> {
  const { config } = await folders(env);
  const places = [...builtinPlaces(), ...userPlaces(config, homedir()), ...projectPlaces(folder)];
  const files = (await Promise.all(places.map((place) => loadPlace(place, [])))).flat();
  const named = new Set(files.map(nameOf).filter((name) => name !== null));
  return [...named].sort().map((word) => ({ word, about: 'agent' }));
}

async function sessions({ env }: Io): Promise<Candidate[]> {
  const place = join((await folders(env)).data, SESSIONS);
  // Their names begin with a date.
  const newest = (await readdir(place)).sort().reverse().slice(0, MOST_SESSIONS);
  const read = newest.map(async (name): Promise<Candidate[]> => {
    const told = await readFile(join(place, name, METADATA_FILE), 'utf8')
      .then((text) => JSON.parse(text) as unknown)
      .catch(() => null);
    const { session_id: word, title } = (told ?? {}) as { session_id?: unknown; title?: unknown };
    return typeof word === 'string' ? [{ word, about: typeof title === 'string' ? title : '' }] : [];
  });
  return (await Promise.all(read)).flat();
}

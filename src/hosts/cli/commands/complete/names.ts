/** Reads the names for completion from files, without the store and without the running program. */
import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { loadPlace, nameOf } from '#core/agents/load.ts';
import { builtinPlaces, projectPlaces, userPlaces } from '#core/agents/places.ts';
import { METADATA_FILE } from '#core/host/records/sessions/names.ts';
import { folders, SESSIONS } from '#core/settings/folders.ts';
import { settingPaths } from '#core/settings/settings.ts';
import type { Io } from '../../terminal/io.ts';
import type { NameKind } from '../parameters.ts';

export interface Candidate {
  word: string;
  /** One line. */
  about: string;
}

/** Number of sessions that are offered, newest first. */
const MOST_SESSIONS = 50;

/** Returns the names of a kind. Never rejects: excludes names of files that cannot be read. */
export async function readNames(kind: NameKind, io: Io): Promise<Candidate[]> {
  const readers = { agent: readAgents, session: readSessions, setting: listSettings };
  return readers[kind](io).catch(() => []);
}

async function readAgents({ env, folder }: Io): Promise<Candidate[]> {
  const { config } = await folders(env);
  const places = [...builtinPlaces(), ...userPlaces(config, homedir()), ...projectPlaces(folder)];
  const files = (await Promise.all(places.map((place) => loadPlace(place, [])))).flat();
  const named = new Set(files.map(nameOf).filter((name) => name !== null));
  return [...named].sort().map((word) => ({ word, about: 'agent' }));
}

async function readSessions({ env }: Io): Promise<Candidate[]> {
  const place = join((await folders(env)).data, SESSIONS);
  // Their names begin with a date.
  const newest = (await readdir(place)).sort().reverse().slice(0, MOST_SESSIONS);
  const read = newest.map(async (name): Promise<Candidate[]> => {
    const metadata = await readFile(join(place, name, METADATA_FILE), 'utf8')
      .then((text) => JSON.parse(text) as unknown)
      .catch(() => null);
    const { session_id: word, title } = (metadata ?? {}) as { session_id?: unknown; title?: unknown };
    return typeof word === 'string' ? [{ word, about: typeof title === 'string' ? title : '' }] : [];
  });
  return (await Promise.all(read)).flat();
}

async function listSettings(): Promise<Candidate[]> {
  return settingPaths().map((word) => ({ word, about: '' }));
}

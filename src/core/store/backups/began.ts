/**
 * A store that began in the place of another: its folder was gone, but the data folder was not new. A mark in the
 * store's folder says since when, so that it goes where the store goes, and not with a backup that is put back.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeAtomically } from '../../base/atomic-file.ts';
import { SESSIONS } from '../../settings/folders.ts';
import { ARCHIVE } from '../archive/archive-folder.ts';

const MARK = 'BEGAN';

/** When a store began in the place of another, as an ISO instant; null for any other store. */
export async function beganAt(store: string): Promise<string | null> {
  const text = (await readFile(join(store, MARK), 'utf8').catch(() => '')).trim();
  return Number.isNaN(Date.parse(text)) ? null : text;
}

/** To be called before the engine makes its first file in the folder. */
export async function markBegan(store: string): Promise<void> {
  await writeAtomically(join(store, MARK), new Date().toISOString(), { mode: 0o600 });
}

/** Where the Markdown of sessions lies beside a store; null where none began before the instant, or at all. */
export function sessionsBeside(store: string, before?: string): string | null {
  const folder = join(dirname(store), SESSIONS);
  const names = namesIn(folder).filter((name) => !name.startsWith('.'));
  const some = before === undefined ? names.length > 0 : names.some((name) => startOf(join(folder, name)) < before);
  return some ? folder : null;
}

/** Returns whether the archive beside the store has a conversation that is older than `before`. */
export function isArchivedBeside(store: string, before?: string): boolean {
  const names = namesIn(join(dirname(store), ARCHIVE)).filter((name) => ID.test(name));
  // An id begins with the time of its creation.
  const madeAt = (name: string): number => Number.parseInt(name.slice(0, 8) + name.slice(9, 13), 16);
  return before === undefined ? names.length > 0 : names.some((name) => madeAt(name) < Date.parse(before));
}

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-/;

/** Empty for a folder that cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Sorts after every instant where nothing is known. */
function startOf(session: string): string {
  try {
    const { started_at: start } = JSON.parse(readFileSync(join(session, 'metadata.json'), 'utf8')) as {
      started_at?: unknown;
    };
    return typeof start === 'string' ? start : '~';
  } catch {
    return '~';
  }
}

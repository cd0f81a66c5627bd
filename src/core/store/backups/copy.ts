/** Copies a store's folder, and looks into a copy with the engine itself, in a process of its own. */
import { constants, existsSync } from 'node:fs';
import { cp, readdir, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { codeOf, TriadError } from '../../base/errors.ts';
import { nodeProgram, runProgram } from '../../base/node-program.ts';
import { REPLACED, SESSIONS } from '../../settings/folders.ts';

/** Free space that must be left besides the copy. */
const MARGIN_BYTES = 32 * 1024 * 1024;
/** For a store of many gigabytes. */
const CHECK_MS = 600_000;
/** Program that opens the copy. */
const CHECK = fileURLToPath(new URL('./check-copy.ts', import.meta.url));
/** How often a copy is begun again because the engine's own maintenance changed the files meanwhile. */
const TRIES = 20;
/** The engine's diary: it says nothing about the data, and grows at any time. */
const DIARY = /^LOG/;

/** What a store holds. */
export const Counts = z.object({ conversations: z.int(), workflows: z.int(), events: z.int() });
export type Counts = z.infer<typeof Counts>;

/**
 * `version` is null where no schema was ever made, `known` the newest that this program knows; `missing`: what should be
 * there, in words, null if nothing is missing.
 */
const Held = Counts.extend({ version: z.int().nullable(), known: z.int(), missing: z.string().nullable() });
export type Look = ({ ok: true } & z.infer<typeof Held>) | { ok: false; fault: string };

/**
 * Copies a folder to which nobody commits meanwhile. The engine may still write tables and delete those that it has
 * merged: then the copy begins again, so that all of its files are of one instant. Rejects with `store_unwritable`
 * where there is no room.
 */
export async function copyStore(folder: string, target: string): Promise<void> {
  await mustHaveRoom(folder, dirname(target));
  for (let tries = 1; tries <= TRIES; tries += 1) {
    await rm(target, { recursive: true, force: true });
    const before = await filesOf(folder);
    try {
      await cp(folder, target, { recursive: true, preserveTimestamps: true, mode: constants.COPYFILE_FICLONE });
      const [after, copied] = [await filesOf(folder), await filesOf(target)];
      if (stateOf(before) === stateOf(after) && bytesIn(before) === bytesIn(copied)) return;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }
  throw new TriadError('store_failed', `The files of the store in ${folder} do not stand still: try again later.`);
}

/** What of a data folder is kept with its store: files that only the program itself changes. */
export const BESIDE = [SESSIONS, REPLACED] as const;

/** Copies those folders. Sessions can be made again, and what was replaced never changes, so they need not be of one instant. */
export async function copyBeside(from: string, to: string): Promise<void> {
  for (const name of BESIDE) {
    for (let tries = 1; existsSync(join(from, name)); tries += 1) {
      try {
        await cp(join(from, name), join(to, name), { recursive: true, force: true });
        break;
      } catch (error) {
        // A file was replaced, or removed with its conversation, while it was copied.
        if (codeOf(error) !== 'ENOENT' || tries >= TRIES) throw error;
      }
    }
  }
}

/**
 * Opens a copy in a child process, which may change its files. Null where that cannot be done: in a desktop that was not
 * packed with a Node. Rejects with `internal` if the program for it (`check`) is missing, which says nothing about the copy.
 */
export async function lookInto(copy: string, check = CHECK): Promise<Look | null> {
  const started = nodeProgram(check);
  if (started === null) return null;
  if (!existsSync(started.program))
    throw new TriadError(
      'internal',
      `Copies of the store cannot be checked, because ${check} is missing: install Triad again.`,
    );
  const { code, stdout, stderr } = await runProgram(started, copy, { timeout: CHECK_MS });
  if (code === 0) return { ok: true, ...Held.parse(JSON.parse(stdout)) };
  return { ok: false, fault: stderr || `the check ended with ${code}` };
}

async function mustHaveRoom(folder: string, place: string): Promise<void> {
  const { bavail, bsize } = await statfs(place);
  const needed = bytesIn(await filesOf(folder)) + MARGIN_BYTES;
  if (bavail * bsize >= needed) return;
  const megabytes = (bytes: number) => Math.ceil(bytes / 1e6);
  throw new TriadError(
    'store_unwritable',
    `There is no room for a copy of the store in ${place}: ${megabytes(needed)} MB are needed, ${megabytes(bavail * bsize)} MB are free. Free some space, then try again.`,
  );
}

interface FileState {
  /** Relative to the folder. */
  path: string;
  bytes: number;
  changed: number;
}

/** Without those that are removed meanwhile. */
async function filesOf(folder: string): Promise<FileState[]> {
  const names = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = names.filter((entry) => entry.isFile() && !DIARY.test(entry.name));
  const states = files.map(async ({ parentPath, name }): Promise<FileState[]> => {
    const path = join(parentPath, name);
    const stats = await stat(path).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    });
    return stats === null ? [] : [{ path: path.slice(folder.length + 1), bytes: stats.size, changed: stats.mtimeMs }];
  });
  return (await Promise.all(states)).flat();
}

const stateOf = (files: readonly FileState[]) =>
  JSON.stringify(files.map(({ path, bytes, changed }) => [path, bytes, changed]).sort());
const bytesIn = (files: readonly FileState[]) => files.reduce((sum, { bytes }) => sum + bytes, 0);

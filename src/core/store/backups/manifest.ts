/**
 * A backup as a folder: `store/`, perhaps `sessions/`, and `manifest.json`, written last, which says what is in them.
 * What has no manifest was never finished, and is no backup.
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { writeAtomically } from '../../base/atomic-file.ts';
import { TriadError } from '../../base/errors.ts';
import { Counts } from './copy.ts';

const FILE = 'manifest.json';

const Manifest = z.object({
  format: z.literal(1),
  madeAt: z.iso.datetime(),
  /** Version of the store's schema; 0 where it is not known. */
  schema: z.int().min(0),
  /** Null where nobody could look into the copy. */
  holds: Counts.nullable(),
  /** What the store lacked when the copy was made, in words; null for a whole backup. */
  missing: z.string().nullable().default(null),
  bytes: z.int(),
  /** Of every other file, by path relative to the folder. */
  sha256: z.record(z.string(), z.string()),
});
export type Manifest = z.infer<typeof Manifest>;

/** Reads every file of the folder and writes the manifest, which makes a backup of it. */
export async function writeManifest(
  folder: string,
  about: Pick<Manifest, 'schema' | 'holds' | 'missing'>,
): Promise<Manifest> {
  const paths = await pathsIn(folder);
  const sizes = await Promise.all(paths.map(async (path) => (await stat(join(folder, path))).size));
  const manifest: Manifest = {
    format: 1,
    madeAt: new Date().toISOString(),
    ...about,
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    sha256: await hashesOf(folder, paths),
  };
  await writeAtomically(join(folder, FILE), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  return manifest;
}

/** The manifest of a backup; null for anything else. */
export function manifestOf(folder: string): Manifest | null {
  try {
    return Manifest.safeParse(JSON.parse(readFileSync(join(folder, FILE), 'utf8'))).data ?? null;
  } catch {
    return null;
  }
}

/** Rejects with `bad_input` where a file of a backup is missing, or not what it was. */
export async function compareFiles(folder: string, { sha256 }: Manifest): Promise<void> {
  const paths = Object.keys(sha256);
  const found = await hashesOf(folder, paths).catch((error: unknown) => {
    throw unfit(folder, String(error));
  });
  const changed = paths.find((path) => found[path] !== sha256[path]);
  if (changed !== undefined) throw unfit(folder, `${changed} has changed since it was made`);
}

export function unfit(folder: string, why: string): TriadError {
  return new TriadError('bad_input', `The backup in ${folder} is damaged (${why}): use another one.`);
}

/** Whether the folder is a store as the engine keeps it, without a manifest of ours. */
export async function isPlainStore(folder: string): Promise<boolean> {
  return (await newestList(folder)) !== null;
}

/** Names the newest list of the engine's files again where the one that says which it is cannot be used. */
export async function mendCurrent(folder: string): Promise<void> {
  const current = join(folder, 'CURRENT');
  const named = (await readFile(current, 'utf8').catch(() => '')).trim();
  if (LIST.test(named) && existsSync(join(folder, named))) return;
  const newest = await newestList(folder);
  if (newest !== null) await writeFile(current, `${newest}\n`);
}

const LIST = /^MANIFEST-(\d+)$/;

async function newestList(folder: string): Promise<string | null> {
  const numberOf = (name: string): number => Number(LIST.exec(name)?.[1]);
  const names = (await readdir(folder).catch(() => [])).filter((name) => LIST.test(name));
  return names.sort((a, b) => numberOf(b) - numberOf(a))[0] ?? null;
}

async function pathsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name !== FILE)
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .sort();
}

async function hashesOf(folder: string, paths: readonly string[]): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {};
  for (const path of paths) {
    const hash = createHash('sha256');
    await pipeline(createReadStream(join(folder, path)), hash);
    hashes[path] = hash.digest('hex');
  }
  return hashes;
}

/**
 * Migrations: the numbered files of `schema/`, each executed once, forward only, as one transaction. A new store begins
 * with a baseline: what the files up to that number make.
 */
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TriadError } from '../../base/errors.ts';
import { assertTruncationIsHarmless, backUp } from './backup.ts';
import type { Database } from '../database.ts';
import { isManifestTruncated } from './manifest.ts';

export interface Migration {
  version: number;
  sql: string;
  /** The same as this file and all before it, for a store that is new. */
  baseline?: string;
}

/** The migrations in order; their numbers run from 1 without gaps. */
export async function readMigrations(schemaDir: string): Promise<Migration[]> {
  const names = (await readdir(schemaDir)).sort();
  const read = (name: string): Promise<string> => readFile(join(schemaDir, name), 'utf8');
  const migrations = await Promise.all(
    names
      .filter((name) => /^\d{4}_\w+\.surql$/.test(name))
      .map(async (name): Promise<Migration> => {
        const number = name.slice(0, 4);
        const baseline = `${number}.baseline.surql`;
        const migration = { version: Number(number), sql: await read(name) };
        return names.includes(baseline) ? { ...migration, baseline: await read(baseline) } : migration;
      }),
  );
  if (migrations.length > 0 && migrations.every(({ version }, index) => version === index + 1)) return migrations;
  throw new TriadError(
    'store_failed',
    `The folder ${schemaDir} does not hold the numbered schema files: install Triad again.`,
  );
}

/** Migrates the store to the newest version and returns that. `isNew`: the schema table may be missing. */
export async function migrate(database: Database, migrations: readonly Migration[], isNew = true): Promise<number> {
  // Takes several milliseconds even if it changes nothing.
  if (isNew)
    await database.query(
      'DEFINE TABLE IF NOT EXISTS meta SCHEMAFULL; DEFINE FIELD IF NOT EXISTS version ON meta TYPE int;',
    );
  const [stored] = await database.query('SELECT VALUE version FROM ONLY meta:schema');
  const current = typeof stored === 'number' ? stored : 0;
  refuseNewer(current, migrations);
  for (const { version, sql } of stepsFrom(current, migrations))
    await database.transaction(`${sql}\nUPSERT meta:schema SET version = $version RETURN NONE;`, { version });
  return migrations.length;
}

function stepsFrom(current: number, migrations: readonly Migration[]): readonly Migration[] {
  const base = current === 0 ? migrations.findLast(({ baseline }) => baseline !== undefined) : undefined;
  if (base?.baseline === undefined) return migrations.slice(current);
  return [{ version: base.version, sql: base.baseline }, ...migrations.slice(base.version)];
}

function refuseNewer(version: number, migrations: readonly Migration[]): void {
  if (version <= migrations.length) return;
  throw new TriadError(
    'store_failed',
    `The store has schema version ${version}, but this Triad knows only ${migrations.length}: use the newer Triad that wrote it.`,
  );
}

/** The version is also kept beside the folder, because it must be known before the store is opened. */
function versionFile(folder: string): string {
  return `${folder}.schema-version`;
}

/** Whether a store was made here once, and is not here any more. */
export function hasVanished(folder: string): boolean {
  return existsSync(versionFile(folder)) && !existsSync(join(folder, 'CURRENT'));
}

/** Rejects a newer store, backs one up that needs a migration (`backup.ts`). Returns its version, 0 if unknown. */
export async function prepareFolder(folder: string, migrations: readonly Migration[]): Promise<number> {
  const text = await readFile(versionFile(folder), 'utf8').catch(() => '');
  const version = /^\d+\s*$/.test(text) ? Number(text) : 0;
  refuseNewer(version, migrations);
  if (!existsSync(join(folder, 'CURRENT'))) return 0;
  if (await isManifestTruncated(folder)) await assertTruncationIsHarmless(folder);
  // An unknown version (0) counts as outdated.
  if (version < migrations.length) await backUp(folder, version);
  return version;
}

export async function recordVersion(folder: string, version: number): Promise<void> {
  const partial = `${versionFile(folder)}.partial`;
  await writeFile(partial, `${version}\n`);
  await rename(partial, versionFile(folder));
}

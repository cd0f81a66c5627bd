/** Migrations: the numbered files of `schema/`, each executed once, forward only, as one transaction. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorInfo, TriadError } from '../../base/errors.ts';
import type { Database } from '../database.ts';

export interface Migration {
  version: number;
  sql: string;
}

/** The migrations in order; their numbers run from 1 without gaps. */
export async function readMigrations(schemaDir: string): Promise<Migration[]> {
  const names = (await readdir(schemaDir)).sort();
  const migrations = await Promise.all(
    names
      .filter((name) => /^\d{4}_\w+\.surql$/.test(name))
      .map(async (name): Promise<Migration> => {
        return { version: Number(name.slice(0, 4)), sql: await readFile(join(schemaDir, name), 'utf8') };
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
    await database.transaction(
      'DEFINE TABLE IF NOT EXISTS meta SCHEMAFULL; DEFINE FIELD IF NOT EXISTS version ON meta TYPE option<int>;',
    );
  const current = await versionIn(database);
  refuseNewer(current, migrations);
  for (const { version, sql } of migrations.slice(current))
    await database.transaction(`${sql}\nUPSERT meta:schema SET version = $version RETURN NONE;`, { version });
  return migrations.length;
}

/** The version of an open store; 0 where none was ever made. */
export async function versionIn(database: Database): Promise<number> {
  try {
    const [stored] = await database.query('SELECT VALUE version FROM ONLY meta:schema');
    return typeof stored === 'number' ? stored : 0;
  } catch (error) {
    if (isTableMissing(error)) return 0;
    throw error;
  }
}

export const isTableMissing = (error: unknown): boolean => /table .*does not exist/i.test(errorInfo(error).message);

/** Throws `store_failed` for a store that a newer program wrote. */
export function refuseNewer(version: number, migrations: readonly Migration[]): void {
  if (version <= migrations.length) return;
  throw new TriadError(
    'store_failed',
    `The store has schema version ${version}, but this Triad knows only ${migrations.length}: use the newer Triad that wrote it.`,
  );
}

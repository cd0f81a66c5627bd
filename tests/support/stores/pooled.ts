/**
 * Stores that tests share one after the other: making the schema of a new one takes more processor time than most tests.
 * Each gets one that is empty, by the same way as `openStore`, and gives it back by closing it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Closable, closable } from '#core/store/closable.ts';
import type { Database } from '#core/store/database.ts';
import { migrate, readMigrations } from '#core/store/opening/migrate.ts';
import type { Store } from '#core/store/store.ts';
import { storeOn } from '#core/store/store-on.ts';
import { connect } from '#core/store/surreal.ts';

export const schemaDir = join(import.meta.dirname, '../../../schema');

/** An open database of this process, and its tables that hold what tests store. */
interface Kept {
  database: Database;
  tables: readonly string[];
}

const free: Record<'mem' | 'rocksdb', Kept[]> = { mem: [], rocksdb: [] };

/** A store in memory. */
export async function memoryStore(): Promise<Store> {
  return storeOn(await pooledDatabase('mem')).store;
}

/** The same store, which stays open when a program that has it ends. */
export const lasting = (store: Store): Store => ({ ...store, close: () => Promise.resolve() });

/** Migrated and empty; `close` gives it back. Its folder, where it has one, goes with the process. */
export async function pooledDatabase(engine: 'mem' | 'rocksdb'): Promise<Closable> {
  const kept = free[engine].pop() ?? (await made(engine));
  let back: Promise<void> | null = null;
  return closable({
    ...kept.database,
    close: () =>
      (back ??= empty(kept).then((isWhole) => {
        if (isWhole) free[engine].push(kept);
      })),
  });
}

async function made(engine: 'mem' | 'rocksdb'): Promise<Kept> {
  const folder = engine === 'mem' ? null : mkdtempSync(join(tmpdir(), 'triad-store-'));
  if (folder !== null) process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const database = await connect(folder === null ? 'mem://' : `rocksdb://${folder}`, { timeoutMs: 10_000 });
  await migrate(database, await readMigrations(schemaDir));
  return { database, tables: (await tablesOf(database)).filter((name) => name !== 'meta') };
}

/** Tables that a test has made, such as those of vectors, go; the others lose their rows. False: a test has changed the schema. */
async function empty({ database, tables }: Kept): Promise<boolean> {
  const now = (await tablesOf(database)).filter((name) => name !== 'meta');
  const added = now.filter((name) => !tables.includes(name));
  if (now.length - added.length < tables.length) return false;
  // In one statement: a third of the time of one for each.
  await database.transaction(`DELETE ${tables.join(', ')}, meta:journal RETURN NONE;`);
  if (added.length > 0) await database.query(added.map((name) => `REMOVE TABLE ${name};`).join('\n'));
  return true;
}

async function tablesOf(database: Database): Promise<string[]> {
  const [info] = (await database.query('INFO FOR DB')) as [{ tables: object }];
  return Object.keys(info.tables);
}

/**
 * Child program: opens the copy of a store, reads all of it and prints what it holds and what of it is missing. Exits
 * with 0, or with 1 and the error on stderr.
 */
import { join } from 'node:path';
import { countsOf, type Lack } from '#contract/missing-text.ts';
import { errorInfo, TriadError } from '../../base/errors.ts';
import { connect } from '../surreal.ts';
import type { Database } from '../database.ts';
import { readMigrations, versionIn } from '../opening/migrate.ts';
import { lacksOf } from './lacks.ts';

const SCHEMA = join(import.meta.dirname, '../../../../schema');
/** Events of one row: see `event-blocks.ts`. */
const EVENTS = 'last - record::id(id)[1] + 1';

// Whoever waited for the answer died: the copy is removed, or made anew under the same name, by the next start.
process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL')).resume();

await main(process.argv[2] ?? '');

async function main(folder: string): Promise<never> {
  try {
    const database = await connect(`rocksdb://${folder}`, { timeoutMs: 50_000 });
    const text = JSON.stringify(await held(database));
    await database.close();
    await new Promise((done) => process.stdout.write(text, done));
    process.exit(0);
  } catch (error) {
    const { message, detail } = errorInfo(error);
    process.stderr.write(`${(error instanceof TriadError && detail) || message}\n`);
    process.exit(1);
  }
}

/** Of what cannot be read the rest is counted. */
async function held(database: Database): Promise<object> {
  const faults: Lack[] = [];
  const tried = async <T>(asked: Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await asked;
    } catch {
      faults.push({ kind: 'rows', count: 1 });
      return otherwise;
    }
  };
  const number = async (sql: string): Promise<number> => {
    const [rows] = (await tried(database.query(sql), [[]])) as [{ n: number }[]];
    return rows[0]?.n ?? 0;
  };
  const version = await tried(versionIn(database), 0);
  const [{ tables }] = (await database.query('INFO FOR DB')) as [{ tables: Record<string, unknown> }];
  // A list of tables that cannot be read looks like an empty one.
  if (version > 0 && !('meta' in tables)) faults.push({ kind: 'rows', count: 1 });
  // The condition holds for no row, and reads every one whole: a file with a fault is noticed.
  for (const table of Object.keys(tables))
    await tried(database.query(`SELECT VALUE id FROM ${table} WITH NOINDEX WHERE absent != NONE`), []);
  const known = (await readMigrations(SCHEMA)).length;
  const isNewest = version === known;
  const has = (table: string) => version > 0 || table in tables;
  const count = async (table: string) => (has(table) ? number(`SELECT count() AS n FROM ${table} GROUP ALL`) : 0);
  const counts = {
    conversations: await count('conversation'),
    workflows: await count('workflow'),
    events: has('event') ? await number(`SELECT math::sum(${EVENTS}) AS n FROM event GROUP ALL`) : 0,
  };
  const lacks = isNewest ? await lacksOf(database, counts) : [];
  // What a fault means is told by what is missing for it.
  return { ...counts, version: version || null, known, missing: countsOf(lacks.length > 0 ? lacks : faults) };
}

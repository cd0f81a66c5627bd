/**
 * Child program: opens the copy of a store, reads all of it and prints what it holds. Exits with 0, or with 1 and the
 * error on stderr.
 */
import { errorInfo, TriadError } from '../../base/errors.ts';
import { connect } from '../surreal.ts';
import type { Database } from '../database.ts';

/** Events of one row: see `event-blocks.ts`. */
const EVENTS = '(last ?? record::id(id)[1]) - record::id(id)[1] + 1';

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

async function held(database: Database): Promise<object> {
  const [{ tables }] = (await database.query('INFO FOR DB')) as [{ tables: Record<string, unknown> }];
  // The condition holds for no row, and reads every one whole: a file with a fault is noticed.
  for (const table of Object.keys(tables))
    await database.query(`SELECT VALUE id FROM ${table} WITH NOINDEX WHERE absent != NONE`);
  const number = async (table: string, sql: string): Promise<number> => {
    const [rows] = table in tables ? ((await database.query(sql)) as [{ n: number }[]]) : [[]];
    return rows[0]?.n ?? 0;
  };
  const count = (table: string) => number(table, `SELECT count() AS n FROM ${table} GROUP ALL`);
  const [version] = 'meta' in tables ? await database.query('SELECT VALUE version FROM ONLY meta:schema') : [null];
  return {
    version: typeof version === 'number' ? version : null,
    conversations: await count('conversation'),
    workflows: await count('workflow'),
    events: await number('event', `SELECT math::sum(${EVENTS}) AS n FROM event GROUP ALL`),
  };
}

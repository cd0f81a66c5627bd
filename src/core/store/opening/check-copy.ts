/** Child program: opens the copy of a store and reads from it. Exits with 0, or with 1 and the error on stderr. */
import { errorInfo } from '../../base/errors.ts';
import { connect } from '../surreal.ts';

await main(process.argv[2] ?? '');

async function main(folder: string): Promise<never> {
  try {
    const database = await connect(`rocksdb://${folder}`, { timeoutMs: 50_000 });
    const [version] = await database.query('SELECT VALUE version FROM ONLY meta:schema');
    if (typeof version !== 'number') throw new Error('it has no schema version');
    await database.query('SELECT * FROM conversation LIMIT 100; SELECT VALUE id FROM event LIMIT 100;');
    await database.close();
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${errorInfo(error).message}\n`);
    process.exit(1);
  }
}

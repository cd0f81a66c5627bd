/**
 * A process of its own that kills itself at one step of what it does: `node killed-at.ts STEP open STORE SCHEMA`, or
 * `… STEP restore DATA BACKUP`.
 * A step is each change of a file and each query, twice: before it is done, and while it is. Prints the number of steps
 * where it was not killed.
 */
import { writeSync } from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
// oxlint-disable-next-line no-restricted-imports -- each of its queries is a step
import { Surreal } from 'surrealdb';
import { restore } from '#core/store/backups/restore.ts';
import { openStore } from '#core/store/surreal.ts';

const [last = '', task = '', folder = '', other = ''] = process.argv.slice(2);
let step = 0;

type Work = (...input: never[]) => unknown;

function counted<T extends Work>(work: T): T {
  const kill = () => process.kill(process.pid, 'SIGKILL');
  const killing = function killing(this: unknown, ...input: never[]): unknown {
    if (step++ === Number(last)) kill();
    const done: unknown = work.apply(this, input);
    if (step++ === Number(last)) setImmediate(kill);
    return done;
  };
  // Called as the other one is.
  return killing as T;
}

for (const name of ['cp', 'mkdir', 'rename', 'rm', 'writeFile', 'open'] as const)
  Object.assign(files, { [name]: counted(files[name] as Work) });
syncBuiltinESMExports();
for (const name of ['connect', 'query'] as const)
  Object.assign(Surreal.prototype, { [name]: counted(Surreal.prototype[name] as Work) });

if (task === 'restore') await restore(folder, other);
else await (await openStore({ url: `rocksdb://${folder}`, schemaDir: other })).close();
writeSync(1, `${step}\n`);
process.exit(0);

/**
 * A process of its own that opens a store and kills itself at one step of that: `node killed-at.ts FOLDER SCHEMA STEP`.
 * A step is each change of a file and each query, twice: before it is done, and while it is. Prints the number of steps
 * where it was not killed.
 */
import { writeSync } from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
// oxlint-disable-next-line no-restricted-imports -- each of its queries is a step
import { Surreal } from 'surrealdb';
import { openStore } from '#core/store/surreal.ts';

const [folder = '', schemaDir = '', last = ''] = process.argv.slice(2);
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

const store = await openStore({ url: `rocksdb://${folder}`, schemaDir });
await store.close();
writeSync(1, `${step}\n`);
process.exit(0);

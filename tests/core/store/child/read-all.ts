/**
 * A process of its own that opens a store, as `read-all.ts STORE SCHEMA [quick]`: prints a line before and after that,
 * then the digests of all that can be read.
 */
import { existsSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openStore } from '#core/store/surreal.ts';
import { digestsOf } from '../everything.ts';

const [folder = '', schemaDir = '', quick] = process.argv.slice(2);
writeSync(1, 'opening\n');
const archive = join(dirname(folder), 'archive');
const store = await openStore({
  url: `rocksdb://${folder}`,
  schemaDir,
  archive: existsSync(archive) ? archive : undefined,
});
writeSync(1, 'opened\n');
writeSync(1, `${JSON.stringify(await digestsOf(store, quick !== 'quick'))}\n`);
await store.close();
process.exit(0);

/** A process of its own that opens a store, as `read-all.ts STORE SCHEMA`: prints a line, then the digests of all that can be read. */
import { writeSync } from 'node:fs';
import { openStore } from '#core/store/surreal.ts';
import { digestsOf } from '../everything.ts';

const [folder = '', schemaDir = ''] = process.argv.slice(2);
const store = await openStore({ url: `rocksdb://${folder}`, schemaDir });
writeSync(1, 'opened\n');
writeSync(1, `${JSON.stringify(await digestsOf(store))}\n`);
await store.close();
process.exit(0);

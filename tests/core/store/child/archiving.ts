/**
 * Child process: `archiving.ts FOLDER` stores and archives one workflow after the other, until it is killed.
 * `archiving.ts FOLDER check` completes the archive, and prints a comparison of each conversation with the store.
 */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '#core/store/surreal.ts';
import { Conversation } from '../finished.ts';

const [folder = '', check] = process.argv.slice(2);
const store = await openStore({ url: `rocksdb://${join(folder, 'store')}`, archive: join(folder, 'archive') });
if (check === 'check') {
  await store.settled();
  for (const id of await store.conversationIds()) {
    const comparison = { id, lastSeq: await store.lastSeq(id), ...(await store.archive?.check(id)) };
    writeSync(1, `${JSON.stringify(comparison)}\n`);
  }
  await store.close();
  process.exit(0);
}
for (;;) {
  const one = await new Conversation(store).create();
  for (let count = 0; count < 3; count += 1) {
    await one.add({ prompt: 'Do it', children: [{ agent: 'helper', output: 'x'.repeat(5000), tools: ['read_file'] }] });
    // Writes synchronously: a kill must not lose printed lines.
    writeSync(1, `${one.row.id}\n`);
    if (count > 0) await store.settled();
  }
}

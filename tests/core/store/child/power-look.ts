/**
 * A process of its own that opens the stores of data folders, one after the other, and writes to each:
 * `power-look.ts DATA…`. Prints a line for each: its items before and after that, and what the person is told.
 */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { errorInfo } from '#core/base/errors.ts';
import { openStore } from '#core/store/surreal.ts';
import { Conversation } from '../finished.ts';
import { type Item, readItems } from '../power/promises.ts';

export interface PowerLook {
  items: Record<string, Item>;
  warnings: string[];
  /** Number of changes that the archive lacks after all work is done. */
  notArchived: number;
  /** Whether a new conversation is there after it was written. */
  isWritable: boolean;
}

async function look(data: string): Promise<PowerLook> {
  const warnings: string[] = [];
  const warn = (line: string): void => void warnings.push(line);
  const place = { url: `rocksdb://${join(data, 'store')}`, archive: join(data, 'archive'), warn };
  const store = await openStore(place);
  const items = await readItems(store);
  const one = await new Conversation(store, { title: 'New' }).create();
  await one.add();
  const isWritable = one.row.id in (await readItems(store));
  await store.settled();
  let notArchived = 0;
  for (const id of await store.conversationIds()) notArchived += (await store.archive!.check(id)).notArchived.length;
  await store.close();
  return { items, warnings, notArchived, isWritable };
}

for (const data of process.argv.slice(2)) {
  const found = await look(data).catch((error: unknown) => ({ error: errorInfo(error) }));
  writeSync(1, `${JSON.stringify(found)}\n`);
}
process.exit(0);

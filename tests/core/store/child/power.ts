/**
 * A process of its own that works on a store: `power.ts DATA LINES TASK`. Appends a line to the file LINES before and
 * after each change. With a folder as the fourth argument it records the changes of files that Node makes, and copies of
 * the engine's files, in there.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '#core/store/store.ts';
import { openStore } from '#core/store/surreal.ts';
import { memoryKey } from '#domain/memory-key.ts';
import { setFields } from '../../../support/commit-items.ts';
import { Conversation } from '../finished.ts';
import { type Item, NOTE, readItems } from '../power/promises.ts';
import { record } from '../power/record.ts';

const [data = '', lines = '', task = '', recording] = process.argv.slice(2);
const finish = recording === undefined ? null : record(data, lines, recording);

/** Events of a workflow. */
const EVENTS = 16;

async function change(key: string, item: Item, work: () => Promise<unknown>): Promise<void> {
  const print = (isDone: boolean) => appendFileSync(lines, `${JSON.stringify({ key, item, isDone })}\n`);
  print(false);
  await work();
  print(true);
}

class Worker {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async workflow(one: Conversation, text: string): Promise<void> {
    const plan = { prompt: text, children: [{ agent: 'helper', tools: ['read_file'], output: text }] };
    const events = one.recording.durable.length + EVENTS;
    const item = { events, title: one.row.title, isTrashed: false };
    await change(one.row.id, item, () => one.add(plan));
    if (one.recording.durable.length !== events) throw new Error(`There are ${one.recording.durable.length} events.`);
  }

  async create(title: string): Promise<Conversation> {
    const one = new Conversation(this.#store, { title });
    await change(one.row.id, { events: 0, title, isTrashed: false }, () => one.create());
    return one;
  }

  async rename(one: Conversation, title: string): Promise<void> {
    one.row.title = title;
    const item = { events: one.recording.durable.length, title, isTrashed: false };
    await change(one.row.id, item, () => this.#store.commit([setFields('conversation', one.row.id, { title })]));
  }

  async note(name: string, text: string): Promise<void> {
    const row = { ...NOTE, name, text, updatedAt: new Date().toISOString() };
    const key = memoryKey(NOTE.scope, NOTE.folder, name);
    await change(name, { text }, () => this.#store.commit([{ table: 'memory', key, row }]));
  }

  /** Every read of a list flushes. */
  flush(): Promise<unknown> {
    return this.#store.conversations({ limit: 1 });
  }

  async purge(one: Conversation): Promise<void> {
    const { id, title } = one.row;
    const item = { events: one.recording.durable.length, title, isTrashed: true };
    await change(id, item, () => this.#store.trash(id, new Date().toISOString()));
    await change(id, null, () => this.#store.purge(id));
  }
}

async function work(store: Store): Promise<void> {
  const worker = new Worker(store);
  const [kept, deleted] = [await worker.create('Kept'), await worker.create('Deleted')];
  await worker.note('plan', 'an older secret');
  for (let round = 0; round < 4; round += 1) {
    await worker.workflow(kept, `Round ${round}`);
    if (round % 2 === 0) await worker.workflow(deleted, 'a secret');
    await worker.rename(kept, `Kept ${round}`);
    if (round === 1) await store.settled();
    if (round === 2) await worker.note('plan', 'a newer text');
    // Commits go on while it is flushed, into the other file of the journal.
    const flushing = round % 2 === 1 ? worker.flush() : null;
    if (flushing) await worker.workflow(kept, `Beside the flush ${round}`);
    await flushing;
  }
  await store.settled();
  await worker.purge(deleted);
  await worker.workflow(kept, 'After the purge');
  await worker.flush();
  await worker.workflow(kept, 'The last one');
  await store.settled();
}

const store = await openStore({ url: `rocksdb://${join(data, 'store')}`, archive: join(data, 'archive') });
if (task === 'work') await work(store);
else {
  // The history is there again: from now on it must stay.
  for (const [key, item] of Object.entries(await readItems(store))) await change(key, item, () => Promise.resolve());
  const worker = new Worker(store);
  await worker.workflow(await worker.create('After it'), 'a text');
  await worker.flush();
  await worker.note('plan', 'another text');
}
await store.close();
finish?.();
process.exit(0);

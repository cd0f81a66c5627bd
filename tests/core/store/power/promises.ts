/** What a program promised about its store by the lines that it printed, and what a store has of it. */
import type { Store } from '#core/store/store.ts';
import type { Operation } from './disk.ts';

/** State of a conversation or a note; null for none. */
export type Item = { events: number; title: string; isTrashed: boolean } | { text: string } | null;

/** Printed before a change and, with `isDone`, after it. */
export interface PromiseLine {
  key: string;
  item: Item;
  isDone: boolean;
}

/** The states that an item may have, by key. */
export type Promises = Map<string, Item[]>;

/** Adds a line: an acknowledged state is the only one that is allowed; a started change allows one more. */
export function addLine(promises: Promises, { key, item, isDone }: PromiseLine): void {
  promises.set(key, isDone ? [item] : [...(promises.get(key) ?? [null]), item]);
}

export function readPromises(operations: readonly Operation[]): Promises {
  const promises: Promises = new Map();
  for (const operation of operations)
    if (operation.kind === 'line')
      for (const line of operation.text.trimEnd().split('\n')) addLine(promises, JSON.parse(line) as PromiseLine);
  return promises;
}

export const NOTE = { scope: 'lead', folder: '/home/ada' } as const;

/** Reads every item. Throws if the events of a conversation are not dense. */
export async function readItems(store: Store): Promise<Record<string, Item>> {
  const items: Record<string, Item> = {};
  for (const id of await store.conversationIds()) {
    const row = await store.conversation(id);
    const seqs = (await store.events(id, 1, 1e6)).map(({ seq }) => seq);
    const last = await store.lastSeq(id);
    if (seqs.length !== last || seqs.some((seq, index) => seq !== index + 1))
      throw new Error(`The events of ${id} end at ${last} and are ${seqs.join()}.`);
    if (row === null) continue;
    const { items: workflows } = await store.workflows({ limit: 200, conversationId: id });
    const unfinished = workflows.filter(({ status }) => status !== 'completed');
    if (unfinished.length > 0) throw new Error(`A workflow of ${id} has events without rows.`);
    items[id] = { events: last, title: row.title, isTrashed: row.deletedAt !== undefined };
  }
  for (const { name, text } of await store.notes(NOTE.folder)) items[name] = { text };
  return items;
}

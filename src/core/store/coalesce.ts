/** Turns the writes of a batch into at most one put or update of each row, with the same result. */
import { exactKey, type Row } from './rows.ts';
import type { Key, Table, Write } from './store.ts';

export interface Put {
  table: Table;
  key: Key;
  row: Row;
}
export interface Update {
  table: Table;
  key: Key;
  set: Row;
  add: Record<string, number>;
  union: Record<string, string[]>;
  item: Record<string, Map<number, unknown>>;
}
export interface Delete {
  table: Table;
  key: Key;
}

/** To be carried out in this order: deletes, puts, updates. No row is in both of the last two. */
export interface Changes {
  deletes: Delete[];
  puts: Put[];
  updates: Update[];
}

export function coalesce(writes: readonly Write[]): Changes {
  const deletes = new Map<string, Delete>();
  const puts = new Map<string, Put>();
  const updates = new Map<string, Update>();
  for (const write of writes) {
    const { table } = write;
    const key = exactKey(write.key);
    const id = JSON.stringify([table, key]);
    if (write.kind === 'delete') {
      puts.delete(id);
      updates.delete(id);
      deletes.set(id, { table, key });
    } else if (write.kind === 'put') {
      updates.delete(id);
      puts.set(id, { table, key, row: write.row });
    } else {
      const put = puts.get(id);
      if (put) put.row = updated(put.row, write);
      else
        updates.set(
          id,
          merged(updates.get(id) ?? { table, key, set: {}, add: {}, union: {}, item: {} }, write),
        );
    }
  }
  return { deletes: [...deletes.values()], puts: [...puts.values()], updates: [...updates.values()] };
}

type UpdateWrite = Extract<Write, { kind: 'update' }>;

/** The row after the update; the given one stays as it is. */
function updated(row: Row, { set = {}, add = {}, union = {}, item = {} }: UpdateWrite): Row {
  const next: Row = { ...row };
  for (const [field, value] of Object.entries(set)) if (value !== undefined) next[field] = value;
  for (const [path, amount] of Object.entries(add)) {
    const [field = '', inner] = path.split('.');
    if (inner === undefined) next[field] = Number(next[field] ?? 0) + amount;
    else {
      const tally = (next[field] ?? {}) as Record<string, number>;
      next[field] = { ...tally, [inner]: (tally[inner] ?? 0) + amount };
    }
  }
  for (const [field, value] of Object.entries(union)) {
    const list = (next[field] ?? []) as string[];
    if (!list.includes(value)) next[field] = [...list, value];
  }
  for (const [field, { index, value }] of Object.entries(item)) {
    next[field] = ((next[field] ?? []) as unknown[]).with(index, value);
  }
  return next;
}

/** Both updates as one; it says: first `set`, then the others. */
function merged(update: Update, { set = {}, add = {}, union = {}, item = {} }: UpdateWrite): Update {
  for (const [field, value] of Object.entries(set)) {
    if (value === undefined) continue;
    update.set[field] = value;
    // What was added to the old value is gone with it.
    delete update.union[field];
    delete update.item[field];
    for (const path of Object.keys(update.add)) if (path.split('.')[0] === field) delete update.add[path];
  }
  for (const [path, amount] of Object.entries(add)) update.add[path] = (update.add[path] ?? 0) + amount;
  for (const [field, value] of Object.entries(union)) {
    const values = (update.union[field] ??= []);
    if (!values.includes(value)) values.push(value);
  }
  for (const [field, { index, value }] of Object.entries(item))
    (update.item[field] ??= new Map()).set(index, value);
  return update;
}

/** Reduces the writes of a batch to one final change for each row, with the same result. */
import { SPARSE_COUNTS } from '#contract/tally.ts';
import { TriadError } from '../../base/errors.ts';
import { exactKey, idOf } from '../rows/row-codec.ts';
import type { Key, Row, Table, Write } from '../store.ts';

export interface RowKey {
  table: Table;
  key: Key;
}
/** The final row of a batch; null: deleted. */
export interface Change extends RowKey {
  row: Row | null;
}

/** Keys of the rows that must be read first: those whose first write is an update. */
export function rowsToRead(writes: readonly Write[]): RowKey[] {
  const first = new Map<string, RowKey | null>();
  for (const { kind, table, key: given } of writes) {
    const key = exactKey(given);
    const id = idOf(table, key);
    if (!first.has(id)) first.set(id, kind === 'update' ? { table, key } : null);
  }
  return [...first.values()].filter((place) => place !== null);
}

/**
 * `before` returns the rows that `rowsToRead` names. An update that finds no row throws, or is left out where rows may
 * be missing: `tolerant`.
 */
export function coalesce(writes: readonly Write[], before: (place: RowKey) => Row | null, tolerant = false): Change[] {
  const changes = new Map<string, Change>();
  for (const write of writes) {
    const { table } = write;
    const key = exactKey(write.key);
    const id = idOf(table, key);
    if (write.kind === 'update') {
      const change = changes.get(id);
      const row = change ? change.row : before({ table, key });
      if (!row && (tolerant || write.isOptional)) continue;
      if (!row) throw new TriadError('store_failed', `The store refused a write: there is no ${id} to change`);
      changes.set(id, { table, key, row: updated(row, write) });
    } else changes.set(id, { table, key, row: write.kind === 'put' ? write.row : null });
  }
  return [...changes.values()];
}

type Update = Extract<Write, { kind: 'update' }>;

/** A copy of the row with the update applied: `set` first, then the others. */
function updated(
  row: Row,
  { table, set = {}, initial = {}, add = {}, union = {}, item = {}, append = {} }: Update,
): Row {
  const next: Row = { ...row };
  for (const [field, value] of Object.entries(initial)) if ((next[field] ?? '') === '') next[field] = value;
  for (const [field, value] of Object.entries(set)) if (value !== undefined) next[field] = value;
  for (const [path, amount] of Object.entries(add)) {
    const [field = '', inner, ...deeper] = path.split('.');
    const value = next[field];
    if (inner === undefined) next[field] = number(table, path, value) + amount;
    else {
      const tally = (typeof value === 'object' ? value : null) as Row | null;
      if (deeper.length > 0) throw unfit(table, path);
      next[field] = { ...tally, [inner]: number(table, path, tally?.[inner] ?? absent(inner)) + amount };
    }
  }
  for (const [field, value] of Object.entries(union)) {
    const values = list(table, field, next[field]);
    if (!values.includes(value)) next[field] = [...values, value];
  }
  for (const [field, { index, value }] of Object.entries(item)) {
    const values = list(table, field, next[field] ?? []);
    next[field] = index === values.length ? [...values, value] : values.with(index, value);
  }
  for (const [field, value] of Object.entries(append)) next[field] = [...list(table, field, next[field] ?? []), value];
  return next;
}

/** A count that a sum leaves out where it is 0. */
function absent(count: string): 0 | undefined {
  return SPARSE.has(count) ? 0 : undefined;
}

const SPARSE: ReadonlySet<string> = new Set<string>(SPARSE_COUNTS);

function number(table: Table, path: string, value: unknown): number {
  if (typeof value !== 'number') throw unfit(table, path);
  return value;
}

function list(table: Table, field: string, value: unknown): unknown[] {
  if (!Array.isArray(value)) throw unfit(table, field);
  return value;
}

function unfit(table: Table, field: string): TriadError {
  return new TriadError('internal', `The field "${field}" of ${table} cannot be changed in this way.`);
}

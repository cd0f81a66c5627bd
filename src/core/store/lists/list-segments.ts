/**
 * The stored form of the lists. `workflow_index` has one row for each workflow that has ended, with its entries in both
 * lists. Entries of many workflows become a segment: the columns that a list is sorted and bounded by, and for each term
 * the entries that have it. A list reads the segments, and the rows that are in no segment yet.
 */
import { randomBytes } from 'node:crypto';
import type { Database } from '../database.ts';
import { frameOf, textOf } from '../rows/frame.ts';
import { readIds, selectRecords } from '../rows/readable-rows.ts';
import { sortKeyOfId } from '../rows/row-codec.ts';
import type { Row } from '../store.ts';
import { type PackedFigures, packFigures, unpackFigures } from './figures.ts';
import type { Figure, ListEntry, ListName } from './listing.ts';

const LISTS = ['workflow', 'execution'] as const satisfies ListName[];
/** Columns of eight bytes for each entry of a segment. */
const COLUMNS = ['createdAt', 'cost', 'tokens', 'duration'] as const satisfies ('createdAt' | Figure)[];
export type Column = (typeof COLUMNS)[number];
/** Bytes of an id. */
export const ID_BYTES = 16;
/** Workflows of a segment. */
const SEGMENT_WORKFLOWS = 256;

export type Entries = Record<ListName, ListEntry[]>;

/** The part of a row of `workflow_index` that the search writes. */
interface SearchState {
  segmented: string;
  segments: string[];
}

/** A row of `workflow_index`. */
export interface IndexedWorkflow extends SearchState {
  id: string;
  entries: Entries;
  /** Whether its conversation is outside of the trash. */
  isListed: boolean;
  /** Null: its entries are in no segment. */
  segment: string | null;
}

/** Statements of a transaction and their parameters. */
export interface Statements {
  sql: string;
  values: Row;
}

export function encodeEntries(entries: Entries): string {
  return JSON.stringify(entries, (key, value: unknown) =>
    key === 'figures' ? packFigures(value as ListEntry['figures']) : value,
  );
}

function decodeEntries(json: string): Entries {
  const entries = JSON.parse(json) as Entries;
  for (const list of LISTS)
    for (const entry of entries[list]) entry.figures = unpackFigures(entry.figures as unknown as PackedFigures);
  return entries;
}

/** The rows of these workflows that exist, by id. */
export async function readIndexed(database: Database, ids: readonly string[]): Promise<Map<string, IndexedWorkflow>> {
  const records = ids.map((id) => database.record('workflow_index', id));
  type Stored = { id: { id: string }; entries: string; listed: boolean; segment?: string } & SearchState;
  const rows = await selectRecords<Stored>(database, records);
  return new Map(
    rows.map(({ id: { id }, entries, listed, segment = null, segmented, segments }) => [
      id,
      { id, entries: decodeEntries(entries), isListed: listed, segment, segmented, segments },
    ]),
  );
}

/** The entries of workflows that are in no segment, newest first. */
export async function readUnsegmented(database: Database): Promise<Entries[]> {
  const [found] = (await database.query(`SELECT VALUE entries ${UNSEGMENTED}`)) as [string[]];
  return found.map(decodeEntries);
}

/** The entries of all workflows outside of the trash, one row at a time, without those that cannot be read. */
export async function readEachIndexed(database: Database): Promise<Entries[]> {
  const rows = await readIndexed(database, await readIds(database, 'workflow_index'));
  return [...rows.values()].filter(({ isListed }) => isListed).map(({ entries }) => entries);
}

const UNSEGMENTED = "FROM workflow_index WITH INDEX waiting WHERE waits = 'list' AND newest > ''";

/** Writes one segment of the oldest rows if enough are in none; returns false if not. */
export async function writeListSegment(database: Database, enough = SEGMENT_WORKFLOWS): Promise<boolean> {
  const [ids] = (await database.query(`SELECT VALUE record::id(id) ${UNSEGMENTED}`)) as [string[]];
  if (ids.length < enough) return false;
  const rows = [...(await readIndexed(database, ids.slice(-enough))).values()];
  const all = LISTS.map((list) => [list, sortEntries(rows.flatMap(({ entries }) => entries[list]))] as const);
  const places = all.flatMap(([, [newest]]) => (newest ? [sortKeyOfId(newest.id)] : [])).sort();
  // The newest entry may be in an earlier segment that has lost it since.
  const place = `${places[0] ?? ''}-${randomBytes(4).toString('hex')}`;
  const made = all.filter(([, entries]) => entries.length > 0);
  const segments = made.map(([list, entries]) => ({ id: [list, place], list, place, ids: encodeIds(entries) }));
  const columns = made.flatMap(([list, entries]) => encodeColumns(list, place, entries));
  const terms = made.flatMap(([, entries]) => encodeTerms(place, entries));
  const insert = ['list_segment $segments', 'list_column $columns', 'list_term $terms']
    .map((rows) => `INSERT INTO ${rows} RETURN NONE;`)
    .join('\n');
  await database.transaction(
    `${segments.length === 0 ? '' : insert}
    UPDATE $rows SET segment = $place, waits -= 'list' RETURN NONE;`,
    { segments, columns, terms, place, rows: rows.map(({ id }) => database.record('workflow_index', id)) },
  );
  return true;
}

function sortEntries(entries: ListEntry[]): ListEntry[] {
  return entries.sort((a, b) => (a.id > b.id ? -1 : 1));
}

function encodeIds(entries: readonly ListEntry[]): Buffer {
  return Buffer.from(entries.map(({ id }) => id.replaceAll('-', '')).join(''), 'hex');
}

function encodeColumns(list: ListName, place: string, entries: readonly ListEntry[]): Row[] {
  const columns = COLUMNS.map((column) => ({
    id: [`${list}.${column}`, place],
    bytes: bytesOf(new Float64Array(entries.map((entry) => entry[column]))),
  }));
  const figures = entries.map((entry) => packFigures(entry.figures));
  return [...columns, { id: [`${list}.${FIGURES}`, place], bytes: encodeFigures(figures) }];
}

/** The column with the figures of the entries. */
export const FIGURES = 'figures';

function encodeFigures(figures: readonly (PackedFigures | null)[]): Uint8Array {
  return frameOf(JSON.stringify(figures));
}

function encodeTerms(place: string, entries: readonly ListEntry[]): Row[] {
  const numbers = new Map<string, number[]>();
  for (const [number, { terms }] of entries.entries())
    for (const term of terms) {
      const own = numbers.get(term);
      if (own) own.push(number);
      else numbers.set(term, [number]);
    }
  return [...numbers].map(([term, own]) => ({ id: [term, place], term, place, entries: encodeNumbers(own) }));
}

function encodeNumbers(numbers: Iterable<number>): Uint8Array {
  return bytesOf(new Uint32Array(numbers));
}

/** Numbers of the entries of a segment that have a term, in order. */
export function decodeNumbers(stored: unknown): Uint32Array<ArrayBuffer> {
  return new Uint32Array(stored as ArrayBuffer);
}

function bytesOf({ buffer }: Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer>): Uint8Array {
  return new Uint8Array(buffer);
}

/** The id of an entry; null for an entry that was removed. The first bytes of an id are the time of its creation. */
export function decodeId(ids: Buffer, number: number): string | null {
  if (ids.readUInt32BE(number * ID_BYTES) === 0) return null;
  const hex = ids.toString('hex', number * ID_BYTES, (number + 1) * ID_BYTES);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** The value of a removed entry in every column. */
export const REMOVED = -1;

/** The figures of each entry of a segment, by number; null for an entry that was removed. */
export function decodeFigures(frame: unknown): (PackedFigures | null)[] {
  return JSON.parse(textOf(frame)) as (PackedFigures | null)[];
}

/** Statements that remove the entries of workflows from their segments. */
export async function removeFromSegments(
  database: Database,
  workflows: readonly IndexedWorkflow[],
): Promise<Statements> {
  const emptied: unknown[] = [];
  const changed = { list_segment: [] as Row[], list_column: [] as Row[], list_term: [] as Row[] };
  for (const [place, own] of Map.groupBy(workflows, ({ segment }) => segment)) {
    for (const list of place === null ? [] : LISTS) {
      const entries = own.flatMap((workflow) => workflow.entries[list]);
      const record = database.record('list_segment', [list, String(place)]);
      const [segment] = await selectRecords<Row & { ids: ArrayBuffer }>(database, [record]);
      if (!segment || entries.length === 0) continue;
      const ids = Buffer.from(segment.ids);
      const removed = removeIds(ids, entries);
      const names = [...COLUMNS, FIGURES].map((column) => `${list}.${column}`);
      const columns = names.map((name) => database.record('list_column', [name, String(place)]));
      if (ids.every((byte) => byte === 0)) emptied.push(record, ...columns);
      else {
        changed.list_segment.push({ ...segment, ids });
        for (const { id, bytes } of await selectRecords<ColumnRow>(database, columns))
          changed.list_column.push({ id, bytes: removeNumbers(id.id[0], bytes, removed) });
      }
      const terms = new Set(entries.flatMap((entry) => entry.terms));
      const records = [...terms].map((term) => database.record('list_term', [term, String(place)]));
      for (const row of await selectRecords<Row & { entries: ArrayBuffer }>(database, records)) {
        const left = decodeNumbers(row.entries).filter((number) => !removed.has(number));
        if (left.length === 0) emptied.push(row.id);
        else changed.list_term.push({ ...row, entries: encodeNumbers(left) });
      }
    }
  }
  const values = { list_segment: 'ids', list_column: 'bytes', list_term: 'entries' } as const;
  const statements = (Object.keys(values) as (keyof typeof values)[]).map((table) =>
    changed[table].length === 0
      ? ''
      : `INSERT INTO ${table} $${table} ON DUPLICATE KEY UPDATE ${values[table]} = $input.${values[table]} RETURN NONE;`,
  );
  const sql = [...statements, emptied.length === 0 ? '' : 'DELETE $emptied RETURN NONE;'].join('\n');
  return { sql, values: { ...changed, emptied } };
}

/** A row of `list_column`. */
export interface ColumnRow {
  id: { id: [name: string, place: string] };
  bytes: ArrayBuffer;
}

/** Fills the ids of the entries with zeros; returns the numbers of the entries. */
function removeIds(ids: Buffer, entries: readonly ListEntry[]): ReadonlySet<number> {
  const gone = new Set(entries.map(({ id }) => id));
  const removed = new Set<number>();
  for (let number = 0; number < ids.length / ID_BYTES; number += 1) {
    if (!gone.has(decodeId(ids, number) ?? '')) continue;
    ids.fill(0, number * ID_BYTES, (number + 1) * ID_BYTES);
    removed.add(number);
  }
  return removed;
}

/** The column without the values of some entries. */
function removeNumbers(name: string, bytes: ArrayBuffer, removed: ReadonlySet<number>): Uint8Array {
  if (name.endsWith(`.${FIGURES}`))
    return encodeFigures(decodeFigures(bytes).map((figures, number) => (removed.has(number) ? null : figures)));
  return bytesOf(new Float64Array(bytes).map((value, number) => (removed.has(number) ? REMOVED : value)));
}

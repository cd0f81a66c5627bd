/** Reads a list in any order, with any filter: entries of unfinished workflows, of those in no segment, and segments. */
import type { WorkflowSort } from '#contract/list-filter.ts';
import type { Database } from '../database.ts';
import { StoreDamaged } from '../faults.ts';
import { sortKeyOfId } from '../rows/row-codec.ts';
import { type Figures, unpackFigures } from './figures.ts';
import {
  type Column,
  type ColumnRow,
  decodeFigures,
  decodeId,
  decodeNumbers,
  type Entries,
  FIGURES,
  ID_BYTES,
  readEachIndexed,
  readUnsegmented,
  REMOVED,
} from './list-segments.ts';
import {
  type EntryBounds,
  type Figure,
  getKeyValue,
  getSortKey,
  type ListEntry,
  type ListName,
  makeBoundsCheck,
  makeFilterCheck,
} from './listing.ts';

/** A list with a filter. */
export interface Listing {
  list: ListName;
  /** Terms that a matching entry has. */
  wanted: readonly string[];
  /** The entries of unfinished workflows: the index has none of them, or an older one. */
  live: readonly ListEntry[];
}

export interface ListQuery extends EntryBounds {
  limit: number;
  before?: string | undefined;
  sort?: WorkflowSort | undefined;
}

/** An entry that matches. */
export interface ListHit {
  id: string;
  /** The cursor behind it. */
  key: string;
  createdAt: number;
  /** Null if they were not requested. */
  figures: Figures | null;
}

/** Segments of the first read of a list that is read newest first, and most of one read. */
const FIRST_SEGMENTS = 2;
const MAX_SEGMENTS = 512;
/** Segments at which reading all of them costs less than reading each by its key. */
const MANY_SEGMENTS = 64;
/** Largest difference between the time in an id and the times of its entry, in milliseconds. */
const SKEW_MS = 60_000;

/** One more than the limit, if there are more. Call while nothing writes the index. */
export async function readList(
  database: Database,
  listing: Listing,
  query: ListQuery,
  { figures = false } = {},
): Promise<ListHit[]> {
  const { sort = 'newest', before = '', limit } = query;
  const running = new Set(listing.live.map(({ id }) => id));
  const matches = makeFilterCheck(listing.wanted, query);
  const select = (rows: readonly Entries[]): ListHit[] =>
    [...listing.live, ...rows.flatMap((entries) => entries[listing.list]).filter(({ id }) => !running.has(id))]
      .filter(matches)
      .map((entry) => ({ ...entry, key: getSortKey(entry, sort) }));
  const search = { database, listing, query, running, count: limit + 1, figures };
  const read = async (): Promise<ListHit[]> => {
    const own = select(await readUnsegmented(database));
    return [...own, ...(await (sort === 'newest' ? findNewest(search) : findGreatest(search, sort)))];
  };
  const hits = await read().catch(async (error: unknown) => {
    if (!(error instanceof StoreDamaged)) throw error;
    // A damaged segment has the entries of many workflows, which each have a row of their own, too.
    return select(await readEachIndexed(database));
  });
  return hits
    .filter(({ key }) => key > before)
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .slice(0, limit + 1);
}

interface SegmentSearch {
  database: Database;
  listing: Listing;
  query: ListQuery;
  running: ReadonlySet<string>;
  count: number;
  figures: boolean;
}

async function findNewest({ database, listing, query, running, count, figures }: SegmentSearch): Promise<ListHit[]> {
  const { from } = query;
  const isWithin = makeBoundsCheck(query);
  const columns = getBoundColumns(query);
  if (figures) columns.add('createdAt');
  const last = from === undefined ? null : getPlaceOfTime(Date.parse(from) - SKEW_MS);
  const cursor = decodeCursor(query);
  const hits: ListHit[] = [];
  for await (const { segments, end } of readNewestSegments(database, listing, ['ids', ...columns])) {
    const found: { place: string; number: number; hit: ListHit }[] = [];
    for (const { place, ids, numbers, createdAt: times, cost } of segments) {
      const size = numbers?.length ?? ids.length / ID_BYTES;
      for (let at = 0; at < size; at += 1) {
        const number = numbers?.[at] ?? at;
        if (cursor && compareId(ids, number, cursor) >= 0) continue;
        const createdAt = times?.[number] ?? 0;
        if (!isWithin(createdAt, cost?.[number] ?? 0)) continue;
        const id = decodeId(ids, number);
        if (id === null || running.has(id)) continue;
        found.push({ place, number, hit: { id, key: sortKeyOfId(id), createdAt, figures: null } });
      }
    }
    const sums = figures ? await readFigures(database, listing.list, new Set(found.map(({ place }) => place))) : null;
    for (const { place, number, hit } of found) {
      const packed = sums?.get(place)?.[number];
      hits.push(packed ? { ...hit, figures: unpackFigures(packed) } : hit);
    }
    // Every entry of a later segment sorts behind the place of the last one.
    if (end === null || (last !== null && end > last)) break;
    if (hits.filter(({ key }) => key < end).length >= count) break;
  }
  return hits;
}

async function readFigures(database: Database, list: ListName, places: ReadonlySet<string>) {
  const rows = await readColumn(database, `${list}.${FIGURES}`, [...places]);
  return new Map(rows.map(({ id, bytes }) => [id.id[1], decodeFigures(bytes)]));
}

/** The columns that dates and costs are checked with. */
function getBoundColumns({ from, to, minCostUsd }: EntryBounds): Set<Column> {
  return new Set<Column>([
    ...(from === undefined && to === undefined ? [] : (['createdAt'] as const)),
    ...(minCostUsd === undefined ? [] : (['cost'] as const)),
  ]);
}

/** The id of the entry before the page. */
function decodeCursor({ before = '' }: ListQuery): Buffer | null {
  const place = before.slice(-ID_LENGTH);
  return place === '' ? null : Buffer.from(sortKeyOfId(place).replaceAll('-', ''), 'hex');
}

/** Length of an id as text. */
const ID_LENGTH = 36;

function compareId(ids: Buffer, number: number, id: Buffer): number {
  return ids.compare(id, 0, ID_BYTES, number * ID_BYTES, (number + 1) * ID_BYTES);
}

/** Reads the ids of the segments with the greatest values only: ids are most of what a list would read. */
async function findGreatest(
  { database, listing, query, running, count }: SegmentSearch,
  sort: Figure,
): Promise<ListHit[]> {
  const { before = '' } = query;
  const cursor = decodeCursor(query);
  const most = cursor ? getKeyValue(before) : Infinity;
  const isWithin = makeBoundsCheck(query);
  const columns = [...getBoundColumns(query).add(sort)];
  const segments = await readAllSegments(database, listing, columns);
  const visit = (take: (value: number, place: string, number: number) => void) => {
    for (const { place, numbers, createdAt, cost, ...own } of segments) {
      const column = sort === 'cost' ? cost : own[sort];
      const size = numbers?.length ?? column?.length ?? 0;
      for (let at = 0; at < size; at += 1) {
        const number = numbers?.[at] ?? at;
        const value = column?.[number] ?? REMOVED;
        if (value !== REMOVED && value <= most && isWithin(createdAt?.[number] ?? 0, cost?.[number] ?? 0))
          take(value, place, number);
      }
    }
  };
  const greatest = new Greatest(count + running.size);
  // Entries with the value of the cursor may be before it, so they are not counted.
  visit((value) => value < most && greatest.add(value));
  const found: { value: number; place: string; number: number }[] = [];
  visit((value, place, number) => value >= greatest.least && found.push({ value, place, number }));
  const places = new Map(found.map(({ place }) => [place, null]));
  const ids = new Map((await readSegments(database, listing.list, ['ids'], places)).map((row) => [row.place, row.ids]));
  return found.flatMap(({ value, place, number }) => {
    const own = ids.get(place);
    if (!own || (cursor && value === most && compareId(own, number, cursor) >= 0)) return [];
    const entry = { id: decodeId(own, number) ?? '', cost: value, tokens: value, duration: value };
    return running.has(entry.id) ? [] : [{ id: entry.id, key: getSortKey(entry, sort), createdAt: 0, figures: null }];
  });
}

/** The greatest of the values that are added. */
class Greatest {
  /** The least of them; -Infinity while there are fewer than `count`. */
  least = -Infinity;
  readonly #count: number;
  #values: number[] = [];

  constructor(count: number) {
    this.#count = count;
  }

  add(value: number): void {
    if (value <= this.least) return;
    this.#values.push(value);
    if (this.#values.length < 2 * this.#count) return;
    this.#values = this.#values.sort((a, b) => b - a).slice(0, this.#count);
    this.least = this.#values.at(-1) ?? -Infinity;
  }
}

interface Segment extends Partial<Record<Column, Float64Array>> {
  place: string;
  /** Empty if they were not read. */
  ids: Buffer;
  /** The entries that have all wanted terms; null: all entries. */
  numbers: Uint32Array | null;
}

interface TermRow {
  place: string;
  entries: ArrayBuffer;
}

type Filter = Pick<Listing, 'list' | 'wanted'>;

/** The segments with matching terms in growing parts, newest first; `end`: place of the last one read, null: no more. */
async function* readNewestSegments(
  database: Database,
  { list, wanted }: Filter,
  columns: readonly (Column | 'ids')[],
): AsyncGenerator<{ segments: Segment[]; end: string | null }> {
  const [term] = wanted;
  // Segments with several terms may be rare among those with one of them.
  const found = wanted.length > 1 ? [...(await findPlaces(database, wanted))] : null;
  let after = '';
  for (let count = FIRST_SEGMENTS; ; count = Math.min(MAX_SEGMENTS, count * 2)) {
    const read = async <T>(fields: string, from: string): Promise<T[]> => {
      const sql = `SELECT ${fields} FROM ${from} AND place > $after LIMIT $count`;
      return (await database.query(sql, { list, term, after, count }))[0] as T[];
    };
    let places: [string, Uint32Array | null][];
    if (found) places = found.splice(0, count);
    else if (term === undefined) {
      const rows = await read<string>('VALUE place', 'list_segment WITH INDEX newest WHERE list = $list');
      places = rows.map((place) => [place, null]);
    } else {
      const rows = await read<TermRow>('place, entries', 'list_term WITH INDEX newest WHERE term = $term');
      places = rows.map(({ place, entries }) => [place, decodeNumbers(entries)]);
    }
    const segments = await readSegments(database, list, columns, new Map(places));
    const end = places.length < count ? null : (places.at(-1)?.[0] ?? null);
    yield { segments, end };
    if (end === null) return;
    after = end;
  }
}

/** All segments with matching terms. */
async function readAllSegments(
  database: Database,
  { list, wanted }: Filter,
  columns: readonly Column[],
): Promise<Segment[]> {
  return readSegments(database, list, columns, wanted.length === 0 ? null : await findPlaces(database, wanted));
}

/** The entries that have all terms, newest segment first. */
async function findPlaces(database: Database, terms: readonly string[]): Promise<Map<string, Uint32Array>> {
  let places: Map<string, Uint32Array> | null = null;
  for (const term of terms) {
    const sql = 'SELECT place, entries FROM list_term:[$term, NONE]..[$term, ..]';
    const [rows] = (await database.query(sql, { term })) as [TermRow[]];
    const both = new Map<string, Uint32Array>();
    for (const { place, entries } of rows) {
      const numbers = decodeNumbers(entries);
      const before: Uint32Array | undefined = places?.get(place);
      if (!places) both.set(place, numbers);
      if (!before) continue;
      const own = new Set(numbers);
      const left = before.filter((number) => own.has(number));
      if (left.length > 0) both.set(place, left);
    }
    places = both;
  }
  return places ?? new Map();
}

/** `places`: in order; null for all entries. */
async function readSegments(
  database: Database,
  list: ListName,
  columns: readonly (Column | 'ids')[],
  places: ReadonlyMap<string, Uint32Array | null> | null,
): Promise<Segment[]> {
  const wanted = places && [...places.keys()];
  const segments = new Map<string, Segment>();
  const getSegment = (place: string): Segment => {
    const segment = segments.get(place) ?? { place, ids: Buffer.alloc(0), numbers: places?.get(place) ?? null };
    segments.set(place, segment);
    return segment;
  };
  for (const column of columns) {
    if (column === 'ids')
      for (const { place, ids } of await readIds(database, list, wanted)) getSegment(place).ids = Buffer.from(ids);
    else
      for (const { id, bytes } of await readColumn(database, `${list}.${column}`, wanted))
        getSegment(id.id[1])[column] = new Float64Array(bytes);
  }
  const found = [...segments.values()].filter(({ place }) => places === null || places.has(place));
  // A scan ends at a damaged block without an error.
  if (found.some((segment) => columns.some((column) => !segment[column]?.length)) || found.length < (places?.size ?? 0))
    throw new StoreDamaged(null, 'a segment of a list is incomplete');
  return found;
}

/** Sorts after every place. */
const LAST_PLACE = '~';

/** Also the rows between the places, which are in order, if there are many places. */
async function readIds(database: Database, list: ListName, places: readonly string[] | null) {
  return readRows<{ place: string; ids: ArrayBuffer }>(database, ['list_segment', list], places);
}

async function readColumn(database: Database, name: string, places: readonly string[] | null): Promise<ColumnRow[]> {
  return readRows<ColumnRow>(database, ['list_column', name], places);
}

async function readRows<T>(
  database: Database,
  [table, name]: [table: 'list_segment' | 'list_column', name: string],
  places: readonly string[] | null,
): Promise<T[]> {
  const select = async (from: string, values: Record<string, unknown>): Promise<T[]> =>
    ((await database.query(`SELECT * FROM ${from}`, values)) as [T[]])[0];
  if (places?.length === 0) return [];
  if (places !== null && places.length < MANY_SEGMENTS)
    return select('$records', { records: places.map((place) => database.record(table, [name, place])) });
  const values = { name, first: places?.[0] ?? '', last: places?.at(-1) ?? LAST_PLACE };
  return select(`${table}:[$name, $first]..=[$name, $last]`, values);
}

/** The sort key of ids made at that time. */
function getPlaceOfTime(ms: number): string {
  return sortKeyOfId(getIdOfTime(ms));
}

/** The prefix of ids made at that time. */
function getIdOfTime(ms: number): string {
  const hex = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** An id that sorts after all ids made up to the instant. */
export function getIdAfter(at: string): string {
  return getIdOfTime(Date.parse(at) + SKEW_MS);
}

/**
 * What a run said, called and asked the model for, as a few rows: each row costs the engine more than its content.
 * `run_part:[run, n]` has a line for each kind, a JSON list of rows: the entries from number `n` up to where the next part
 * begins, whenever they come (the results of a message may be stored before it), and the calls and requests that changed
 * while it was the newest, so of two with the same key the one in the later part counts.
 */
import type { RowKey, Table } from '#contract/rows.ts';
import type { Database } from '../database.ts';
import { frameOf, textOf } from './frame.ts';
import { StoreDamaged } from '../faults.ts';
import { queryEach } from './query-each.ts';
import { selectRange } from './readable-rows.ts';
import { compare } from './reader.ts';
import { exactKey } from './row-codec.ts';
import type { Row } from '../store.ts';

/** The kinds, in the order of their lines. */
export const KINDS = ['message', 'tool_call', 'model_request'] as const;
export type Kind = (typeof KINDS)[number];

/** Most entries of a part, so that a range of entries is a bounded range of rows. */
const PART_ENTRIES = 64;
/** Characters at which a part is full. */
const PART_CHARS = 64 * 1024;

export function isKind(table: Table): table is Kind {
  return (KINDS as readonly Table[]).includes(table);
}

/** The run in whose parts a row is; the row has to name it where its key does not. */
export function runOf(kind: Kind, key: RowKey, row: Row): string {
  return kind === 'model_request' ? String(row.runId) : String(key[0]);
}

/** A part that is being filled. */
export class Part {
  readonly first: number;
  readonly #rows: Readonly<Record<Kind, Map<string, string>>>;
  #chars = 0;
  #last = -1;

  /** `stored`: its frame; null for a new one. */
  constructor(first: number, stored: unknown = null) {
    this.first = first;
    this.#rows = { message: new Map(), tool_call: new Map(), model_request: new Map() };
    if (stored === null) return;
    for (const kind of KINDS)
      for (const row of rowsIn(kind, textOf(stored))) this.put(kind, String(exactKey(['', nameIn(kind, row)])[1]), row);
  }

  /** The part with which an entry of this number begins; null where it still has its place in this one. */
  next(n: number): Part | null {
    // One that comes late stays between its neighbours.
    if (n <= this.#last) return null;
    const ahead = n - this.first;
    // Others before it may still come, so where a part is full of entries does not go by who comes first.
    if (ahead >= PART_ENTRIES) return new Part(this.first + ahead - (ahead % PART_ENTRIES));
    return this.#chars >= PART_CHARS && this.#last >= 0 ? new Part(n) : null;
  }

  /** `name`: the exact one of its key. */
  put(kind: Kind, name: string, row: Row): void {
    const json = JSON.stringify(row);
    this.#chars += json.length - (this.#rows[kind].get(name)?.length ?? 0);
    this.#rows[kind].set(name, json);
    if (kind === 'message') this.#last = Math.max(this.#last, numberOf(row));
  }

  frame(): Uint8Array {
    return frameOf(KINDS.map((kind) => `[${[...this.#rows[kind].values()].join(',')}]`).join('\n'));
  }
}

/** What tells a row from the others of its run and kind. */
function nameIn(kind: Kind, row: Row): number | string {
  return kind === 'message' ? numberOf(row) : String(kind === 'tool_call' ? row.toolCallId : row.requestId);
}

const numberOf = (row: Row): number => (row.entry as { n: number }).n;

/** The rows of one line. JSON has no line breaks. */
function rowsIn(kind: Kind, text: string): Row[] {
  return JSON.parse(text.split('\n', KINDS.length)[KINDS.indexOf(kind)] ?? '[]') as Row[];
}

/** None where the part is not what was written. */
function textIn(frame: unknown): string[] {
  try {
    return [textOf(frame)];
  } catch {
    return [];
  }
}

/** Entries of a run from `from` to `to`, both included. */
export interface EntryRange {
  runId: string;
  from: number;
  to: number;
}

/** The rows of entries of each range, in order, as far as the engine gives them: a read ends at a damaged place. */
export async function entryRows(database: Database, ranges: readonly EntryRange[]): Promise<Row[][]> {
  if (ranges.length === 0) return [];
  const found = await entriesFrom(database, ranges, PART_ENTRIES - 1);
  // The part before may lie in a block that cannot be read, and end the range before it begins.
  const empty = ranges.filter(({ from }, at) => from > 0 && found[at]?.length === 0);
  if (empty.length === 0) return found;
  const again = await entriesFrom(database, empty, 0);
  return ranges.map((range, at) => again[empty.indexOf(range)] ?? found[at] ?? []);
}

/** `before`: how far before the range its first part may begin. */
async function entriesFrom(database: Database, ranges: readonly EntryRange[], before: number): Promise<Row[][]> {
  const found = await queryEach(database, ranges, ({ runId, from, to }, bind) => {
    const [run, last] = [bind(runId), bind(to)];
    const parts = `run_part:[${run}, ${bind(from - before)}]..=[${run}, ${last}]`;
    // One entry is in the last of them.
    const one = `(SELECT id, text FROM ${parts} ORDER BY id DESC LIMIT 1)`;
    return [`SELECT VALUE text FROM ${from === to ? one : parts}`];
  }).catch(async (error: unknown) => {
    if (!(error instanceof StoreDamaged)) throw error;
    const range = 'run_part:[$runId, $first]..=[$runId, $to]';
    const select = async ({ runId, from, to }: EntryRange) =>
      selectRange(database, 'VALUE text', range, { runId, first: from - before, to });
    return Promise.all(ranges.map(async (one) => [await select(one)]));
  });
  return ranges.map(({ from, to }, at) => {
    const [frames] = found[at] as [unknown[]];
    const rows = newest('message', frames.flatMap(textIn));
    return rows.filter((row) => numberOf(row) >= from && numberOf(row) <= to);
  });
}

/** The rows of these kinds by run, each in the order of their keys. */
export async function rowsOfRuns<K extends Kind>(
  database: Database,
  kinds: readonly K[],
  runIds: readonly string[],
): Promise<Map<string, Record<K, Row[]>>> {
  const runs = [...new Set(runIds)];
  const found = await queryEach(database, runs, (runId, bind) => {
    const run = bind(runId);
    return [`SELECT VALUE text FROM run_part:[${run}, NONE]..[${run}, ..]`];
  }).catch(async (error: unknown) => {
    if (!(error instanceof StoreDamaged)) throw error;
    const range = 'run_part:[$runId, NONE]..[$runId, ..]';
    return Promise.all(runs.map(async (runId) => [await selectRange(database, 'VALUE text', range, { runId })]));
  });
  return new Map(
    runs.map((run, at) => {
      const [frames] = found[at] as [unknown[]];
      const texts = frames.flatMap(textIn);
      const rows = kinds.map((kind) => [kind, newest(kind, texts)]);
      return [run, Object.fromEntries(rows) as Record<K, Row[]>];
    }),
  );
}

/** One row for each key, in order; the row of a later part replaces that of an earlier part. */
function newest(kind: Kind, texts: readonly string[]): Row[] {
  const rows = texts.flatMap((text) => rowsIn(kind, text));
  const all = [...new Map(rows.map((row) => [nameIn(kind, row), row])).values()];
  if (kind === 'message') return all.sort((a, b) => numberOf(a) - numberOf(b));
  return all.sort((a, b) => compare(String(nameIn(kind, a)), String(nameIn(kind, b))));
}

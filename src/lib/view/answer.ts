/** An answer of an MCP server that is a JSON value: as a table where it is a list of flat objects, else as a tree. */
import { mcpPartsOf } from './call-title.ts';
import type { Call } from './transcript.ts';

/** Rows that are shown; of the others their number is told. */
export const TABLE_ROWS = 200;
/** With more columns it is read more easily as a tree. */
const TABLE_COLUMNS = 12;

/** `rows`: a cell is null where the object has no such field. */
export interface Table {
  columns: string[];
  rows: (Scalar | null)[][];
  /** How many rows are left out. */
  more: number;
}
type Scalar = string | number | boolean;

/** `text`: what the model read, where that is not the same value in words; null where it is. */
export type Answer =
  | { kind: 'table'; table: Table; text: string | null }
  | { kind: 'json'; value: object; text: string | null };

/** Null for a call of another tool, and for an answer that is plain text. */
export function answerOf({ name, result }: Pick<Call, 'name' | 'result'>): Answer | null {
  if (mcpPartsOf(name) === null || result?.status !== 'completed') return null;
  const said = objectIn(result.output);
  const value = structuredOf(result.metadata['structured']) ?? said;
  if (value === null) return null;
  const text = said !== null && isSame(said, value) ? null : result.output;
  const table = tableOf(value);
  return table ? { kind: 'table', table, text } : { kind: 'json', value, text };
}

/** A list of flat objects, or an object that has nothing but one. */
export function tableOf(value: object): Table | null {
  const rows = Array.isArray(value) ? value : onlyField(value);
  if (!Array.isArray(rows) || rows.length === 0 || !rows.every(isFlat)) return null;
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (columns.length === 0 || columns.length > TABLE_COLUMNS) return null;
  return {
    columns,
    rows: rows.slice(0, TABLE_ROWS).map((row) => columns.map((name) => (Object.hasOwn(row, name) ? row[name]! : null))),
    more: Math.max(0, rows.length - TABLE_ROWS),
  };
}

/** The object or list that a text is, as JSON; null for any other text. */
export function objectIn(text: string): object | null {
  if (!/^\s*[{[]/.test(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Kept as the value, or as its JSON. */
function structuredOf(kept: unknown): object | null {
  if (typeof kept === 'string') return objectIn(kept);
  return isObject(kept) ? kept : null;
}

function onlyField(value: object): unknown {
  const fields: unknown[] = Object.values(value);
  return fields.length === 1 ? fields[0] : null;
}

function isFlat(row: unknown): row is Record<string, Scalar | null> {
  return isObject(row) && !Array.isArray(row) && Object.values(row).every((cell) => !isObject(cell));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Both came from JSON; the order of fields counts, which at worst shows the same twice. */
function isSame(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

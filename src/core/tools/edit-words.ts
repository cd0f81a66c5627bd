/** Tells the model what a person changed in its call: it must not go on believing that its own words ran. */
import { isDeepStrictEqual } from 'node:util';
import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from 'diff';

/** Longer texts, in UTF-16 code units, are not compared, and more changes than these are not listed. */
const MAX_COMPARED = 50_000;
const MAX_EDITS = 400;
/** A value up to this length stands on its line, before and after. */
const SHORT = 120;
/** Field that follows from the model, so its change is not listed. */
const DERIVED_FIELD = 'modelOrigin';

/** One line or block for each field that differs; null where nothing does. `edited` undefined: it was not edited. */
export function editWords(asked: unknown, edited: unknown): string | null {
  if (edited === undefined) return null;
  const found = changesOf('', asked, edited);
  return found.length === 0 ? null : found.join('\n');
}

function changesOf(path: string, before: unknown, after: unknown): string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (isRecordList(before) && isRecordList(after) && before.length === after.length)
    return before.flatMap((one, index) => changesOf(`${path}.${index}`, one, after[index]));
  if (isRecord(before) && isRecord(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((key) => key !== DERIVED_FIELD);
    return keys.flatMap((key) => changesOf(path === '' ? key : `${path}.${key}`, before[key], after[key]));
  }
  const name = path === '' ? 'input' : path;
  if (typeof before === 'string' && typeof after === 'string' && !(isShort(before) && isShort(after)))
    return [`${name}:\n${textChange(before, after)}`];
  return [`${name}: ${JSON.stringify(before) ?? 'not set'} → ${JSON.stringify(after) ?? 'not set'}`];
}

function textChange(before: string, after: string): string {
  const patch =
    before.length + after.length > MAX_COMPARED
      ? undefined
      : structuredPatch('asked', 'approved', before, after, undefined, undefined, { maxEditLength: MAX_EDITS });
  if (patch) return formatPatch(patch, FILE_HEADERS_ONLY).trimEnd();
  return `(${before.length} characters became ${after.length}: too many changes to list, read it anew)`;
}

const isShort = (text: string): boolean => text.length <= SHORT && !text.includes('\n');

const isRecordList = (value: unknown): value is Record<string, unknown>[] =>
  Array.isArray(value) && value.length > 0 && value.every(isRecord);

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

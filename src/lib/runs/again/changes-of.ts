/** The fields in which two JSON values differ; nested fields have dotted names. */
import { editDiff } from '#lib/ui/diff/edit-diff.ts';

export interface Change {
  field: string;
  before: string;
  after: string;
}

export function changesOf(before: unknown, after: unknown): Change[] {
  const old = flatten(before);
  const now = flatten(after);
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((field) => {
    const was = old.get(field) ?? '';
    const is = now.get(field) ?? '';
    return was === is ? [] : [{ field, before: was, after: is }];
  });
}

/** What differs in a text, as a unified diff; empty for what is one line before and after. */
export function linesOf({ before, after }: Pick<Change, 'before' | 'after'>): string {
  return `${before}${after}`.includes('\n') ? editDiff(before, after) : '';
}

/** Of two lists of names, as JSON, what each has and the other has not; null for what are no such lists. */
export function apart({ before, after }: Pick<Change, 'before' | 'after'>): [string[], string[]] | null {
  const [old, now] = [namesIn(before), namesIn(after)];
  return old && now ? [old.filter((name) => !now.includes(name)), now.filter((name) => !old.includes(name))] : null;
}

function namesIn(value: string): string[] | null {
  if (value === '') return [];
  if (!value.startsWith('[')) return null;
  try {
    const list: unknown = JSON.parse(value);
    return Array.isArray(list) && list.every((one) => typeof one === 'string') ? list : null;
  } catch {
    return null;
  }
}

function flatten(value: unknown, prefix = ''): Map<string, string> {
  // Each stage of a chain has its own fields.
  if (prefix === 'stages' && Array.isArray(value)) return flatten({ ...(value as unknown[]) }, prefix);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return new Map([[prefix, typeof value === 'string' ? value : (JSON.stringify(value) ?? '')]]);
  }
  return new Map(
    Object.entries(value).flatMap(([name, inner]) => [...flatten(inner, prefix === '' ? name : `${prefix}.${name}`)]),
  );
}

/** Keys and tokens that stand in files in the clear. */
import { parse } from 'smol-toml';
import { findKeyForms, type KeyRange } from '#core/base/key-forms.ts';
import { findPrivateKeys } from '#core/base/private-key-blocks.ts';
import { dotted } from '#core/settings/dotted-path.ts';
import { type Finding, keyFinder } from './finding.ts';

const TODO =
  'take it out and make a new one, for others may have read it; keep keys with "triad config key" or "triad mcp add --secret"';

/** Of a TOML text, by its keys; of any other, by its lines. */
export function clearKeys(file: string, text: string): Finding[] {
  if (file.endsWith('.toml')) return keysInToml(file, text) ?? keysInLines(file, text);
  return keysInLines(file, text);
}

const WHAT = 'looks like a key, which does not belong into a file';

function keysInToml(file: string, text: string): Finding[] | null {
  let table: unknown;
  try {
    table = parse(text);
  } catch {
    return null;
  }
  const say = keyFinder(file, text);
  return textsIn(table, [])
    .filter(({ value }) => findForms(value).length > 0)
    .map(({ path }) => say(dotted(path), WHAT, TODO));
}

function textsIn(value: unknown, path: readonly string[]): { path: readonly string[]; value: string }[] {
  if (typeof value === 'string') return [{ path, value }];
  if (Array.isArray(value)) return value.flatMap((one, index) => textsIn(one, [...path, String(index)]));
  if (typeof value !== 'object' || value === null) return [];
  // What is meant to stand there was said so beside it.
  const isMeant = 'in_file' in value && value.in_file === true;
  return Object.entries(value).flatMap(([key, one]: [string, unknown]) =>
    isMeant && key === 'api_key' ? [] : textsIn(one, [...path, key]),
  );
}

function keysInLines(file: string, text: string): Finding[] {
  const findings = new Map<number, Finding>();
  for (const { from } of findForms(text).sort((a, b) => a.from - b.from)) {
    const before = text.slice(0, from);
    const line = before.split('\n').length;
    const column = from - before.lastIndexOf('\n');
    if (!findings.has(line))
      findings.set(line, { file, line, column, level: 'warning', key: null, what: `this ${WHAT}`, todo: TODO });
  }
  return [...findings.values()];
}

function findForms(text: string): KeyRange[] {
  return [...findKeyForms(text), ...findPrivateKeys(text)];
}

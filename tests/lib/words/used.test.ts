/** Every word is shown somewhere: one that no screen reads is only more to translate. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { english } from '#lib/words/english.ts';

const ROOT = join(import.meta.dirname, '../../..');
const WORDS = join('lib', 'words');
const NAMES = /[\w$-]+/g;
/** As `text.chat.name`, `{ name }` or `'name'` read it. */
const READ = /(?:\.|['"`{,]\s*)([A-Za-z_$][\w$-]*)/g;
/** As `words.states[state]` reads all of a group. */
const READ_BY_VALUE = /\.([A-Za-z]\w*)(?:\?\.)?\[/g;
/** What a file of words makes of its own ones. */
const READ_IN_WORDS = /\.([A-Za-z_$][\w$-]*)/g;

/** Read whole: spread into another one, handed on, made a table of, or of use to the file that they stand in. */
const WHOLE: ReadonlySet<string> = new Set([
  'attention.labels',
  'history.requestsColumns',
  'history.timeline.causes',
  'settings.contrasts',
  'settings.textSizes',
  'settingsSearch',
]);

interface Source {
  names: ReadonlySet<string>;
  read: ReadonlySet<string>;
  byValue: ReadonlySet<string>;
}

function sourcesIn(folder: string): Source[] {
  const files = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }).filter(
    ({ name, parentPath }) => /\.(?:ts|svelte)$/.test(name) && !parentPath.endsWith(join(WORDS, 'fr')),
  );
  return files.map(({ name, parentPath }) => {
    const text = readFileSync(join(parentPath, name), 'utf8');
    const all = (pattern: RegExp) => new Set([...text.matchAll(pattern)].map(([whole, one]) => one ?? whole));
    const isWords = parentPath.endsWith(WORDS);
    return { names: all(NAMES), read: all(isWords ? READ_IN_WORDS : READ), byValue: all(READ_BY_VALUE) };
  });
}

/** The paths of all words, by the keys of their groups. */
function pathsOf(group: object, above: readonly string[] = []): string[][] {
  return Object.entries(group).flatMap(([key, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? pathsOf(value, [...above, key])
      : [[...above, key]],
  );
}

/** Whether a file reads it by name and names a group that it is in, or reads its group by values. */
function isRead(path: readonly string[], sources: readonly Source[]): boolean {
  const [key, groups] = [path.at(-1)!, path.slice(0, -1)];
  const parent = groups.at(-1);
  return sources.some(({ names, read, byValue }) => {
    if (parent !== undefined && byValue.has(parent)) return true;
    if (!read.has(key)) return false;
    return groups.length === 0 || groups.some((one) => names.has(one));
  });
}

test('every text is used by a screen', () => {
  const sources = ['src/lib', 'src/routes', 'electron'].flatMap(sourcesIn);
  const unread = pathsOf(english).filter((path) => !WHOLE.has(path.slice(0, -1).join('.')) && !isRead(path, sources));
  expect(unread.map((path) => path.join('.'))).toEqual([]);
});

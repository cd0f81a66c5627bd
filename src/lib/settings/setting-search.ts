/** What of the settings page is found by words: in its name, its description, its path and its value. Pure. */
import type { SettingRow } from '#contract/view.ts';
import { matchesIn, searchWordsOf } from '#lib/ui/text-matches.ts';

/** What of one thing is looked in; empty for what it has not. */
export interface Searched {
  label: string;
  description: string;
  path: string;
  value: string;
  /** Of its section and its group: found by them too, and not marked. */
  about: string;
  /** Other words for it, and what it is called in other languages: likewise. */
  also: string;
}

interface Range {
  start: number;
  end: number;
}
export type Marks = Readonly<Record<'label' | 'description' | 'path' | 'value', readonly Range[]>>;

export const NO_MARKS: Marks = { label: [], description: [], path: [], value: [] };

/** Without the marks of letters, and as long as before; those of ASCII have none. */
const plain = (text: string): string =>
  text.replace(/(?![A-Za-z])\p{L}/gu, (letter) => letter.normalize('NFD').charAt(0) || letter);

/** What is looked for: each of these words has to stand somewhere. */
export const wordsOf = (query: string): string[] => searchWordsOf(plain(query));

/** Where the words stand in each text; null where one of them stands in none. No words: nothing is found. */
export function marksOf(searched: Searched, words: readonly string[]): Marks | null {
  const find = (text: string, some: readonly string[]): Range[] =>
    matchesIn(plain(text), some).map(([start, end]) => ({ start, end }));
  const texts = Object.values(searched) as string[];
  const isSaid = (word: string): boolean => texts.some((text) => find(text, [word]).length > 0);
  if (words.length === 0 || !words.every(isSaid)) return null;
  const { label, description, path, value } = searched;
  return {
    label: find(label, words),
    description: find(description, words),
    path: find(path, words),
    value: find(value, words),
  };
}

/** The best first: it is called exactly so, begins so, has all of it in its name, is said so elsewhere, or only explained so. */
export type Rank = 0 | 1 | 2 | 3 | 4;

/** Of something that is found. `query`: as it was written. */
export function rankOf({ label, path, about, also }: Searched, query: string): Rank {
  const [name, asked] = [label, query].map((text) => plain(text).trim().toLowerCase()) as [string, string];
  const words = wordsOf(query);
  const says = (...texts: string[]): boolean =>
    words.every((word) => texts.some((text) => plain(text).toLowerCase().includes(word)));
  if (name === asked || path === asked) return 0;
  if (name.startsWith(asked)) return 1;
  if (says(label)) return 2;
  return says(label, path, about, also) ? 3 : 4;
}

/** A value as it is looked in and shown; empty where it is not set. */
export const valueText = (value: SettingRow['value']): string => (value === null ? '' : String(value));

/** The words of a text that another version of it has not: exact where it is short, cheap where it is long. */
import { expect, test } from 'vitest';
import { changedWords } from '#lib/view/changed-words.ts';

const changed = (text: string, other: string) =>
  changedWords(text, other).map(({ start, end }) => text.slice(start, end));

test('marks changed and added words, with neighbours joined, and no common words', () => {
  const text = 'The README is accurate in all but two places, and short.';
  expect(changed(text, 'The README is accurate in all but three places.')).toEqual(['two', 'and short']);
  expect(changed(text, text.toUpperCase())).toEqual([]);
  expect(changed('b a', 'a b'), 'in another order').toHaveLength(1);
  expect(changed('Neu', '')).toEqual(['Neu']);
  expect(changed('', 'gone')).toEqual([]);
});

test('marks only words missing from the other text if both are long', () => {
  const long = Array.from({ length: 3000 }, (_, at) => `w${at}`);
  const other = [...long].reverse().join(' ');
  expect(changed(['start', ...long, 'new', 'w0'].join(' '), `begin ${other} end`)).toEqual(['start', 'new']);
});

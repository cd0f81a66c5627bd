// A tree of a stranger's values: nothing hides in it, what is long or deep is folded, and in a question nothing is.
import { render } from 'svelte/server';
import { expect, it } from 'vitest';
import { beginningOf, fitsTree } from '#lib/ui/json-parts.ts';
import JsonTree from '#lib/ui/json-tree.svelte';

function shown(value: unknown, levels?: number): string {
  const props = { value, label: 'Arguments', ...(levels === undefined ? {} : { levels }) };
  const html = render(JsonTree, { props }).body;
  return html
    .replaceAll(/<!--.*?-->|<[^>]*>/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

const DEEP = { a: { b: { c: { d: 'deepest' } } }, list: [1, null, true], none: {}, 'k\u202Ey': 'v\u200Bw' };
const LONG = 'word '.repeat(200);

it('folds deeply nested values and long texts', () => {
  expect(shown(DEEP)).toContain('b: {1 field}');
  expect(shown(DEEP)).not.toContain('c:');
  expect(shown(DEEP, 0)).toBe('{4 fields}');
  expect(shown(LONG)).toContain('Show all 1000 characters');
  expect(shown(LONG).length).toBeLessThan(500);
});

it('shows all values unfolded in an approval', () => {
  expect(shown(DEEP, Infinity)).toContain('d: "deepest"');
  expect(shown({ LONG }, Infinity)).toContain(LONG.trim());
  expect(
    shown(
      Array.from({ length: 300 }, (_, n) => n),
      Infinity,
    ),
  ).toContain('299: 299');
});

it('marks invisible characters in names and values', () => {
  expect(shown(DEEP)).toContain('k⟦U+202E⟧y: "v⟦U+200B⟧w"');
  expect(shown(DEEP)).toContain('0: 1');
  expect(shown(DEEP)).toContain('none: {}');
});

it('shows text instead of a tree for values that are no object, too large or too deep', () => {
  const fits = (value: unknown) => fitsTree(JSON.stringify(value), value);
  expect(fits(DEEP)).toBe(true);
  expect(fits('text')).toBe(false);
  expect(fits({ text: 'x'.repeat(20_000) })).toBe(false);
  expect(fits(JSON.parse(`${'['.repeat(30)}${']'.repeat(30)}`))).toBe(true);
  expect(fits(JSON.parse(`${'['.repeat(31)}${']'.repeat(31)}`))).toBe(false);
});

it('breaks long texts between words, and never within a character', () => {
  expect(beginningOf('short')).toBeNull();
  expect(beginningOf(LONG)).toMatch(/^(word )+$/);
  expect(beginningOf(`${'x'.repeat(399)}😀${'y'.repeat(9)}`)).toBe('x'.repeat(399));
});

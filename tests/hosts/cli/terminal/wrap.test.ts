/** Texts that are broken into lines keep every character and fit the width. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import stringWidth from 'string-width';
import { wrap } from '#hosts/cli/terminal/wrap.ts';

test('lines break at spaces, and within a word only where it is too long', () => {
  expect(wrap('one two three', 8)).toEqual(['one two', 'three']);
  expect(wrap('abcdefghij k', 4)).toEqual(['abcd', 'efgh', 'ij k']);
  expect(wrap('short', Infinity)).toEqual(['short']);
  expect(wrap('at /a/long/path of', 8)).toEqual(['at', '/a/long/', 'path of']);
  expect(wrap('  one two three', 8)).toEqual(['  one', 'two', 'three']);
});

test('loses only the spaces at which lines break', () => {
  const text = fc.array(fc.constantFrom('a', 'bc', 'def', '日本', '🙂', ' '), { maxLength: 40 });
  fc.assert(
    fc.property(text, fc.integer({ min: 4, max: 20 }), (parts, width) => {
      const lines = wrap(parts.join(''), width);
      expect(lines.join('').replaceAll(' ', '')).toBe(parts.join('').replaceAll(' ', ''));
      for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
    }),
  );
});

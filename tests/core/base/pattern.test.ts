/** Patterns of rules and grants: what they match, and that no text makes them slow. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapePattern, matches, patternFault } from '#core/base/pattern.ts';
import { samples } from '../../support/samples.ts';

const path = { path: true, loose: false };

test.for([
  ['src/**', 'src/a/b.ts', true],
  ['src/**', 'src', false],
  ['**/*.md', 'a.md', true],
  ['**/*.md', 'x/y/a.md', true],
  ['*.md', 'x/a.md', false],
  ['src/**/a.ts', 'src/a.ts', true],
  ['src/**/a.ts', 'src/x/y/a.ts', true],
  ['src/**/a.ts', 'srcx/a.ts', false],
  ['{src,lib}/*.{ts,js}', 'lib/q.js', true],
  ['{src,lib}/*.{ts,js}', 'bin/q.js', false],
  ['a?c', 'a/c', false],
  ['A.md', 'a.md', false],
  ['{a', '{a', true],
  [String.raw`a\*`, 'a*', true],
  [String.raw`a\*`, 'ab', false],
] as const)('matching %s against %s returns %s', ([pattern, text, expected]) => {
  expect(matches(pattern, text, path)).toBe(expected);
});

test('loose matching ignores letter case and Unicode forms', () => {
  expect(matches('Geheim/**', 'geheim/x', { path: true, loose: true })).toBe(true);
  expect(matches('caf\u00e9', 'cafe\u0301', path)).toBe(true);
});

test('a cached pattern gives the same results again, with letter case ignored and with letter case respected', () => {
  const both = () => [true, false].map((loose) => matches('{A,b}/*.MD', 'a/x.md', { path: true, loose }));
  expect([both(), both()]).toEqual([
    [true, false],
    [true, false],
  ]);
});

test('a literal pattern matches its own text and no other', () => {
  const word = fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom(...'ab*?{},\\/[]!.') });
  fc.assert(
    fc.property(word, word, (text, other) => {
      expect(matches(escapePattern(text), text, path)).toBe(true);
      if (other !== text) expect(matches(escapePattern(text), other, path)).toBe(false);
    }),
    samples(200),
  );
});

test.for(['/etc/**', 'a/../b', 'C:/x', '{a,b}'.repeat(7)])('rejects %s as a pattern', (pattern) => {
  expect(patternFault(pattern)).not.toBeNull();
});

test('many wildcards against a long text do not take exponential time', () => {
  expect(matches('**a*'.repeat(40) + 'b', 'a'.repeat(5000), path)).toBe(false);
});

/** What a person changed in a call, as the model is told. */
import { expect, test } from 'vitest';
import { editWords } from '#core/tools/edit-words.ts';

test('returns null without changes', () => {
  expect(editWords({ path: 'a' }, undefined)).toBeNull();
  expect(editWords({ hooks: [] }, { hooks: [] })).toBeNull();
  expect(editWords({ path: 'a', deep: { list: [1] } }, { path: 'a', deep: { list: [1] } })).toBeNull();
});

test('lists one-line values with their path, and texts of several lines as a diff', () => {
  const asked = { path: 'a.md', content: 'one\ntwo\nthree\n', limits: { tokens: 5 }, tools: ['grep'] };
  const edited = { path: 'b.md', content: 'one\n2\nthree\n', limits: { tokens: 9 }, tools: [], model: 'opus' };
  expect(editWords(asked, edited)).toBe(
    [
      'path: "a.md" → "b.md"',
      'content:\n--- asked\n+++ approved\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three',
      'limits.tokens: 5 → 9',
      'tools: ["grep"] → []',
      'model: not set → "opus"',
    ].join('\n'),
  );
});

test('the origin of a model is not listed, because it follows from the model', () => {
  const asked = { model: 'sonnet', modelOrigin: 'lead' };
  expect(editWords(asked, { model: 'opus', modelOrigin: 'person' })).toBe('model: "sonnet" → "opus"');
});

test('reports a change that is too large to list', () => {
  const words = editWords({ content: 'a\n'.repeat(30_000) }, { content: 'b\n'.repeat(30_000) });
  expect(words).toBe('content:\n(60000 characters became 60000: too many changes to list, read it anew)');
});

test.for<[string, unknown, unknown, string]>([
  ['a whole input', 'a', 'b', 'input: "a" → "b"'],
  ['a removed field', { a: 1, b: 2 }, { b: 2 }, 'a: 1 → not set'],
  ['an object that became null', { a: { x: 1 } }, { a: null }, 'a: {"x":1} → null'],
  ['an object in the place of null', { a: null }, { a: { x: 1 } }, 'a: null → {"x":1}'],
  ['a deep field', { a: { b: { c: 'x' } } }, { a: { b: { c: 1 } } }, 'a.b.c: "x" → 1'],
  ['a text that became a number', { a: 'x\ny' }, { a: 5 }, 'a: "x\\ny" → 5'],
  ['a short text', { a: 'x' }, { a: 'y'.repeat(120) }, `a: "x" → "${'y'.repeat(120)}"`],
  [
    'a longer text',
    { a: 'x' },
    { a: `${'y'.repeat(121)}\n` },
    `a:\n--- asked\n+++ approved\n@@ -1,1 +1,1 @@\n-x\n\\ No newline at end of file\n+${'y'.repeat(121)}`,
  ],
  [
    'a text that is too long',
    { a: 'x'.repeat(25_001) },
    { a: 'y'.repeat(25_000) },
    'a:\n(25001 characters became 25000: too many changes to list, read it anew)',
  ],
])('reports the edit of %s', ([, asked, edited, words]) => {
  expect(editWords(asked, edited)).toBe(words);
});

test('compares texts of 50,000 characters, and lists at most 400 changes', () => {
  expect(editWords('x'.repeat(25_000), 'y'.repeat(25_000))).toContain('+++ approved');
  expect(editWords('a\n'.repeat(200), 'b\n'.repeat(200))).toContain('+++ approved');
  expect(editWords('a\n'.repeat(201), 'b\n'.repeat(201))).toContain('too many changes to list');
});

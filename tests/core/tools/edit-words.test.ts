/** What a person changed in a call, as the model is told. */
import { expect, test } from 'vitest';
import { editWords } from '#core/tools/edit-words.ts';

test('nothing, where nothing was edited or all is as asked', () => {
  expect(editWords({ path: 'a' }, undefined)).toBeNull();
  expect(editWords({ path: 'a', deep: { list: [1] } }, { path: 'a', deep: { list: [1] } })).toBeNull();
});

test('short values stand on a line, with their place; long texts as the lines that differ', () => {
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

test('a change too large to list says so', () => {
  const words = editWords({ content: 'a\n'.repeat(30_000) }, { content: 'b\n'.repeat(30_000) });
  expect(words).toBe('content:\n(60000 characters became 60000: too many changes to list, read it anew)');
});

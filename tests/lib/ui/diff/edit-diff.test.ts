// What a person edited of a text is all that its diff shows.
import { expect, it } from 'vitest';
import { diffLines } from '#lib/ui/diff/diff-lines.ts';
import { editDiff } from '#lib/ui/diff/edit-diff.ts';

const shown = (before: string, after: string) =>
  diffLines(editDiff(before, after)).map(({ kind, text }) => `${kind} ${text}`);

it('ignores a changed newline at the end of the text', () => {
  const lines = ['place @@ -1,2 +1,2 @@', 'removed one', 'added 1', 'same two'];
  for (const end of ['', '\n']) expect(shown(`one\ntwo`, `1\ntwo${end}`)).toEqual(lines);
  expect(shown('one', 'one\ntwo')).toEqual(['place @@ -1,1 +1,2 @@', 'same one', 'added two']);
  expect(shown('one', '')).toEqual(['place @@ -1,1 +0,0 @@', 'removed one']);
  expect(editDiff('one', 'one\n')).toBe('');
});

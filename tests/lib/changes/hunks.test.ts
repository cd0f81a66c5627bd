// A part of a difference is shown as a diff of its own, with the numbers of its lines.
import { structuredPatch } from 'diff';
import { expect, it } from 'vitest';
import { hunkText, lineCounts } from '#lib/changes/hunks.ts';
import { diffLines } from '#lib/ui/diff/diff-lines.ts';

const lines = Array.from({ length: 30 }, (_, n) => `line ${n + 1}`);
const after = lines.with(1, 'two').toSpliced(25, 1).concat('-- end');
const { hunks } = structuredPatch('a', 'a', `${lines.join('\n')}\n`, after.join('\n'), '', '', { context: 1 });
const shown = hunks.map((hunk) => ({ ...hunk, state: 'done' as const, kept: false }));

it('hunkText contains only the lines of its hunk, with their line numbers', () => {
  expect(shown).toHaveLength(3);
  const told = diffLines(hunkText(shown[1]!)).map(({ kind, text, before, after }) => [kind, text, before, after]);
  expect(told).toEqual([
    ['place', '@@ -25,3 +25,2 @@', null, null],
    ['same', 'line 25', 25, 25],
    ['removed', 'line 26', 26, null],
    ['same', 'line 27', 27, 26],
  ]);
});

it('shows a line that looks like a header as text, and the missing newline at the end', () => {
  const told = diffLines(hunkText(shown[2]!)).map(({ kind, text }) => [kind, text]);
  expect(told).toContainEqual(['added', '-- end']);
  expect(told.at(-1)?.[1]).toContain('No newline at end of file');
});

it('lineCounts counts added and removed lines', () => {
  expect(lineCounts(shown)).toEqual({ added: 2, removed: 2 });
});

// A diff is shown line by line, with the line numbers of both sides.
import { describe, expect, it } from 'vitest';
import { diffLines } from '#lib/ui/diff/diff-lines.ts';

describe('diffLines', () => {
  it('numbers lines on both sides and leaves the file headers out', () => {
    const diff = '--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n\\ No newline at end of file\n';
    expect(diffLines(diff)).toEqual([
      { kind: 'place', text: '@@ -1,3 +1,3 @@', before: null, after: null },
      { kind: 'same', text: 'one', before: 1, after: 1 },
      { kind: 'removed', text: 'two', before: 2, after: null },
      { kind: 'added', text: '2', before: null, after: 2 },
      { kind: 'same', text: 'three', before: 3, after: 3 },
      { kind: 'place', text: '\\ No newline at end of file', before: null, after: null },
    ]);
  });

  it('shows a note that stands in the place of a diff', () => {
    expect(diffLines('big.txt is too large to show the change line by line: 1 → 2 bytes.')).toMatchObject([
      { kind: 'place', text: 'big.txt is too large to show the change line by line: 1 → 2 bytes.' },
    ]);
  });

  it('returns no lines for a diff without changes', () => {
    expect(diffLines('--- a/same.txt\n+++ b/same.txt\n')).toEqual([]);
  });

  it('treats changed lines that look like headers as changed lines', () => {
    const lines = diffLines('@@ -1 +1 @@\n--- a\n+++ b\n');
    expect(lines.map(({ kind, text }) => [kind, text])).toEqual([
      ['place', '@@ -1 +1 @@'],
      ['removed', '-- a'],
      ['added', '++ b'],
    ]);
  });
});

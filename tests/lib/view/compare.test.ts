/** Reports beside each other: parts with one heading in one row, and marks where alike parts differ. */
import { expect, test } from 'vitest';
import { areAlike, compared } from '#lib/view/compare.ts';

const rowsOf = (...reports: string[]) =>
  compared(reports).map(({ key, cells }) => [key, ...cells.map((cell) => !!cell)]);
const differing = (...reports: string[]) =>
  compared(reports).map(({ cells }) =>
    cells.map((cell) => cell?.flatMap(({ text, differs }) => (differs ? [text] : []))),
  );

test('pairs sections with equal headings in order, with a gap for a missing section', () => {
  const a = '# Report: a\n\n## Summary\n\nA.\n\n## Findings\n\nB.';
  const b = '# Report: b\n\n## summary\n\nA.\n\n## Tone\n\nC.\n\n## Findings\n\nB.\n\n## End\n\nD.';
  expect(rowsOf(a, b)).toEqual([
    ['#', true, true],
    ['summary', true, true],
    ['tone', false, true],
    ['findings', true, true],
    ['end', false, true],
  ]);
});

test('text before the first heading and a repeated heading are separate sections', () => {
  expect(rowsOf('Hello.\n\n## A\n\none\n\n## A\n\ntwo', '## A\n\none')).toEqual([
    ['', true, false],
    ['a', true, true],
    ['a 2', true, false],
  ]);
});

test('marks differences only between similar sections', () => {
  const rest = 'Correct line nine first, as people copy it.';
  const a = `## S\n\nThe README is accurate in all but two places.\n\n${rest}`;
  const b = `## S\n\nThe README is accurate in all but three places.\n\n${rest}`;
  expect(differing(a, b)).toEqual([
    [['The README is accurate in all but two places.'], ['The README is accurate in all but three places.']],
  ]);
  expect(differing(a, '## S\n\nEverything else.')).toEqual([[[], []]]);
  expect(differing(a, a)).toEqual([[[], []]]);
});

test('keeps a code block in one piece, without headings from its text', () => {
  const [row, ...more] = compared(['## A\n\n```sh\n# no heading\n\necho\n```\n', '## A\n\nx']);
  expect(more).toEqual([]);
  expect(row?.cells[0]?.map(({ text }) => text)).toEqual(['## A', '```sh\n# no heading\n\necho\n```']);
});

test('pairs a changed paragraph with its counterpart, and an added paragraph with none', () => {
  const rest = 'Correct line nine first, as people copy it.';
  const rows = compared([
    `## S\n\nThe README is right in all but two places.\n\n${rest}`,
    `## S\n\nThe README is right in all but three places.\n\n${rest}\n\nBeyond that, nothing.`,
  ]);
  const pairs = rows.flatMap(({ cells }) => cells.flatMap((cell) => cell?.flatMap((one) => one.against() ?? []) ?? []));
  expect(pairs).toEqual(['The README is right in all but three places.', 'The README is right in all but two places.']);
});

test('areAlike is true only for reports without differences', () => {
  const report = '# Report\n\n## Found\n\nAll is well.';
  expect(areAlike(compared([report, `${report}\n`]))).toBe(true);
  expect(areAlike(compared([report, `${report} Or not.`]))).toBe(false);
  expect(areAlike(compared([report, `${report}\n\n## More\n\nThis.`]))).toBe(false);
});

/** Reports beside each other: parts with one heading in one row, and marks where alike parts differ. */
import { expect, test } from 'vitest';
import { areAlike, compared } from '#lib/view/compare.ts';

const rowsOf = (...reports: string[]) =>
  compared(reports).map(({ key, cells }) => [key, ...cells.map((cell) => !!cell)]);
const differing = (...reports: string[]) =>
  compared(reports).map(({ cells }) =>
    cells.map((cell) => cell?.flatMap(({ text, differs }) => (differs ? [text] : []))),
  );

test('parts stand in the order of their reports, the titles beside each other, what one lacks in its place', () => {
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

test('words before the first heading are a part of their own; so is a heading that comes again', () => {
  expect(rowsOf('Hello.\n\n## A\n\none\n\n## A\n\ntwo', '## A\n\none')).toEqual([
    ['', true, false],
    ['a', true, true],
    ['a 2', true, false],
  ]);
});

test('where parts are alike what differs is marked, and nothing else; where they are not, nothing is', () => {
  const rest = 'Correct line nine first, as people copy it.';
  const a = `## S\n\nThe README is accurate in all but two places.\n\n${rest}`;
  const b = `## S\n\nThe README is accurate in all but three places.\n\n${rest}`;
  expect(differing(a, b)).toEqual([
    [['The README is accurate in all but two places.'], ['The README is accurate in all but three places.']],
  ]);
  expect(differing(a, '## S\n\nEverything else.')).toEqual([[[], []]]);
  expect(differing(a, a)).toEqual([[[], []]]);
});

test('what stands in a block of code is no heading, and stays in one piece', () => {
  const [row, ...more] = compared(['## A\n\n```sh\n# no heading\n\necho\n```\n', '## A\n\nx']);
  expect(more).toEqual([]);
  expect(row?.cells[0]?.map(({ text }) => text)).toEqual(['## A', '```sh\n# no heading\n\necho\n```']);
});

test('what differs stands against what another report says in its place, and against nothing where that is not alike', () => {
  const rest = 'Correct line nine first, as people copy it.';
  const rows = compared([
    `## S\n\nThe README is right in all but two places.\n\n${rest}`,
    `## S\n\nThe README is right in all but three places.\n\n${rest}\n\nBeyond that, nothing.`,
  ]);
  const pairs = rows.flatMap(({ cells }) => cells.flatMap((cell) => cell?.flatMap((one) => one.against() ?? []) ?? []));
  expect(pairs).toEqual(['The README is right in all but three places.', 'The README is right in all but two places.']);
});

test('says of reports that are alike that nothing differs', () => {
  const report = '# Report\n\n## Found\n\nAll is well.';
  expect(areAlike(compared([report, `${report}\n`]))).toBe(true);
  expect(areAlike(compared([report, `${report} Or not.`]))).toBe(false);
  expect(areAlike(compared([report, `${report}\n\n## More\n\nThis.`]))).toBe(false);
});

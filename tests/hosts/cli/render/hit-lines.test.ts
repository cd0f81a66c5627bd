/** A hit in a narrow terminal: the words that were found are in sight, in the middle, and marked. */
import { expect, test } from 'vitest';
import type { SearchHit } from '#contract/view.ts';
import { hitLines, nameLines } from '../../../../src/hosts/cli/render/hit-lines.ts';
import { plainStyle } from '../../../../src/hosts/cli/terminal/style.ts';

const snippet = `…${'before '.repeat(20)}needle ${'after '.repeat(20)}…`;
const start = snippet.indexOf('needle');
const hit = {
  conversationId: 'c',
  title: 'T',
  at: '2026-01-02T03:04:00.000Z',
  kind: 'report',
  agent: 'a',
  snippet,
  hits: [{ start, end: start + 6 }],
} as SearchHit;

test('the excerpt of a hit fits the width, with the found word in the middle', () => {
  const [, line = ''] = hitLines(hit, 60, plainStyle);
  expect(line.length).toBeLessThanOrEqual(60);
  expect(line).toMatch(/^ {2}….*before needle after.*…$/);
  expect(Math.abs(line.indexOf('needle') - 28)).toBeLessThan(6);
  const [, marked = ''] = hitLines(hit, Infinity, (ink, text) => `<${ink}>${text}`);
  expect(marked).toContain('before <yellow>needle after');
});

test('prints a hit in a title and in agent names as lines of their own', () => {
  const title = { conversationId: 'c', title: 'The needle', at: hit.at, hits: [] };
  expect(nameLines({ titles: [title], agents: ['needle-finder'] }, Infinity, plainStyle)).toEqual([
    expect.stringMatching(/^c {2}.* · title · The needle$/),
    'agents: needle-finder',
  ]);
});

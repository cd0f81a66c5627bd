/** Titles of runs. */
import { expect, test } from 'vitest';
import { formatRunTitle } from '#contract/flows/run-title.ts';

test('names an agent once if its run has no other title', () => {
  expect(formatRunTitle({ agent: 'reviewer', title: 'reviewer' })).toBe('reviewer');
  expect(formatRunTitle({ agent: 'reviewer', title: '' })).toBe('reviewer');
  expect(formatRunTitle({ agent: 'reviewer', title: 'Check the parser' })).toBe('reviewer: Check the parser');
});

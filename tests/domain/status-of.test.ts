/** The state of a workflow in one word. */
import { expect, test } from 'vitest';
import { formatState } from '#domain/status-of.ts';

test('a workflow that was cancelled before its start is withdrawn; any other has its outcome or its status', () => {
  const startedAt = '2026-03-01T12:00:00.000Z';
  expect(formatState({ outcome: 'cancelled', status: 'cancelled', startedAt: null })).toBe('withdrawn');
  expect(formatState({ outcome: 'cancelled', status: 'cancelled', startedAt })).toBe('cancelled');
  expect(formatState({ outcome: null, status: 'running', startedAt })).toBe('running');
});

/** Below a lead its sub-agents count, and those that followed one in a chain; a coagent is part of what it serves. */
import { expect, test } from 'vitest';
import { agentsBelow } from '#contract/flows/serving.ts';

test('a chain of three counts as three', () => {
  const kinds = ['lead', 'coagent', 'delegate', 'chain', 'chain'] as const;
  expect(agentsBelow(kinds.map((kind) => ({ kind })))).toBe(3);
});

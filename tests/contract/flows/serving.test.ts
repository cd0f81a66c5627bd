/** Below a lead its sub-agents count, and those that followed one in a chain; a coagent is part of what it serves. */
import { expect, test } from 'vitest';
import { agentsBelow } from '#contract/flows/serving.ts';

test('a chain of three counts as three, and what was never started as nothing', () => {
  const kinds = ['lead', 'coagent', 'delegate', 'chain', 'chain'] as const;
  const runs = kinds.map((kind) => ({ kind, attempt: 1 }));
  expect(agentsBelow([...runs, { kind: 'spawn', attempt: 0 }])).toBe(3);
});

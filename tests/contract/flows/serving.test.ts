/** Below a lead its sub-agents count, and those that followed one in a chain; a coagent is part of what it serves. */
import { expect, test } from 'vitest';
import { agentsBelow } from '#contract/flows/serving.ts';

test('counts each stage of a started chain as an agent, and skips a sub-agent that never started', () => {
  const kinds = ['lead', 'coagent', 'delegate', 'chain', 'chain'] as const;
  const runs = kinds.map((kind) => ({ kind, attempt: 1 }));
  expect(agentsBelow([...runs, { kind: 'spawn', attempt: 0 }])).toBe(3);
});

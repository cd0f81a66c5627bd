// What the demo plays next goes by what it has played in the conversation, not by how many messages there were.
import { expect, it } from 'vitest';
import { demoActs } from '#lib/view/demo.ts';

const call = (runId: string, toolCallId: string) => ({ runId, toolCallId });

it('demoActs counts the acts of the script that a conversation contains', () => {
  const workflows = [{ runId: 'a' }, { runId: 'b' }, { runId: 'c' }];
  expect(demoActs([], [])).toBe(0);
  expect(demoActs(workflows, []), 'stopped before anything was done').toBe(0);
  const calls = [call('a', 'demo_act1_look'), call('c', 'demo_act2_delegate'), call('child', 'demo_act4_x')];
  expect(demoActs(workflows, calls)).toBe(2);
});

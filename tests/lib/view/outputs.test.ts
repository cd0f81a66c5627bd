/** What a running call has printed last: replaced by the next, gone with the call or its run. */
import { expect, test } from 'vitest';
import type { ToolCallRow } from '#contract/view.ts';
import { type Output, outputsWithout, withOutput } from '#lib/view/outputs.ts';

const row = (toolCallId: string, status: ToolCallRow['status']): ToolCallRow => {
  return { runId: 'r', toolCallId, name: 'bash', status, startedAt: '2026-03-01T12:00:00.000Z', endedAt: null };
};
const output = (toolCallId: string, tail: string): Output => ({ runId: 'r', toolCallId, tail, bytes: tail.length });
const calls = [row('a', 'running'), row('b', 'completed')];

test('the newest is shown, and only of a call that runs', () => {
  let view: { calls: ToolCallRow[]; outputs: Output[] } = { calls, outputs: [] };
  for (const one of [output('a', 'x'), output('b', 'late'), output('c', 'nobody'), output('a', 'y')])
    view = withOutput(view, one);
  expect(view.outputs).toEqual([output('a', 'y')]);
});

test('it goes with its call, or with all of its run', () => {
  const outputs = [output('a', 'x'), output('d', 'z'), { ...output('a', 'other'), runId: 's' }];
  expect(outputsWithout({ outputs }, 'r', 'a')).toEqual(outputs.slice(1));
  expect(outputsWithout({ outputs }, 'r')).toEqual(outputs.slice(2));
});

/** The last output of a running call: replaced by the next one, removed with the call or its run. */
import { expect, test } from 'vitest';
import { type Output, outputsWithout, withOutput } from '#lib/view/outputs.ts';
import { reduceStory } from '../support/flows.ts';
import { Recording } from '../../support/recording.ts';

const output = (toolCallId: string, tail: string): Output => ({ runId: 'r', toolCallId, tail, bytes: tail.length });

test('withOutput replaces the output of a call by a newer output', () => {
  let view: { outputs: readonly Output[] } = { outputs: [] };
  for (const one of [output('a', 'x'), output('b', 'z'), output('a', 'y')]) view = withOutput(view, one);
  expect(view.outputs).toEqual([output('b', 'z'), output('a', 'y')]);
});

test('shows the output of running calls alone', () => {
  const story = new Recording();
  const { lead } = story.startWorkflow('Go');
  lead.toolStart('a', 'bash');
  lead.toolStart('b', 'bash');
  lead.toolEnd('b', 'bash');
  lead.printed('b', 'late');
  lead.printed('c', 'unknown');
  const { outputs } = reduceStory(story);
  expect(outputs).toEqual([{ ...output('a', 'second line'), runId: lead.runId }]);
});

test('removes the output of a call, or of all calls of a run', () => {
  const outputs = [output('a', 'x'), output('d', 'z'), { ...output('a', 'other'), runId: 's' }];
  expect(outputsWithout(outputs, 'r', 'a')).toEqual(outputs.slice(1));
  expect(outputsWithout(outputs, 'r')).toEqual(outputs.slice(2));
});

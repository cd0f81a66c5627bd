/** One run's events as what a client of the Agent Client Protocol is told of. */
import { expect, test } from 'vitest';
import { acpEvent } from '#core/host/records/adapters/acp-events.ts';
import { recordedTrouble, recordedWorkflow, troubled } from '../../../../support/events.ts';
import { lead, type Recording, reviewer } from '../../../../support/recording.ts';
import { recordedServing, served } from '../../../../support/flows/served.ts';

const toldOf = ({ events }: Recording, runId: string) =>
  events
    .filter((event) => event.runId === runId)
    .map(acpEvent)
    .filter((event) => event !== null);

test('converts a lead run to thought and message chunks, the start and end of each call and the end of the task', () => {
  const input = { operation: 'spawn', name: 'code-reviewer', prompt: 'Review src/parser.ts' };
  const result = { status: 'completed', output: '{"success":true}', metadata: {} };
  expect(toldOf(recordedWorkflow(), lead.runId)).toEqual([
    { type: 'ThoughtChunk', text: 'A second pair of eyes.' },
    { type: 'MessageChunk', text: 'I will ask ' },
    { type: 'MessageChunk', text: 'a reviewer.' },
    { type: 'ToolCallStart', id: 'call_spawn', name: 'spawn_agent', arguments: input, status: 'in_progress' },
    { type: 'ToolCallEnd', id: 'call_spawn', result, status: 'completed' },
    { type: 'TaskComplete', text: 'One bug: the last line is dropped.' },
  ]);
});

test('sends no iterations, but sends a whole plan', () => {
  const recording = recordedWorkflow();
  const items = [{ content: 'Read', status: 'pending' as const, priority: 'low' as const }];
  recording.record(lead, { type: 'plan-change', items });
  expect(toldOf(recording, lead.runId).at(-1)).toEqual({ type: 'Plan', items });
  expect(toldOf(recording, reviewer.runId).map(({ type }) => type)).not.toContain('IterationComplete');
});

test('sends no handoff: an ACP client receives only the own words, calls and end of a lead with a coagent', () => {
  const told = toldOf(recordedServing(), served.lead.runId);
  expect(JSON.stringify(told)).not.toContain('Review round');
  expect(new Set(told.map(({ type }) => type))).toEqual(new Set(['ToolCallStart', 'ToolCallEnd', 'TaskComplete']));
});

test('converts a repetition loop to an error with the message of the run', () => {
  const told = toldOf(recordedTrouble(), troubled.stuck.runId);
  expect(told.filter(({ type }) => type === 'Error')).toContainEqual({
    type: 'Error',
    code: 'doom_loop',
    message: 'Repetitive behaviour detected: the same call was made 6 times in a row; the run was stopped',
  });
});

test('converts the end of a failed run to an error and the end of a stopped run to a cancellation', () => {
  const recording = recordedTrouble();
  const error = { type: 'Error', code: 'interrupted', message: 'Ended: interrupted' };
  expect(toldOf(recording, troubled.stuck.runId)[0]).toEqual(error);
  expect(toldOf(recording, troubled.lead.runId).at(-1)).toEqual({ type: 'Cancelled' });
});

/** One run's events as the events of an agent's loop. */
import { expect, test } from 'vitest';
import { loopEvent } from '#core/host/records/adapters/agent-events.ts';
import { recordedTrouble, recordedWorkflow, REPORT, troubled } from '../../../../support/events.ts';
import { lead, Recording, reviewer, usageOf } from '../../../../support/recording.ts';
import { recordedServing, served } from '../../../../support/flows/served.ts';

const loopOf = ({ events }: Recording, runId: string) =>
  events
    .filter((event) => event.runId === runId)
    .map(loopEvent)
    .filter((event) => event !== null);

test('converts a lead run to thinking, text, a call with its result, two iterations and the complete turn', () => {
  const input = { operation: 'spawn', name: 'code-reviewer', prompt: 'Review src/parser.ts' };
  const text = 'One bug: the last line is dropped.';
  expect(loopOf(recordedWorkflow(), lead.runId)).toEqual([
    { type: 'ThinkingDelta', text: 'A second pair of eyes.' },
    { type: 'TextDelta', text: 'I will ask ' },
    { type: 'TextDelta', text: 'a reviewer.' },
    { type: 'ToolCallStart', id: 'call_spawn', name: 'spawn_agent', arguments: input },
    {
      type: 'ToolCallEnd',
      id: 'call_spawn',
      result: { status: 'completed', output: '{"success":true}', metadata: {} },
    },
    { type: 'IterationComplete', iteration: 1 },
    { type: 'IterationComplete', iteration: 2 },
    { type: 'TurnComplete', outcome: 'completed', text },
  ]);
});

test('keeps the real order of starts and ends of parallel tool calls', () => {
  const events = loopOf(recordedWorkflow(), reviewer.runId);
  expect(events.map((event) => ('id' in event ? `${event.type} ${event.id}` : event.type))).toEqual([
    'ToolCallStart call_read_0',
    'ToolCallStart call_read_1',
    'ToolCallEnd call_read_1',
    'ToolCallEnd call_read_0',
    'IterationComplete',
    'IterationComplete',
    'TurnComplete',
  ]);
  expect(events.at(-1)).toEqual({ type: 'TurnComplete', outcome: 'completed', text: REPORT });
});

test('emits DoomLoopDetected for a repetition loop, then the error that ends the run', () => {
  expect(loopOf(recordedTrouble(), troubled.stuck.runId)).toEqual([
    { type: 'Error', code: 'interrupted', message: 'Ended: interrupted' },
    {
      type: 'DoomLoopDetected',
      message: 'Repetitive behaviour detected: the same call was made 6 times in a row; the run was stopped',
    },
    { type: 'Error', code: 'doom_loop', message: 'Ended: doom_loop' },
  ]);
});

test('emits one Cancelled event when the person stops a run', () => {
  const events = loopOf(recordedTrouble(), troubled.lead.runId);
  expect(events.filter(({ type }) => type === 'Cancelled')).toEqual([
    { type: 'Cancelled', reason: 'Ended: cancelled' },
  ]);
});

test.for([
  ['completed', 'TurnComplete'],
  ['partial', 'TurnComplete'],
  ['cancelled', 'Cancelled'],
  ['rejected', 'Cancelled'],
  ['timed_out', 'Error'],
  ['budget_exceeded', 'Error'],
  ['refused', 'Error'],
  ['error', 'Error'],
  ['interrupted', 'Error'],
] as const)('converts a run end with outcome %s to the loop event %s', ([outcome, type]) => {
  const recording = new Recording();
  const end = { type: 'run-end', outcome, text: '', error: null, durationMs: 1, usage: usageOf() } as const;
  recording.record(lead, end);
  expect(loopOf(recording, lead.runId)).toMatchObject([{ type }]);
});

test('emits a handoff to the coagent by name in each round, and no handoff back', () => {
  const events = loopOf(recordedServing(), served.lead.runId);
  expect(events.filter(({ type }) => type === 'HandoffTo')).toEqual([
    { type: 'HandoffTo', agent: 'critic', prompt: 'Review round 1' },
    { type: 'HandoffTo', agent: 'critic', prompt: 'Review round 2' },
  ]);
  expect(events.at(-1)).toMatchObject({ type: 'TurnComplete', text: 'Three faults, all in src/parser.ts.' });
});

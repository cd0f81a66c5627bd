/** Sub-agents as stream chunks: a start for each attempt, then a report or an error, with the metrics. */
import { expect, test } from 'vitest';
import type { Outcome } from '#contract/outcome.ts';
import { STATUS_OF } from '#contract/status-of.ts';
import { streamChunk } from '#core/records/adapters/stream-chunks.ts';
import { startEngine } from '../../../support/engine.ts';
import { recordedTrouble, recordedWorkflow, REPORT, troubled } from '../../../support/events.ts';
import { spawnOne } from '../../../support/fake-model/scenarios.ts';
import { lead, Recording, reviewer, usageOf } from '../../../support/recording.ts';
import { recordedServing, served } from '../../../support/flows/served.ts';

const chunksOf = ({ events }: Recording) => events.map(streamChunk).filter((chunk) => chunk !== null);

test('a sub-agent that completes gives a start and its report; the lead gives nothing', () => {
  const who = {
    workflow_id: lead.workflowId,
    parent_agent_id: lead.runId,
    sub_agent_id: reviewer.runId,
    sub_agent_name: 'code-reviewer',
  };
  const metrics = { duration_ms: 1800, tokens_input: 900 + 2000 + 100, tokens_output: 120 };
  expect(chunksOf(recordedWorkflow())).toEqual([
    { type: 'sub_agent_start', ...who, data: {} },
    { type: 'sub_agent_complete', ...who, data: { report: REPORT, metrics } },
  ]);
});

test('one that never started has an error only; a resumed one starts again', () => {
  const chunks = chunksOf(recordedTrouble());
  const of = (runId: string) =>
    chunks.filter((chunk) => chunk.sub_agent_id === runId).map(({ type, data }) => [type, data.error]);
  expect(of(troubled.turnedDown.runId)).toEqual([['sub_agent_error', 'Ended: not_allowed']]);
  expect(of(troubled.stuck.runId)).toEqual([
    ['sub_agent_start', undefined],
    ['sub_agent_error', 'Ended: interrupted'],
    ['sub_agent_start', undefined],
    ['sub_agent_error', 'Ended: doom_loop'],
  ]);
});

test('what was written before the error is kept', () => {
  const chunk = chunksOf(recordedTrouble()).find(
    ({ type, sub_agent_id }) => type === 'sub_agent_error' && sub_agent_id === troubled.endless.runId,
  );
  expect(chunk?.data).toMatchObject({
    report: 'Half of it is documented.',
    error: 'The limit of 20 iterations is reached: the report may be incomplete',
  });
});

test.for(Object.keys(STATUS_OF) as Outcome[])(
  'the outcome %s is an error unless its status is completed',
  (outcome) => {
    const recording = new Recording();
    recording.record(reviewer, {
      type: 'run-end',
      outcome,
      text: '',
      error: null,
      durationMs: 1,
      usage: usageOf(),
    });
    const [chunk] = chunksOf(recording);
    const good = outcome === 'completed' || outcome === 'partial';
    expect(chunk?.type).toBe(good ? 'sub_agent_complete' : 'sub_agent_error');
    expect(chunk?.data.report).toBe(good ? '' : undefined);
    expect(chunk?.data.error).toBe(outcome === 'completed' ? undefined : outcome);
  },
);

test('the engine’s own events give the start before the report', async () => {
  const engine = await startEngine(spawnOne());
  const end = await engine.ask('Look at my workspace');
  const chunks = engine.events.map(streamChunk).filter((chunk) => chunk !== null);
  expect(chunks.map(({ type, sub_agent_name }) => [type, sub_agent_name])).toEqual([
    ['sub_agent_start', 'inspector'],
    ['sub_agent_complete', 'inspector'],
  ]);
  expect(chunks[1]).toMatchObject({
    parent_agent_id: engine.of('workflow-end')[0]?.runId,
    sub_agent_id: end.subAgents[0]?.runId,
  });
  expect(chunks[1]?.data.report).toContain('# Report: the workspace');
});

test('a coagent and a stage are chunks of their own, below the run that they serve', () => {
  const chunks = chunksOf(recordedServing()).filter(({ type }) => type === 'sub_agent_complete');
  const { lead: chief, writer } = served;
  expect(chunks.map(({ sub_agent_name, parent_agent_id }) => [sub_agent_name, parent_agent_id])).toEqual([
    ['proofreader', writer.runId],
    ['writer', chief.runId],
    ['editor', writer.runId],
    ['checker', writer.runId],
    ['critic', chief.runId],
    ['critic', chief.runId],
  ]);
});

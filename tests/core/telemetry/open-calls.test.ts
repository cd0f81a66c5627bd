/** A call and a handoff that are open when their run is cut, and end in its next attempt: a span in each, with ids of their own. */
import { expect, test } from 'vitest';
import { WorkflowSpans } from '#core/telemetry/workflow-spans.ts';
import { lead, queue, Recording, start, usageOf } from '../../support/recording.ts';

const INTERRUPTED = { code: 'interrupted', message: 'The program ended' } as const;

test('what was open goes on under its run of the next attempt', () => {
  const recording = new Recording();
  const prompt = 'Go';
  recording.record(lead, { type: 'workflow-start', prompt, approve: 'ask', attempt: 1 });
  const queued = queue(recording, lead, { prompt, title: prompt });
  start(recording, lead, queued);
  const ways = { from: 'lead', to: 'checker', runId: null, round: 1, rounds: 2, answer: 3, prompt: 'Look.' };
  recording.record(lead, { type: 'tool-start', toolCallId: 'call_1', name: 'bash', input: {} });
  recording.handoff(lead, ways);
  const cut = { outcome: 'interrupted' as const, text: '', error: INTERRUPTED, durationMs: 9, usage: usageOf() };
  recording.record(lead, { type: 'run-end', ...cut });
  recording.record(lead, { type: 'workflow-end', ...cut, subAgents: [] });
  recording.record(lead, { type: 'workflow-start', prompt, approve: 'ask', attempt: 2 });
  const run = recording.queued.get(lead.runId)!;
  const { envelope, envelopeHash } = run;
  recording.record(lead, { type: 'run-start', attempt: 2, envelope, envelopeHash, queuedMs: 0 });
  const unknown = 'Interrupted: what came of it is not known';
  recording.result(lead, {
    ...{ toolCallId: 'call_1', name: 'bash', status: 'error', output: unknown, durationMs: 0, metadata: {} },
  });
  recording.handoff(lead, { ...ways, back: { outcome: 'completed' } });

  const spans = new WorkflowSpans(() => false);
  const told = recording.durable.flatMap((event) => spans.take(event));
  const agents = told.filter(({ name }) => name === 'invoke_agent lead').map(({ spanId }) => spanId);
  for (const name of ['execute_tool bash', 'handoff checker']) {
    const [first, second] = told.filter((span) => span.name === name);
    expect(first).toMatchObject({
      parentId: agents[0],
      attributes: { 'triad.attempt': 1, 'error.type': 'interrupted' },
    });
    expect(second?.attributes).toMatchObject({ 'triad.attempt': 2 });
    expect(second?.spanId).not.toBe(first?.spanId);
    expect(second?.parentId).not.toBe(agents[0]);
  }
});

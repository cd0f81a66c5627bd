/** A call and a handoff that are open when their run is cut, and end in its next attempt: a span in each, with ids of their own. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import { WorkflowSpans } from '#core/host/telemetry/workflow-spans.ts';
import { idOf, lead, queue, Recording, respond, start, usageOf } from '../../../support/recording.ts';

const INTERRUPTED = { code: 'interrupted', message: 'The program ended' } as const;

test('a call and a handoff interrupted by a restart get a second span below the next attempt', () => {
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
    toolCallId: 'call_1',
    name: 'bash',
    status: 'error',
    output: unknown,
    durationMs: 0,
    metadata: {},
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

test('spans include handoff rounds, queue time, request parameters and, if enabled, content', () => {
  const recording = new Recording();
  recording.record(lead, { type: 'workflow-start', prompt: 'Go', approve: 'ask', attempt: 1 });
  start(recording, lead, queue(recording, lead, { prompt: 'Go', title: 'Go', changes: { temperature: 0.3 } }));
  for (const round of [1, 2, 3]) {
    const ways = { from: 'lead', to: 'checker', runId: null, round, rounds: 3, answer: round, prompt: 'Look.' };
    recording.handoff(lead, ways);
    recording.handoff(lead, { ...ways, back: { outcome: 'completed' } });
  }
  recording.record(lead, { type: 'tool-start', toolCallId: 'call_1', name: 'glob', input: { pattern: '*.md' } });
  recording.result(lead, {
    toolCallId: 'call_1',
    name: 'glob',
    status: 'completed',
    output: 'a.md',
    durationMs: 1,
    metadata: {},
  });
  const parts = [{ type: 'text' as const, text: 'Whole.' }];
  respond(recording, lead, { turn: 0, messageId: idOf(9), parts, stopReason: 'end_turn' });
  const end = { outcome: 'completed' as const, text: '', error: null, durationMs: 9, usage: usageOf() };
  recording.record(lead, { type: 'run-end', ...end });
  recording.record(lead, { type: 'workflow-end', ...end, subAgents: [] });

  const spansWith = (content: boolean) => {
    const spans = new WorkflowSpans(() => content);
    return recording.durable.flatMap((event) => spans.take(event));
  };
  const told = spansWith(false);
  const of = (level: string) => told.find(({ attributes }) => attributes['triad.span'] === level)?.attributes;
  expect(of('prompt')).toMatchObject({ 'acp.control_flow.iterations': 3 });
  expect(of('agent_turn')).toMatchObject({ 'triad.queued_ms': 13 });
  expect(of('llm_completion')).toMatchObject({ 'gen_ai.request.temperature': 0.3 });

  // What was said is told only where that is wanted, under the names that the page has.
  const named = (spans: typeof told) =>
    spans.flatMap(({ attributes }) => Object.entries(attributes).flatMap(([name, value]) => (value ? [name] : [])));
  const without = new Set(named(told));
  const content = spansWith(true);
  const page = readFileSync(new URL('../../../../docs/telemetry.md', import.meta.url), 'utf8');
  const listed = /^With `telemetry\.content = true` also (.*?): each/m.exec(page)?.[1] ?? '';
  const names = [...listed.matchAll(/`([\w.]+)`/g)].map(([, name]) => name);
  expect([...new Set(named(content))].filter((name) => !without.has(name)).sort()).toEqual(names.sort());
  expect(Object.assign({}, ...content.map(({ attributes }) => attributes))).toMatchObject({
    'acp.prompt': 'Go',
    'handoff.prompt': 'Look.',
    'tool.arguments': '{"pattern":"*.md"}',
    'gen_ai.tool.call.arguments': '{"pattern":"*.md"}',
    'gen_ai.tool.call.result': 'a.md',
    'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"Go"}]}]',
  });
  expect(content.find(({ attributes }) => attributes['triad.span'] === 'llm_completion')?.attributes).toMatchObject({
    'gen_ai.output.messages':
      '[{"role":"assistant","parts":[{"type":"text","content":"Whole."}],"finish_reason":"end_turn"}]',
  });
});

test('events that a fork has copied create no spans', () => {
  const recording = new Recording();
  recording.record(lead, { type: 'workflow-start', prompt: 'Go', approve: 'ask', attempt: 1 });
  start(recording, lead, queue(recording, lead, { prompt: 'Go', title: 'Go' }));
  const parts = [{ type: 'text' as const, text: 'Whole.' }];
  respond(recording, lead, { turn: 0, messageId: idOf(9), parts, stopReason: 'end_turn' });
  recording.record(lead, { type: 'tool-start', toolCallId: 'call_1', name: 'glob', input: {} });
  const result = { name: 'glob', status: 'completed' as const, output: 'a.md', durationMs: 1, metadata: {} };
  recording.result(lead, { toolCallId: 'call_1', ...result });
  const copiedFrom = { conversationId: idOf(1), workflowId: idOf(2), runId: idOf(3) };
  const createSpans = (isCopied: boolean) => {
    const spans = new WorkflowSpans(() => false);
    return recording.durable.flatMap((event) => {
      const copiedEvent =
        'entry' in event ? { ...event, entry: { ...event.entry, copiedFrom } } : { ...event, copiedFrom };
      return spans.take(isCopied && event.type !== 'workflow-start' ? (copiedEvent as DurableEvent) : event);
    });
  };
  expect(createSpans(false)).not.toEqual([]);
  expect(createSpans(true)).toEqual([]);
});

test('the span of a run includes the envelope approved by the person', () => {
  const recording = new Recording();
  recording.record(lead, { type: 'workflow-start', prompt: 'Go', approve: 'ask', attempt: 1 });
  const queued = queue(recording, lead, { prompt: 'Go', title: 'Go' });
  start(recording, lead, { ...queued, prompt: 'Go slowly', model: 'claude-opus-4-5' });
  const end = { outcome: 'completed' as const, text: '', error: null, durationMs: 9, usage: usageOf() };
  recording.record(lead, { type: 'run-end', ...end });
  const spans = new WorkflowSpans(() => true);
  const agent = recording.durable.flatMap((event) => spans.take(event)).find(({ name }) => name.startsWith('invoke'));
  expect(agent?.attributes).toMatchObject({ 'gen_ai.request.model': 'claude-opus-4-5' });
  expect(JSON.stringify(agent?.attributes)).toContain('Go slowly');
});

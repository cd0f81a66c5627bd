/** What the rows of workflows and runs say after events: each from the events that are about it, none from a neighbour's. */
import { describe, expect, test } from 'vitest';
import type { DurableEvent, RequestUsage } from '#contract/event.ts';
import { MAX_TASK_CHARS } from '#contract/limits.ts';
import { canonicalHash } from '#core/base/hash.ts';
import { envelopeOf } from '../support/envelope.ts';
import { conversationId, idOf, lead, queue, Recording, requestUsage, start, usageOf } from '../support/recording.ts';
import { type MemoryRows, projectedRows } from '../support/memory-rows.ts';

const { workflowId } = lead;
const [first, second] = ['reader', 'writer'].map((agent, n): typeof lead => ({
  ...lead,
  runId: idOf(40 + n),
  parentRunId: lead.runId,
  agent,
})) as [typeof lead, typeof lead];

const begin = (recording: Recording, prompt = 'Do it', attempt = 1, more: object = {}) =>
  recording.record(lead, { type: 'workflow-start', prompt, approve: 'ask', attempt, ...more });

/** The event that was recorded last. */
const lastOf = ({ durable }: Recording): DurableEvent => durable.at(-1)!;

function ended(
  recording: Recording,
  who: typeof lead,
  end: Partial<Extract<Parameters<Recording['record']>[1], { type: 'run-end' }>>,
): void {
  const usual = { outcome: 'completed', text: '', error: null, durationMs: 1, usage: usageOf() } as const;
  recording.record(who, { type: 'run-end', ...usual, ...end });
}

/** Two sub-agents with different figures: as queued, as running, the second with an edit, and as ended. */
function executions() {
  const recording = new Recording();
  begin(recording);
  start(recording, lead, queue(recording, lead, { prompt: 'Do it', title: 'Do it' }));
  const jobs = [first, second].map((who, n) => {
    const job = { prompt: `Task ${n}`, title: `Title ${n}`, toolCallId: `call_${n}`, item: n } as const;
    return queue(recording, who, { ...job, kind: n === 0 ? 'spawn' : 'delegate' });
  });
  const queued = recording.durable.slice(-2);
  const before = projectedRows(recording.durable);
  const edited = { ...jobs[1]!, prompt: 'Another task' };
  start(recording, first, jobs[0]!);
  start(recording, second, edited);
  const running = projectedRows(recording.durable);
  const firstUsage = { inputTokens: 11, cacheReadTokens: 300, cacheWriteTokens: 5000, outputTokens: 7, costUsd: 1 };
  ended(recording, first, { text: 'The report', durationMs: 1800.6, usage: firstUsage });
  const firstEnd = lastOf(recording);
  const secondUsage = {
    ...firstUsage,
    inputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 2,
    outputTokens: 9,
    estimatedInputTokens: 1,
    estimatedOutputTokens: 3,
  };
  const error = { code: 'inactive', message: 'It was silent' } as const;
  ended(recording, second, { outcome: 'timed_out', error, durationMs: 3.2, usage: secondUsage });
  const after = projectedRows(recording.durable);
  return { jobs, queued, before, edited, running, firstEnd, after };
}

describe('the execution row of a sub-agent', () => {
  const execution = (rows: MemoryRows, who: typeof lead) => rows.get('sub_agent_execution', who.runId);

  test('has parent, agent, task and hash as soon as the sub-agent is queued', () => {
    const { before, jobs, queued } = executions();
    for (const [n, who] of [first, second].entries()) {
      expect(execution(before, who)).toMatchObject({
        workflow_id: workflowId,
        parent_agent_id: lead.runId,
        sub_agent_id: who.runId,
        sub_agent_name: who.agent,
        task_description: `Task ${n}`,
        status: 'pending',
        kind: n === 0 ? 'spawn' : 'delegate',
        envelope_hash: canonicalHash(jobs[n]),
        trace_id: who.runId.replaceAll('-', ''),
        parent_chain: ['user', 'lead', who.agent],
        created_at: queued[n]?.at,
      });
    }
    expect(before.all('sub_agent_execution').length, 'none of the lead').toBe(2);
  });

  test('is running with the approved settings and task', () => {
    const { running, edited } = executions();
    expect(execution(running, first)).toMatchObject({ status: 'running', task_description: 'Task 0' });
    expect(execution(running, second)).toMatchObject({
      status: 'running',
      task_description: 'Another task',
      envelope_hash: canonicalHash(edited),
      sub_agent_name: 'writer',
    });
    expect(running.get('workflow', workflowId)).toMatchObject({
      subAgentCount: 2,
      agents: ['lead', 'reader', 'writer'],
    });
  });

  test('ends with outcome, tokens and duration of its own run', () => {
    const { after, firstEnd } = executions();
    const done = execution(after, first);
    expect(done).toMatchObject({
      status: 'completed',
      outcome: 'completed',
      duration_ms: 1801,
      tokens_input: 5311,
      tokens_output: 7,
      result_summary: 'The report',
      completed_at: firstEnd.at,
    });
    for (const field of ['error_message', 'tokens_estimated']) expect(done).not.toHaveProperty(field);
    const failed = execution(after, second);
    expect(failed).toMatchObject({
      status: 'error',
      outcome: 'timed_out',
      duration_ms: 3,
      tokens_estimated: 4,
      tokens_input: 2,
      tokens_output: 9,
      error_message: 'It was silent',
    });
    expect(failed).not.toHaveProperty('result_summary');
  });

  test('truncates a long task, while the run row keeps all of it', () => {
    const long = new Recording();
    begin(long);
    queue(long, lead, { prompt: 'Do it', title: 'Do it' });
    const prompt = 'x'.repeat(MAX_TASK_CHARS + 5);
    const envelope = queue(long, first, { prompt, title: 'Long', kind: 'spawn' });
    expect(execution(projectedRows(long.durable), first)?.task_description).toBe('x'.repeat(MAX_TASK_CHARS));
    start(long, first, { ...envelope, prompt: `y${prompt}` });
    const rows = projectedRows(long.durable);
    expect(execution(rows, first)?.task_description).toBe(`y${'x'.repeat(MAX_TASK_CHARS - 1)}`);
    expect(rows.get('run', first.runId)).toMatchObject({ task: `y${prompt}`, envelope: { prompt: `y${prompt}` } });
  });

  test('counts a sub-agent that continues after a restart once', () => {
    const again = new Recording();
    begin(again);
    queue(again, lead, { prompt: 'Do it', title: 'Do it' });
    const envelope = queue(again, first, { prompt: 'Task', title: 'T', kind: 'spawn' });
    start(again, first, envelope);
    ended(again, first, { outcome: 'interrupted', error: { code: 'interrupted', message: 'Off' } });
    start(again, first, envelope, 2);
    const rows = projectedRows(again.durable);
    expect(rows.get('workflow', workflowId)).toMatchObject({ subAgentCount: 1 });
    expect(execution(rows, first)).toMatchObject({ status: 'running' });
    for (const field of ['outcome', 'error_message']) expect(execution(rows, first)).not.toHaveProperty(field);
  });
});

/** A lead as queued, as started, as interrupted, and as it goes on with narrower settings. */
function leadRun() {
  const recording = new Recording();
  begin(recording);
  const envelope = queue(recording, lead, { prompt: 'Do it', title: 'The title', toolCallId: null });
  const queuedAt = lastOf(recording).at;
  const pending = projectedRows(recording.durable);
  recording.record(lead, { type: 'run-start', attempt: 1, envelope, envelopeHash: 'h1', queuedMs: 1 });
  const startedAt = lastOf(recording).at;
  const started = projectedRows(recording.durable);
  const error = { code: 'interrupted', message: 'Off' } as const;
  const reviews = [{ round: 1, passed: true, score: 9, critique: '' }] as never;
  ended(recording, lead, { outcome: 'interrupted', text: 'Half', error, durationMs: 12.5, entries: 4, reviews });
  const endedAt = lastOf(recording).at;
  const stopped = projectedRows(recording.durable);
  const narrower = { ...envelope, maxTokens: 5, prompt: 'Less' };
  recording.record(lead, { type: 'run-start', attempt: 2, envelope: narrower, envelopeHash: 'h2', queuedMs: 1 });
  const again = projectedRows(recording.durable);
  return { envelope, queuedAt, pending, startedAt, started, error, reviews, endedAt, stopped, narrower, again };
}

describe('the row of a run', () => {
  const run = (rows: MemoryRows) => rows.get('run', lead.runId);

  test('is pending with the settings and the task of its start', () => {
    const { pending, envelope, queuedAt } = leadRun();
    expect(run(pending)).toMatchObject({
      id: lead.runId,
      conversationId,
      workflowId,
      parentRunId: null,
      toolCallId: null,
      item: 0,
      agent: 'lead',
      name: 'lead',
      title: 'The title',
      kind: 'lead',
      depth: 0,
      parentChain: ['user', 'lead'],
      traceId: lead.runId.replaceAll('-', ''),
      task: 'Do it',
      envelope,
      envelopeHash: canonicalHash(envelope),
      status: 'pending',
      outcome: null,
      text: '',
      error: null,
      attempt: 0,
      queuedAt,
      startedAt: null,
      endedAt: null,
      durationMs: null,
    });
    expect(pending.all('sub_agent_execution').length).toBe(0);
  });

  test('is running together with its workflow', () => {
    const { started, startedAt, queuedAt } = leadRun();
    expect(run(started)).toMatchObject({ status: 'running', attempt: 1, startedAt, envelopeHash: 'h1', queuedAt });
    expect(started.get('workflow', workflowId)).toMatchObject({ status: 'running', startedAt, subAgentCount: 0 });
  });

  test('ends with outcome, text and error, and has reviews only if there are some', () => {
    const { stopped, error, endedAt, reviews } = leadRun();
    const end = { status: 'error', outcome: 'interrupted', text: 'Half', error, durationMs: 12.5, endedAt };
    expect(run(stopped)).toMatchObject({ ...end, entries: 4, reviews });
    const plain = new Recording();
    begin(plain);
    queue(plain, lead, { prompt: 'Do it', title: '' });
    ended(plain, lead, {});
    expect(run(projectedRows(plain.durable))).not.toHaveProperty('reviews');
  });

  test('clears its end and uses the settings of the new attempt when the run continues', () => {
    const { again, startedAt, narrower } = leadRun();
    expect(run(again)).toMatchObject({
      status: 'running',
      outcome: null,
      error: null,
      endedAt: null,
      durationMs: null,
      attempt: 2,
      startedAt,
      envelope: narrower,
      envelopeHash: 'h2',
      task: 'Less',
    });
    expect(again.get('workflow', workflowId)).toMatchObject({ status: 'running', startedAt });
  });

  test('marks the workflow as a demo if the lead uses the demo provider', () => {
    const demo = (who: typeof lead, provider: string): unknown => {
      const one = new Recording();
      begin(one);
      const shape = { name: 'x', title: 'x', task: 'x', toolCallId: null, item: 0, parentChain: [], traceId: 't' };
      const settings = { envelope: envelopeOf('x', 'x', { provider }), envelopeHash: 'h' };
      one.record(who, { type: 'run-queue', kind: 'lead', depth: 0, ...shape, ...settings });
      return projectedRows(one.durable).get('workflow', workflowId)?.demo;
    };
    expect(demo(lead, 'demo')).toBe(true);
    expect(demo(lead, 'anthropic')).toBeUndefined();
    expect(demo(first, 'demo')).toBeUndefined();
  });
});

/** A workflow as begun, as interrupted, and as resumed. */
function oneWorkflow() {
  const budget = { tokens: 100 };
  const recording = new Recording();
  begin(recording, '\n First line\nsecond', 1, { budget });
  const startAt = lastOf(recording).at;
  const fresh = projectedRows(recording.durable);
  const error = { code: 'interrupted', message: 'Off' } as const;
  const figures = { usage: usageOf(), subAgents: [] };
  recording.record(lead, {
    type: 'workflow-end',
    outcome: 'interrupted',
    text: 'Half',
    error,
    durationMs: 77,
    ...figures,
  });
  const endAt = lastOf(recording).at;
  const off = projectedRows(recording.durable);
  recording.record(lead, { type: 'workflow-start', prompt: 'x', approve: 'all', attempt: 2 });
  const resumedAt = lastOf(recording).at;
  const resumed = projectedRows(recording.durable);
  return { recording, budget, startAt, fresh, error, endAt, off, resumedAt, resumed };
}

describe('the row of a workflow', () => {
  const workflow = (rows: MemoryRows) => rows.get('workflow', workflowId);
  const conversation = (rows: MemoryRows) => rows.get('conversation', conversationId);

  test('starts with its message, whose first line becomes the title of the conversation', () => {
    const { fresh, startAt, budget } = oneWorkflow();
    expect(workflow(fresh)).toMatchObject({
      id: workflowId,
      conversationId,
      runId: lead.runId,
      prompt: '\n First line\nsecond',
      agents: ['lead'],
      approve: 'ask',
      status: 'pending',
      outcome: null,
      text: '',
      error: null,
      attempt: 1,
      createdAt: startAt,
      startedAt: null,
      endedAt: null,
      durationMs: null,
      firstSeq: 1,
      lastSeq: 1,
      subAgentCount: 0,
      budget,
    });
    expect(conversation(fresh)).toMatchObject({ updatedAt: startAt, lastSeq: 1, title: 'First line' });
  });

  test('ends with outcome, text and duration, and updates the time of its conversation', () => {
    const { off, error, endAt } = oneWorkflow();
    const end = { status: 'error', outcome: 'interrupted', text: 'Half', error, durationMs: 77, endedAt: endAt };
    expect(workflow(off)).toMatchObject({ ...end, lastSeq: 2 });
    expect(conversation(off)).toMatchObject({ updatedAt: endAt, lastSeq: 2, title: 'First line' });
  });

  test('clears its end, keeps its limits and uses the approval policy of the new attempt when resumed', () => {
    const { resumed, startAt, budget, resumedAt } = oneWorkflow();
    expect(workflow(resumed)).toMatchObject({
      status: 'pending',
      outcome: null,
      error: null,
      endedAt: null,
      durationMs: null,
      approve: 'all',
      attempt: 2,
      prompt: '\n First line\nsecond',
      createdAt: startAt,
      firstSeq: 1,
      budget,
    });
    expect(conversation(resumed)).toMatchObject({ updatedAt: resumedAt, lastSeq: 3, title: 'First line' });
  });

  test('gets the limits given on resume', () => {
    const { recording } = oneWorkflow();
    begin(recording, 'x', 3, { budget: { tokens: 900 } });
    expect(workflow(projectedRows(recording.durable))).toMatchObject({ budget: { tokens: 900 }, attempt: 3 });
  });

  test('has no budget without limits, and a message that is not the first event does not change the title', () => {
    const plain = new Recording();
    plain.record(lead, { type: 'notice', level: 'info', text: 'before' });
    begin(plain, 'Another');
    const rows = projectedRows(plain.durable);
    expect(workflow(rows)).not.toHaveProperty('budget');
    expect(conversation(rows)?.title).toBe('');
  });
});

describe('usage in the rows', () => {
  const count = (who: typeof lead, requests: [Partial<RequestUsage>, { runMs: number; workflowMs: number }?][]) => {
    const recording = new Recording();
    begin(recording);
    for (const one of [lead, first]) queue(recording, one, { prompt: 'x', title: 'x' });
    const sent = requests.map(([rest, worked], n) => {
      const request = requestUsage(recording, { requestId: idOf(900 + n), ...rest });
      recording.record(who, { type: 'usage', request, ...(worked ? { worked } : {}) });
      return request;
    });
    return { rows: projectedRows(recording.durable), sent };
  };
  const tokens = { inputTokens: 1, cacheReadTokens: 20, cacheWrite5mTokens: 300, cacheWrite1hTokens: 4000 };
  const [one, two] = [
    { ...tokens, outputTokens: 50_000, nanoUsd: 7 },
    { ...tokens, inputTokens: 2, outputTokens: 1, nanoUsd: null },
  ];
  const sum = {
    requests: 2,
    inputTokens: 3,
    cacheReadTokens: 40,
    cacheWriteTokens: 8600,
    outputTokens: 50_001,
    nanoUsd: 7,
    unpriced: 1,
  };

  test('counts each request once in run, workflow and conversation, and stores the request itself', () => {
    const { rows, sent } = count(first, [[one, { runMs: 5, workflowMs: 9 }], [two]]);
    expect(rows.get('run', first.runId)).toMatchObject({ usage: sum, workedMs: 5 });
    expect(rows.get('workflow', workflowId)).toMatchObject({ usage: sum, workedMs: 9 });
    expect(rows.get('conversation', conversationId)).toMatchObject({ usage: sum });
    expect(rows.get('run', lead.runId)).toMatchObject({ usage: { requests: 0, outputTokens: 0 } });
    expect(rows.get('run', lead.runId)).not.toHaveProperty('workedMs');
    for (const request of sent) {
      const ids = { runId: first.runId, workflowId, conversationId };
      expect(rows.get('model_request', [workflowId, request.requestId])).toEqual({ ...request, ...ids });
    }
  });

  test('does not change the working time if the request reports none', () => {
    const { rows } = count(lead, [[one]]);
    expect(rows.get('run', lead.runId)).not.toHaveProperty('workedMs');
    expect(rows.get('workflow', workflowId)).not.toHaveProperty('workedMs');
  });
});

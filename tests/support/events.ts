/** Recorded workflows, event by event as the engine writes them: one in which all goes well, one in which little does. */
import type { Grant } from '#contract/permission.ts';
import type { AssistantEntry } from '#contract/message.ts';
import type { ErrorCode } from '#contract/error.ts';
import type { SubAgentSummary } from '#contract/event.ts';
import type { Outcome, Usage } from '#contract/outcome.ts';
import { STATUS_OF } from '#domain/status-of.ts';
import type { RunIds } from '#core/store/log/recorder.ts';
import {
  approve,
  conversationId,
  idOf,
  lead,
  queue,
  Recording,
  requestUsage,
  startOf,
  respond,
  reviewer,
  start,
  usageOf,
} from './recording.ts';

export const REPORT = `# Report\n\n## Summary\nThe parser drops the last line when it has no line end. ${'Two tests miss it. '.repeat(5)}\n\n## Details\nSee src/parser.ts.`;

/** Lead and one sub-agent, with a retry, two reads side by side, hints, and a report that reaches the answer. */
export function recordedWorkflow(): Recording {
  const recording = new Recording();
  const prompt = 'Have the parser reviewed';
  recording.record(lead, { type: 'workflow-start', prompt, approve: 'ask', attempt: 1 });
  start(recording, lead, queue(recording, lead, { prompt, title: prompt }));
  leadAsks(recording);
  const toolCallId = 'call_spawn';
  const job = {
    prompt: 'Review src/parser.ts',
    title: 'review the parser',
    kind: 'spawn',
    toolCallId,
  } as const;
  const envelope = queue(recording, reviewer, job);
  approve(recording, lead, 'spawn', [{ runId: reviewer.runId, title: job.title, envelope, no: null }]);
  const input = { operation: 'spawn', name: 'code-reviewer', prompt: 'Review src/parser.ts' };
  recording.record(lead, { type: 'tool-start', toolCallId: 'call_spawn', name: 'spawn_agent', input });
  start(recording, reviewer, envelope);
  reviewerWorks(recording);
  const usage = usageOf();
  recording.record(reviewer, {
    type: 'run-end',
    outcome: 'completed',
    text: REPORT,
    error: null,
    durationMs: 1800.4,
    usage,
  });
  leadAnswers(recording, usage);
  return recording;
}

/** With the report, whose run used `usage`. */
function leadAnswers(recording: Recording, usage: Usage): void {
  recording.result(lead, {
    toolCallId: 'call_spawn',
    name: 'spawn_agent',
    status: 'completed',
    output: '{"success":true}',
    durationMs: 1900,
    metadata: {},
  });
  recording.record(lead, { type: 'turn-end', turn: 0, stopReason: 'tool_use' });
  const text = 'One bug: the last line is dropped.';
  respond(recording, lead, {
    turn: 1,
    messageId: idOf(13),
    parts: [{ type: 'text', text }],
    stopReason: 'end_turn',
  });
  const end = { outcome: 'completed', text, error: null, durationMs: 3200 } as const;
  recording.record(lead, { type: 'run-end', ...end, usage: usageOf({ inputTokens: 600 }) });
  recording.record(lead, {
    type: 'workflow-end',
    ...end,
    usage: usageOf({ inputTokens: 1500 }),
    subAgents: [
      {
        runId: reviewer.runId,
        agent: 'code-reviewer',
        kind: 'spawn',
        status: 'completed',
        outcome: 'completed',
        durationMs: 1800.4,
        usage,
      },
    ],
  });
}

function leadAsks(recording: Recording): void {
  const messageId = idOf(10);
  const part = { messageId, offset: 0 };
  recording.record(lead, { type: 'turn-start', turn: 0, model: 'claude-sonnet-5-5' });
  const request = requestUsage(recording, { stopReason: 'tool_use' });
  recording.record(lead, { type: 'message-start', messageId, turn: 0, request: startOf(request) });
  recording.hint(lead, { type: 'thinking-delta', ...part, part: 0, text: 'A second pair of eyes.' });
  recording.hint(lead, { type: 'message-delta', ...part, part: 1, text: 'I will ask ' });
  recording.hint(lead, { type: 'message-delta', ...part, part: 1, offset: 11, text: 'a reviewer.' });
  const input = { operation: 'spawn', name: 'code-reviewer', prompt: 'Review src/parser.ts' };
  const call = { toolCallId: 'call_spawn', name: 'spawn_agent', text: JSON.stringify(input) };
  recording.hint(lead, { type: 'tool-delta', ...part, part: 2, ...call });
  recording.record(lead, { type: 'usage', request });
  recording.response(lead, {
    messageId,
    responseId: 'msg_0a',
    stopReason: 'tool_use',
    interrupted: false,
    parts: [
      { type: 'thinking', text: 'A second pair of eyes.', signature: 'c2ln' },
      { type: 'text', text: 'I will ask a reviewer.' },
      { type: 'tool_use', id: 'call_spawn', name: 'spawn_agent', input },
    ],
  });
}

/** A first attempt that breaks off, then two reads of which the second ends first, then the report. */
function reviewerWorks(recording: Recording): void {
  const error = { code: 'overloaded', message: 'The provider is overloaded' } as const;
  const broken = { turn: 0, reported: false, stopReason: null, error, inputTokens: 300 };
  recording.record(reviewer, { type: 'turn-start', turn: 0, model: 'claude-sonnet-5-5' });
  const request = requestUsage(recording, broken);
  recording.record(reviewer, {
    type: 'message-start',
    messageId: idOf(11),
    turn: 0,
    request: startOf(request),
  });
  recording.record(reviewer, { type: 'usage', request });
  recording.response(reviewer, {
    messageId: idOf(11),
    responseId: 'msg_0b',
    stopReason: null,
    interrupted: true,
    parts: [
      { type: 'text', text: 'Let me re' },
      { type: 'tool_use', id: 'call_cut', name: 'read_file', input: { path: 'src/parser.ts' } },
    ],
  });
  recording.record(reviewer, { type: 'retry', turn: 0, attempt: 1, delayMs: 500, error });
  recording.hint(reviewer, { type: 'request-silent', turn: 0, attempt: 2, silentMs: 30_000 });
  recording.record(reviewer, { type: 'notice', level: 'info', text: 'The provider is busy: trying again' });
  const calls = ['src/parser.ts', 'src/lines.ts'].map((path, index) => ({
    id: `call_read_${index}`,
    name: 'read_file',
    input: { path },
  }));
  respond(recording, reviewer, {
    turn: 0,
    messageId: idOf(12),
    stopReason: 'tool_use',
    parts: calls.map((call) => ({ type: 'tool_use', ...call })),
  });
  for (const { id, name, input } of calls) {
    recording.record(reviewer, { type: 'tool-start', toolCallId: id, name, input });
    recording.hint(reviewer, { type: 'tool-output', toolCallId: id, tail: '120 lines so far', bytes: 4000 });
  }
  for (const { id, name, input } of calls.toReversed()) {
    recording.result(reviewer, {
      toolCallId: id,
      name,
      status: 'completed',
      output: `text of ${input.path}`,
      durationMs: 4.2,
      metadata: { path: input.path },
    });
  }
  recording.record(reviewer, { type: 'turn-end', turn: 0, stopReason: 'tool_use' });
  const parts: AssistantEntry['parts'] = [{ type: 'text', text: REPORT }];
  respond(recording, reviewer, { turn: 1, messageId: idOf(14), parts, stopReason: 'end_turn' });
}

const chief: RunIds = { ...lead, workflowId: idOf(20), runId: idOf(21) };
const child = (n: number, agent: string): RunIds => {
  return { conversationId, workflowId: chief.workflowId, runId: idOf(n), parentRunId: chief.runId, agent };
};
export const troubled = {
  lead: chief,
  /** Rejected, so it never started. */
  turnedDown: child(22, 'shell-user'),
  /** Interrupted, resumed, then stopped in a loop. */
  stuck: child(23, 'test-generator'),
  /** Ended at its limit of iterations. */
  endless: child(24, 'documentation-writer'),
} as const;

/** A batch of three of which none completes, a restart in between, and a stop by the person at the end. */
export function recordedTrouble(): Recording {
  const recording = new Recording();
  const { turnedDown, stuck, endless } = troubled;
  const prompt = 'Do three things';
  recording.record(chief, { type: 'workflow-start', prompt, approve: 'ask', attempt: 1 });
  const own = queue(recording, chief, { prompt, title: prompt });
  start(recording, chief, own);
  const call = { id: 'call_parallel', name: 'parallel_tasks', input: { operation: 'execute_batch' } };
  respond(recording, chief, {
    turn: 0,
    messageId: idOf(30),
    stopReason: 'tool_use',
    parts: [{ type: 'tool_use', ...call }],
  });
  const jobs = [turnedDown, stuck, endless].map((who, item) => {
    const title = `thing ${item}`;
    const job = { prompt: `Do ${title}`, title, kind: 'parallel', item } as const;
    return { who, title, envelope: queue(recording, who, { ...job, toolCallId: call.id }) };
  });
  const asked = jobs.map(({ who, title, envelope }) => {
    return { runId: who.runId, title, envelope, no: who === turnedDown ? 'not now' : null };
  });
  approve(recording, chief, 'parallel', asked);
  const tool = { toolCallId: call.id, name: call.name } as const;
  recording.record(chief, { type: 'tool-start', ...tool, input: call.input });
  end(recording, turnedDown, 'rejected', 'not_allowed');
  for (const { who, envelope } of jobs.slice(1)) start(recording, who, envelope);
  reachLimit(recording, endless);
  for (const who of [stuck, chief]) end(recording, who, 'interrupted', 'interrupted');
  endWorkflow(recording, 'interrupted', [turnedDown, stuck, endless]);

  recording.record(chief, { type: 'workflow-start', prompt, approve: 'ask', attempt: 2 });
  start(recording, chief, own, 2);
  for (const { who, envelope } of jobs.filter(({ who }) => who === stuck)) start(recording, who, envelope, 2);
  keepsThings(recording);
  recording.remark(
    stuck,
    'doom_loop',
    'Repetitive behaviour detected: the same call was made 6 times in a row; the run was stopped',
  );
  end(recording, stuck, 'error', 'doom_loop');
  recording.result(chief, { ...tool, status: 'error', output: '{}', durationMs: 900, metadata: {} });
  recording.record(chief, { type: 'turn-end', turn: 0, stopReason: 'tool_use' });
  recording.remark(chief, 'cancelled', 'Stopped by the person');
  end(recording, chief, 'cancelled', 'cancelled');
  endWorkflow(recording, 'cancelled', [turnedDown, stuck, endless]);
  return recording;
}

/** A plan, a note and more to spend; and a part of a response that is complete before the whole. */
function keepsThings(recording: Recording): void {
  const { stuck } = troubled;
  const items = [{ content: 'Find the fault', status: 'in_progress', priority: 'high' }] as const;
  recording.record(stuck, { type: 'plan-change', items: [...items] });
  const note = { scope: 'test-generator', folder: '/home/user/project', name: 'runner' };
  recording.record(stuck, { type: 'memory-change', ...note, text: 'The tests run with vitest.' });
  const { conversationId, workflowId, runId, parentRunId, agent } = stuck;
  const grant: Grant = {
    id: idOf(40),
    agent,
    tool: 'write_file',
    pattern: 'docs/*.md',
    folder: note.folder,
    scope: 'project',
    conversationId,
    workflowId,
    runId,
    parentRunId,
    askedBy: agent,
    approvalId: idOf(41),
    givenAt: '2026-03-01T12:00:01.100Z',
    expiresAt: null,
    maxCalls: null,
    calls: 0,
    revokedAt: null,
  };
  const context = { id: idOf(42), question: 'Why?', answer: null, error: null, at: grant.givenAt };
  const asked = recording.durable.find((event) => event.type === 'approval-request');
  const exchange = { approvalId: asked?.approval.id ?? '', n: 0 };
  recording.record(chief, { type: 'context-request', ...exchange, context });
  recording.record(chief, { type: 'context-end', ...exchange, context: { ...context, answer: 'Because.' } });
  recording.record(stuck, { type: 'grant-change', change: 'given', grant });
  const input = { inputTokens: 9, cacheReadTokens: 0, cacheWrite5mTokens: 0, cacheWrite1hTokens: 0 };
  const request = { requestId: idOf(43), attempt: 1, ...input };
  recording.record(stuck, { type: 'request-start', purpose: 'review', turn: 0, request });
  recording.record(chief, { type: 'change-undo', toolCallId: 'call_parallel', path: 'docs/a.md', undone: true });
  recording.record(chief, { type: 'workflow-fork', to: idOf(44), end: 'after' });
  const sizes = { tokensBefore: 90_000, tokensAfter: 12_000 };
  const summary = {
    kind: 'compaction' as const,
    text: '## Task\nDocument it.',
    upTo: 1,
    prior: [],
    priorRuns: [],
    kept: '',
    auto: true,
  };
  recording.compaction(stuck, { ...summary, ...sizes });
  recording.record(stuck, { type: 'run-say', wordId: idOf(44), text: 'Begin with the README.' });
  recording.record(stuck, { type: 'limit-change', of: 'run', limits: { tokens: 50_000, iterations: 40 } });
  const value = { type: 'text', text: 'Once more.' } as const;
  const message = { messageId: idOf(32), n: 3, turn: 1, responseId: 'msg_32' };
  recording.record(stuck, { type: 'message-part', ...message, part: 0, value });
}

/** The last request has no tools, and its report is kept. */
function reachLimit(recording: Recording, who: RunIds): void {
  const text = 'The limit of 20 iterations is reached';
  recording.remark(who, 'max_iterations', text);
  recording.words(who, { source: 'engine', text: `${text}. Write your final report now.` });
  const parts: AssistantEntry['parts'] = [{ type: 'text', text: 'Half of it is documented.' }];
  respond(recording, who, { turn: 20, messageId: idOf(31), parts, stopReason: 'end_turn' });
  const error = { code: 'max_iterations', message: `${text}: the report may be incomplete` } as const;
  const ended = { outcome: 'budget_exceeded', text: 'Half of it is documented.', error } as const;
  recording.record(who, { type: 'run-end', ...ended, durationMs: 500, usage: usageOf() });
}

function end(recording: Recording, who: RunIds, outcome: Outcome, code: ErrorCode): void {
  const error = { code, message: `Ended: ${code}` };
  recording.record(who, { type: 'run-end', outcome, text: '', error, durationMs: 40, usage: usageOf() });
}

function endWorkflow(recording: Recording, outcome: 'interrupted' | 'cancelled', children: readonly RunIds[]): void {
  const subAgents = children.map(({ runId, agent }): SubAgentSummary => {
    const last = recording.durable.findLast((event) => event.type === 'run-end' && event.runId === runId);
    if (last?.type !== 'run-end') throw new Error(`${agent} has not ended`);
    const { durationMs, usage } = last;
    const status = STATUS_OF[last.outcome];
    return { runId, agent, kind: 'parallel', status, outcome: last.outcome, durationMs, usage };
  });
  const code = outcome === 'interrupted' ? 'interrupted' : 'cancelled';
  const error = { code, message: 'Not finished' } as const;
  const totals = { text: '', error, durationMs: 2000, usage: usageOf(), subAgents };
  recording.record(chief, { type: 'workflow-end', outcome, ...totals });
}

/** Builders of events and rows, with all that does not matter to a test filled in. */
import type { Approval, ApprovalRequest, Decision } from '#contract/approval.ts';
import type { AgentEvent, DurableEvent, RequestUsage } from '#contract/event.ts';
import type { ConversationRow, RunRow, WorkflowRow } from '#contract/view.ts';
import { ZERO_TALLY } from '#domain/tally.ts';
import { newId } from '#core/base/ids.ts';
import { envelopeOf } from '../../support/envelope.ts';

export const conversationId = newId();
export const workflowId = newId();
export const leadId = newId();
export const childId = newId();
export const at = '2026-03-01T12:00:00.000Z';
export const later = (ms: number) => new Date(Date.parse(at) + ms).toISOString();
export const usage = {
  inputTokens: 1000,
  outputTokens: 200,
  cacheReadTokens: 30,
  cacheWriteTokens: 4,
  costUsd: 0.0123,
};

type Of<T extends AgentEvent['type']> = Extract<AgentEvent, { type: T }>;
type Rest<T extends AgentEvent['type']> = Omit<
  Of<T>,
  'type' | 'at' | 'conversationId' | 'workflowId' | 'runId' | 'parentRunId' | 'agent' | 'seq'
>;

const hints = ['message-delta', 'thinking-delta', 'tool-delta', 'tool-output'];
let seq = 0;

export function ofLead<T extends AgentEvent['type']>(type: T, rest: Rest<T>): Of<T> {
  return event(type, { runId: leadId, parentRunId: null, agent: 'lead' }, rest);
}

export function ofChild<T extends AgentEvent['type']>(type: T, rest: Rest<T>): Of<T> {
  return event(type, { runId: childId, parentRunId: leadId, agent: 'code-reviewer' }, rest);
}

function event<T extends AgentEvent['type']>(type: T, who: object, rest: Rest<T>): Of<T> {
  const numbered = hints.includes(type) ? {} : { seq: ++seq };
  // The parts of every event, joined: the compiler cannot follow the distribution.
  return { type, ...numbered, at, conversationId, workflowId, ...who, ...rest } as unknown as Of<T>;
}

export function workflowEnd(rest: Partial<Rest<'workflow-end'>> = {}): Extract<DurableEvent, { type: 'workflow-end' }> {
  return ofLead('workflow-end', {
    outcome: 'completed',
    text: 'Done.',
    error: null,
    durationMs: 1234,
    usage,
    subAgents: [],
    ...rest,
  });
}

export const envelope = envelopeOf('code-reviewer', 'Review src/a.ts', {
  systemPrompt: 'You review code.',
  tools: ['grep', 'read_file'],
  folder: '/tmp/work',
});

export function spawnRequest(rest: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return {
    id: newId(),
    conversationId,
    workflowId,
    runId: leadId,
    toolCallId: 'call-1',
    agent: 'lead',
    chain: ['user', 'lead', 'code-reviewer'],
    title: 'Start code-reviewer',
    description: '',
    subject: {
      kind: 'envelopes',
      operation: 'spawn',
      items: [{ runId: childId, title: 'review one file', envelope, hash: 'h' }],
    },
    options: [],
    risk: 'medium',
    reversible: true,
    remainingMs: 300_000,
    at,
    ...rest,
  };
}

export const asked = (request = spawnRequest()): Approval => ({ request, decisions: [null] });

export function decision(rest: Partial<Decision> = {}): Decision {
  return {
    item: 0,
    outcome: 'selected',
    optionId: 'allow',
    allowed: true,
    decidedBy: 'person',
    ruleId: null,
    reason: null,
    hashBefore: 'h',
    hashAfter: 'h',
    at: later(400),
    ...rest,
  };
}

export function conversationRow(rest: Partial<ConversationRow> = {}): ConversationRow {
  return {
    id: conversationId,
    title: 'Review the parser',
    folder: '/tmp/work',
    agent: 'lead',
    createdAt: at,
    updatedAt: later(5000),
    lastSeq: 9,
    usage: { ...ZERO_TALLY, inputTokens: 1234 },
    ...rest,
  };
}

export function workflowRow(rest: Partial<WorkflowRow> = {}): WorkflowRow {
  return {
    id: workflowId,
    conversationId,
    runId: leadId,
    prompt: 'Review it',
    agents: ['lead', 'code-reviewer'],
    approve: 'ask',
    status: 'completed',
    outcome: 'completed',
    text: 'All good.',
    error: null,
    attempt: 1,
    createdAt: at,
    startedAt: at,
    endedAt: later(5000),
    durationMs: 5000,
    firstSeq: 1,
    lastSeq: 9,
    subAgentCount: 1,
    usage: { ...ZERO_TALLY, inputTokens: 1234 },
    ...rest,
  };
}

export function runRow(rest: Partial<RunRow> = {}): RunRow {
  return {
    id: leadId,
    conversationId,
    workflowId,
    parentRunId: null,
    toolCallId: null,
    item: 0,
    agent: 'lead',
    name: 'lead',
    title: '',
    kind: 'lead',
    depth: 0,
    parentChain: [],
    traceId: newId(),
    task: 'Review it',
    envelope,
    envelopeHash: 'h',
    status: 'completed',
    outcome: 'completed',
    text: '',
    error: null,
    attempt: 1,
    queuedAt: at,
    startedAt: at,
    endedAt: later(5000),
    durationMs: 5000,
    usage: ZERO_TALLY,
    ...rest,
  };
}

export function requestUsage(rest: Partial<RequestUsage> = {}): RequestUsage {
  return {
    requestId: newId(),
    provider: 'anthropic',
    model: 'claude-sonnet-5-5',
    turn: 1,
    attempt: 1,
    inputTokens: 10,
    cacheReadTokens: 0,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
    outputTokens: 5,
    thinkingTokens: 0,
    reported: true,
    stopReason: 'end_turn',
    error: null,
    startedAt: at,
    firstTokenMs: 5,
    durationMs: 100,
    priceVersion: null,
    nanoUsd: null,
    ...rest,
  };
}

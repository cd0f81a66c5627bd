/** The row writes that an event causes: one pure function for live writing, rebuild and tests. */
import { endedCall, undoneBy, undoOf } from '#contract/call-row.ts';
import { MAX_TASK_CHARS } from '#contract/limits.ts';
import { itemHashes } from '#contract/item-hashes.ts';
import { isServing } from '#contract/flows/serving.ts';
import { STATUS_OF } from '#contract/status-of.ts';
import type { DurableEvent } from '#contract/event.ts';
import type { SubAgentExecution } from '#contract/execution.ts';
import type { Entry } from '#contract/message.ts';
import type { MemoryNote, RunRow } from '#contract/view.ts';
import { forkOf, startedAgain, startedWorkflow } from '#contract/messages/workflow-row.ts';
import { contextTokensOf, estimatedTokensOf, tallyOf, ZERO_TALLY } from '#contract/tally.ts';
import { summaryOf, titleOf } from '#contract/messages/short-text.ts';
import { cutAtCodePoint } from '../base/text.ts';
import { providerTraits } from '../model/provider-traits.ts';
import { memoryKey } from './memory.ts';
import { noticed, said } from './beside.ts';
import type { Write } from './store.ts';

type Event<T extends DurableEvent['type']> = Extract<DurableEvent, { type: T }>;

type Handlers = { [T in DurableEvent['type']]: (event: Event<T>) => Write[] };

/** The writes of one event, in order. Assumes that the conversation's row exists. */
export function apply<T extends DurableEvent['type']>(event: Event<T>): Write[] {
  // The table is keyed by the event's own type, which the compiler cannot follow through a union.
  return (HANDLERS[event.type] as (event: DurableEvent) => Write[])(event);
}

const nothing = (): Write[] => [];

const HANDLERS: Handlers = {
  'workflow-start': workflowStart,
  'workflow-end': workflowEnd,
  'run-queue': runQueue,
  'run-start': runStart,
  'run-end': runEnd,
  'message-part': nothing,
  'message-end': messageEnd,
  handoff: ({ runId, entry: value }) => entry(runId, value),
  compaction: compacted,
  'compaction-undo': compacted,
  'tool-start': toolStart,
  'tool-end': toolEnd,
  'approval-request': approvalRequest,
  'approval-decide': approvalDecide,
  'context-request': contextChange,
  'context-end': contextChange,
  usage,
  'turn-start': nothing,
  'turn-end': nothing,
  'message-start': nothing,
  'request-start': nothing,
  retry: nothing,
  notice: noticed,
  'plan-change': planChange,
  'memory-change': memoryChange,
  'grant-change': grantChange,
  'limit-change': limitChange,
  'run-say': said,
  'change-undo': changeUndo,
  'workflow-leave': workflowLeave,
  'workflow-fork': workflowFork,
  'run-again': runAgain,
};

function planChange({ runId, items: plan }: Event<'plan-change'>): Write[] {
  return [{ kind: 'update', table: 'run', key: runId, set: { plan } }];
}

function memoryChange({ scope, folder, name, text, at, ...event }: Event<'memory-change'>): Write[] {
  const key = memoryKey(scope, folder, name);
  if (text === null) return [{ kind: 'delete', table: 'memory', key }];
  const { conversationId, workflowId, runId, parentRunId, agent } = event;
  const writer = { conversationId, workflowId, runId, parentRunId, agent };
  const row: MemoryNote = { scope, folder, name, text, updatedAt: at, writer };
  return [{ kind: 'put', table: 'memory', key, row }];
}

/** Replaces the whole grant: other conversations may have changed it. */
function grantChange({ grant }: Event<'grant-change'>): Write[] {
  return [{ kind: 'put', table: 'permission_grant', key: grant.id, row: grant }];
}

function limitChange({ of, runId, workflowId, limits }: Event<'limit-change'>): Write[] {
  return of === 'run'
    ? [{ kind: 'update', table: 'run', key: runId, set: { limits } }]
    : [{ kind: 'update', table: 'workflow', key: workflowId, set: { budget: limits } }];
}

function changeUndo(event: Event<'change-undo'>): Write[] {
  const { runId, toolCallId } = event;
  const append = { undos: undoOf(event) };
  return [{ kind: 'update', table: 'tool_call', key: [runId, toolCallId], set: undoneBy(event), append }];
}

function workflowLeave({ workflowId, left }: Event<'workflow-leave'>): Write[] {
  return [{ kind: 'update', table: 'workflow', key: workflowId, set: { left } }];
}

function workflowFork(event: Event<'workflow-fork'>): Write[] {
  return [{ kind: 'update', table: 'workflow', key: event.workflowId, append: { forks: forkOf(event) } }];
}

function runAgain({ runId, again, at }: Event<'run-again'>): Write[] {
  return [{ kind: 'update', table: 'run', key: runId, append: { agains: { ...again, at } } }];
}

function messageEnd({ runId, entry: value }: Event<'message-end'>): Write[] {
  const writes = entry(runId, value);
  if (value.kind === 'assistant') writes.push({ kind: 'delete', table: 'open_message', key: value.messageId });
  return writes;
}

function toolStart({ runId, toolCallId, name, at }: Event<'tool-start'>): Write[] {
  const row = { runId, toolCallId, name, status: 'running', startedAt: at, endedAt: null };
  return [{ kind: 'put', table: 'tool_call', key: [runId, toolCallId], row }];
}

function toolEnd(event: Event<'tool-end'>): Write[] {
  const { runId, entry: value } = event;
  const row = endedCall(event);
  return [...entry(runId, value), { kind: 'put', table: 'tool_call', key: [runId, value.toolCallId], row }];
}

function approvalRequest({ approval }: Event<'approval-request'>): Write[] {
  const items = itemHashes(approval.subject).length;
  const decisions = Array.from({ length: items }, () => null);
  const row = { workflowId: approval.workflowId, request: approval, decisions, open: items };
  return [{ kind: 'put', table: 'approval', key: approval.id, row }];
}

function approvalDecide({ approvalId, decision }: Event<'approval-decide'>): Write[] {
  const item = { decisions: { index: decision.item, value: decision } };
  return [{ kind: 'update', table: 'approval', key: approvalId, item, add: { open: -1 } }];
}

function contextChange({ approvalId, n, context }: Event<'context-request' | 'context-end'>): Write[] {
  return [{ kind: 'update', table: 'approval', key: approvalId, item: { context: { index: n, value: context } } }];
}

function workflowStart(event: Event<'workflow-start'>): Write[] {
  const { workflowId, conversationId, prompt, attempt, taken, at, seq } = event;
  const set = { ...(taken ? {} : { updatedAt: at }), lastSeq: seq };
  const initial = seq === 1 && !taken ? { title: titleOf(prompt) } : {};
  const touch: Write = { kind: 'update', table: 'conversation', key: conversationId, set, initial };
  return attempt > 1
    ? [touch, { kind: 'update', table: 'workflow', key: workflowId, set: startedAgain(event) }]
    : [touch, { kind: 'put', table: 'workflow', key: workflowId, row: startedWorkflow(event) }];
}

function workflowEnd(event: Event<'workflow-end'>): Write[] {
  const { outcome, text, error, durationMs, at, seq, taken } = event;
  const set = { status: STATUS_OF[outcome], outcome, text, error, durationMs, endedAt: at, lastSeq: seq };
  return [
    { kind: 'update', table: 'workflow', key: event.workflowId, set },
    {
      kind: 'update',
      table: 'conversation',
      key: event.conversationId,
      set: taken ? { lastSeq: seq } : { updatedAt: at, lastSeq: seq },
    },
  ];
}

function runQueue(event: Event<'run-queue'>): Write[] {
  const { runId, conversationId, workflowId, parentRunId, toolCallId, item, agent, name, title, kind, depth } = event;
  const { place, parentChain, traceId, task, envelope, envelopeHash, cached, again, at } = event;
  const row: RunRow = {
    id: runId,
    conversationId,
    workflowId,
    parentRunId,
    toolCallId,
    item,
    agent,
    name,
    title,
    kind,
    ...(place && { place }),
    depth,
    parentChain,
    traceId,
    task,
    envelope,
    envelopeHash,
    ...(again && { again }),
    status: 'pending',
    outcome: null,
    text: '',
    error: null,
    attempt: 0,
    queuedAt: at,
    startedAt: null,
    endedAt: null,
    durationMs: null,
    usage: ZERO_TALLY,
    ...(cached && { cached }),
  };
  const run: Write = { kind: 'put', table: 'run', key: runId, row };
  if (parentRunId === null) {
    const demo: Write = { kind: 'update', table: 'workflow', key: workflowId, set: { demo: true } };
    return providerTraits(envelope.provider).isScripted ? [run, demo] : [run];
  }
  const agents: Write = { kind: 'update', table: 'workflow', key: workflowId, union: { agents: agent } };
  // It was done, and is listed and counted, in the conversation that it was taken from.
  if (cached) return [run, agents];
  const execution: Omit<SubAgentExecution, 'id'> = {
    workflow_id: workflowId,
    parent_agent_id: parentRunId,
    sub_agent_id: runId,
    sub_agent_name: name,
    task_description: cutAtCodePoint(task, MAX_TASK_CHARS),
    status: 'pending',
    kind,
    model: envelope.model,
    envelope_hash: envelopeHash,
    trace_id: traceId,
    parent_chain: parentChain,
    created_at: at,
    ...(isServing(event) && { parent_execution_id: parentRunId }),
    ...(kind === 'chain' && { chain_trigger: 'next', chain_index: place }),
  };
  return [run, { kind: 'put', table: 'sub_agent_execution', key: runId, row: execution }, agents];
}

/** Fields of an execution to replace; null takes a field out. */
type ExecutionChange = { [F in keyof SubAgentExecution]?: SubAgentExecution[F] | null };

/** What the end of a run writes to its execution, all of it each time; another start takes it out. */
const NOT_ENDED = {
  outcome: null,
  duration_ms: null,
  tokens_input: null,
  tokens_output: null,
  tokens_estimated: null,
  nano_usd: null,
  result_summary: null,
  error_message: null,
  completed_at: null,
} as const satisfies ExecutionChange;
type ExecutionEnd = Required<Pick<ExecutionChange, keyof typeof NOT_ENDED>>;

function runStart({
  runId,
  parentRunId,
  workflowId,
  attempt,
  envelope,
  envelopeHash,
  queueDepth,
  serves,
  cached,
  at,
}: Event<'run-start'>): Write[] {
  const started = attempt === 1 ? { startedAt: at } : {};
  const set = {
    status: 'running',
    outcome: null,
    error: null,
    endedAt: null,
    durationMs: null,
    attempt,
    envelope,
    envelopeHash,
    task: envelope.prompt,
    ...(queueDepth && { queueDepth }),
    ...started,
  };
  const run: Write = { kind: 'update', table: 'run', key: runId, set };
  if (parentRunId === null) {
    return [run, { kind: 'update', table: 'workflow', key: workflowId, set: { status: 'running', ...started } }];
  }
  const execution: ExecutionChange = {
    ...NOT_ENDED,
    status: 'running',
    model: envelope.model,
    envelope_hash: envelopeHash,
    task_description: cutAtCodePoint(envelope.prompt, MAX_TASK_CHARS),
  };
  const writes: Write[] = [run];
  if (!cached) writes.push({ kind: 'update', table: 'sub_agent_execution', key: runId, set: execution });
  if (attempt === 1 && !serves)
    writes.push({ kind: 'update', table: 'workflow', key: workflowId, add: { subAgentCount: 1 } });
  return writes;
}

function runEnd({
  runId,
  parentRunId,
  outcome,
  text,
  error,
  reviews,
  entries,
  queueDepth,
  durationMs,
  worked,
  usage,
  cached,
  workflowId,
  at,
}: Event<'run-end'>): Write[] {
  const status = STATUS_OF[outcome];
  const run: Write = {
    kind: 'update',
    table: 'run',
    key: runId,
    set: {
      ...{ status, outcome, text, error, durationMs, endedAt: at, entries },
      ...(reviews && { reviews }),
      ...(queueDepth && { queueDepth }),
      ...(worked && { workedMs: worked.runMs }),
    },
  };
  const ended = worked ? [run, workedIn(workflowId, worked)] : [run];
  if (parentRunId === null || cached) return ended;
  const execution: ExecutionEnd & ExecutionChange = {
    status,
    outcome,
    duration_ms: Math.round(durationMs),
    tokens_input: usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
    tokens_output: usage.outputTokens,
    tokens_estimated: estimatedTokensOf(usage) || null,
    nano_usd: usage.costUsd === null ? null : Math.round(usage.costUsd * 1e9),
    result_summary: text === '' ? null : summaryOf(text),
    error_message: error?.message ?? null,
    completed_at: at,
  };
  return [...ended, { kind: 'update', table: 'sub_agent_execution', key: runId, set: execution }];
}

function workedIn(workflowId: string, { workflowMs }: NonNullable<Event<'run-end'>['worked']>): Write {
  return { kind: 'update', table: 'workflow', key: workflowId, set: { workedMs: workflowMs } };
}

function entry(runId: string, value: Entry): Write[] {
  return [{ kind: 'put', table: 'message', key: [runId, value.n], row: { entry: value } }];
}

function compacted({ runId, entry: value }: Event<'compaction' | 'compaction-undo'>): Write[] {
  const contextTokens = value.undone ? value.tokensBefore : value.tokensAfter;
  return [...entry(runId, value), { kind: 'update', table: 'run', key: runId, set: { contextTokens } }];
}

function usage({ runId, workflowId, conversationId, request, worked }: Event<'usage'>): Write[] {
  const add = Object.fromEntries(
    Object.entries(tallyOf(request)).map(([field, value = 0]) => [`usage.${field}`, value]),
  );
  const contextTokens = contextTokensOf(request);
  // A rebuild leaves rows of events that are older than working time as they were.
  const set = worked ? { workedMs: worked.runMs, ...(contextTokens !== null && { contextTokens }) } : {};
  return [
    {
      kind: 'put',
      table: 'model_request',
      key: [workflowId, request.requestId],
      row: { ...request, runId, workflowId, conversationId },
    },
    { kind: 'update', table: 'run', key: runId, add, set },
    {
      kind: 'update',
      table: 'workflow',
      key: workflowId,
      add,
      set: worked ? { workedMs: worked.workflowMs } : {},
    },
    { kind: 'update', table: 'conversation', key: conversationId, add },
  ];
}

/** The only code that turns events into rows: for the store, a rebuild, the page and tests. */
import type { DurableEvent } from '#contract/event.ts';
import { isServing } from '#contract/flows/serving.ts';
import { MAX_TASK_CHARS } from '#contract/limits.ts';
import type { Entry } from '#contract/message.ts';
import { titleOf, summaryOf, wholeUnits } from '#contract/messages/short-text.ts';
import { DEMO } from '#contract/providers/demo.ts';
import type { RowChange, RowKey, RowPlace, RowReader, Table, TableRows } from '#contract/rows.ts';
import { endedCall, undoneBy, undoOf } from './call-row.ts';
import { itemHashes } from './item-hashes.ts';
import { memoryKey } from './memory-key.ts';
import { STATUS_OF } from './status-of.ts';
import { addTally, contextTokensOf, estimatedTokensOf, tallyOf, ZERO_TALLY } from './tally.ts';

type Event<T extends DurableEvent['type']> = Extract<DurableEvent, { type: T }>;

/** Returns the changed row, or nothing if there is no such row. */
type ChangeRow = <T extends Table>(
  table: T,
  key: RowKey,
  change: (row: TableRows[T]) => TableRows[T],
  options?: { mayBeMissing?: boolean },
) => RowChange[];

/**
 * Returns the rows that an event changes, whole. A row that the event must change and that does not exist is left out,
 * after a call of `onMissing`.
 */
export function project(
  rows: RowReader,
  event: DurableEvent,
  onMissing: (place: RowPlace) => void = () => undefined,
): RowChange[] {
  const change: ChangeRow = (table, key, changeRow, { mayBeMissing = false } = {}) => {
    const row = rows.get(table, key);
    if (row) return [putRow(table, key, changeRow(row))];
    if (!mayBeMissing) onMissing({ table, key });
    return [];
  };
  // The table is keyed by the event's own type, which the compiler cannot follow through a union.
  return (HANDLERS[event.type] as (event: DurableEvent, change: ChangeRow) => RowChange[])(event, change);
}

/** Returns the places that `project` reads for an event. They do not depend on what the rows contain. */
export function rowsReadBy(event: DurableEvent): RowPlace[] {
  const places: RowPlace[] = [];
  const recorder: RowReader = {
    get: (table, key) => {
      places.push({ table, key });
      return null;
    },
  };
  project(recorder, event);
  return places;
}

const putRow = <T extends Table>(table: T, key: RowKey, row: TableRows[T] | null) => ({ table, key, row }) as RowChange;

const nothing = (): RowChange[] => [];

const HANDLERS: { [T in DurableEvent['type']]: (event: Event<T>, change: ChangeRow) => RowChange[] } = {
  'workflow-start': workflowStart,
  'workflow-end': workflowEnd,
  'workflow-fork': workflowFork,
  'run-queue': runQueue,
  'run-start': runStart,
  'run-end': runEnd,
  'run-say': ({ runId, wordId: id, text, at }, change) =>
    change('run', runId, (run) => ({ ...run, said: [...(run.said ?? []), { id, text, at }] })),
  // A notice can arrive after its conversation was purged.
  notice: ({ runId, level, text, at }, change) =>
    change('run', runId, (run) => ({ ...run, notices: [...(run.notices ?? []), { level, text, at }] }), {
      mayBeMissing: true,
    }),
  'message-start': nothing,
  'message-part': nothing,
  'message-end': messageEnd,
  handoff: ({ runId, entry }) => [putEntry(runId, entry)],
  compaction: projectCompaction,
  'compaction-undo': projectCompaction,
  'tool-start': ({ runId, toolCallId, name, at: startedAt }) => [
    putRow('tool_call', [runId, toolCallId], {
      runId,
      toolCallId,
      name,
      status: 'running',
      startedAt,
      endedAt: null,
    }),
  ],
  'tool-end': (event) => {
    const { runId, entry } = event;
    return [putEntry(runId, entry), putRow('tool_call', [runId, entry.toolCallId], endedCall(event))];
  },
  'change-undo': (event, change) =>
    change('tool_call', [event.runId, event.toolCallId], (call) => ({
      ...call,
      ...undoneBy(event),
      undos: [...(call.undos ?? []), undoOf(event)],
    })),
  'approval-request': approvalRequest,
  'approval-decide': ({ approvalId, decision }, change) =>
    change('approval', approvalId, (row) => ({
      ...row,
      decisions: replaceAt(row.decisions, decision.item, decision),
      open: row.open - 1,
    })),
  'context-request': contextChange,
  'context-end': contextChange,
  usage,
  'turn-start': nothing,
  'turn-end': nothing,
  'request-start': nothing,
  retry: nothing,
  'plan-change': ({ runId, items: plan }, change) => change('run', runId, (run) => ({ ...run, plan })),
  'memory-change': memoryChange,
  // The whole grant: other conversations may have changed it.
  'grant-change': ({ grant }) => [putRow('permission_grant', grant.id, grant)],
  'limit-change': ({ of, runId, workflowId, limits }, change) =>
    of === 'run'
      ? change('run', runId, (run) => ({ ...run, limits }))
      : change('workflow', workflowId, (row) => ({ ...row, budget: limits })),
};

function workflowStart(event: Event<'workflow-start'>, change: ChangeRow): RowChange[] {
  const { workflowId, conversationId, prompt, attempt, approve, budget, copiedFrom, at, seq } = event;
  const conversation = change('conversation', conversationId, (row) => ({
    ...row,
    ...(!copiedFrom && { updatedAt: at }),
    lastSeq: seq,
    ...(seq === 1 && !copiedFrom && row.title === '' && { title: titleOf(prompt) }),
  }));
  if (attempt === 1) return [...conversation, startedWorkflow(event)];
  const again = change('workflow', workflowId, (row) => ({
    ...row,
    status: 'pending',
    outcome: null,
    text: '',
    error: null,
    endedAt: null,
    durationMs: null,
    approve,
    attempt,
    ...(budget && { budget }),
  }));
  return [...conversation, ...again];
}

/** Returns the row of a workflow after its first start. */
function startedWorkflow(event: Event<'workflow-start'>): RowChange {
  const { workflowId, conversationId, runId, agent, prompt, approve, attempt, at, seq } = event;
  const { budget, images, chosen, sentAs, copiedFrom, from } = event;
  return putRow('workflow', workflowId, {
    id: workflowId,
    conversationId,
    runId,
    prompt,
    agents: [agent],
    approve,
    status: 'pending',
    outcome: null,
    text: '',
    error: null,
    attempt,
    createdAt: at,
    startedAt: null,
    endedAt: null,
    durationMs: null,
    firstSeq: seq,
    lastSeq: seq,
    subAgentCount: 0,
    usage: ZERO_TALLY,
    ...(budget && { budget }),
    ...(images && { images }),
    ...(chosen && { chosen }),
    ...(sentAs && { sentAs }),
    ...(copiedFrom && { copiedFrom }),
    ...(from && { from }),
  });
}

function workflowEnd(event: Event<'workflow-end'>, change: ChangeRow): RowChange[] {
  const { workflowId, conversationId, outcome, text, error, durationMs, at, seq, copiedFrom } = event;
  const status = STATUS_OF[outcome];
  const end = { status, outcome, text, error, durationMs, endedAt: at, lastSeq: seq };
  return [
    ...change('workflow', workflowId, (row) => ({ ...row, ...end })),
    ...change('conversation', conversationId, (row) => ({
      ...row,
      ...(!copiedFrom && { updatedAt: at }),
      lastSeq: seq,
    })),
  ];
}

function workflowFork(event: Event<'workflow-fork'>, change: ChangeRow): RowChange[] {
  const { workflowId, to, end, at, step, upTo } = event;
  const fork = { conversationId: to, end, at, ...(step && { step }), ...(upTo !== undefined && { upTo }) };
  return change('workflow', workflowId, (row) => ({ ...row, forks: [...(row.forks ?? []), fork] }));
}

function runQueue(event: Event<'run-queue'>, change: ChangeRow): RowChange[] {
  const { runId, conversationId, workflowId, parentRunId, toolCallId, item, agent, name, title, kind, depth } = event;
  const { place, parentChain, traceId, task, envelope, envelopeHash, copiedFrom, again, at } = event;
  const run = putRow('run', runId, {
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
    ...(copiedFrom && { copiedFrom }),
  });
  if (parentRunId === null) {
    if (envelope.provider !== DEMO) return [run];
    return [run, ...change('workflow', workflowId, (row) => ({ ...row, demo: true }))];
  }
  const workflow = change('workflow', workflowId, (row) =>
    row.agents.includes(agent) ? row : { ...row, agents: [...row.agents, agent] },
  );
  // A copy is listed and counted in the conversation in which it worked.
  return copiedFrom ? [run, ...workflow] : [run, queuedExecution(event, parentRunId), ...workflow];
}

function queuedExecution(event: Event<'run-queue'>, parentRunId: string): RowChange {
  const { runId, workflowId, name, kind, place, parentChain, traceId, task, envelope, envelopeHash, at } = event;
  return putRow('sub_agent_execution', runId, {
    workflow_id: workflowId,
    parent_agent_id: parentRunId,
    sub_agent_id: runId,
    sub_agent_name: name,
    task_description: shortTask(task),
    status: 'pending',
    kind,
    model: envelope.model,
    envelope_hash: envelopeHash,
    trace_id: traceId,
    parent_chain: parentChain,
    created_at: at,
    ...(isServing(event) && { parent_execution_id: parentRunId }),
    ...(kind === 'chain' && { chain_trigger: 'next' }),
    ...(kind === 'chain' && place !== undefined && { chain_index: place }),
  });
}

function shortTask(task: string): string {
  return task.slice(0, wholeUnits(task, MAX_TASK_CHARS));
}

type Execution = TableRows['sub_agent_execution'];

/** The fields that the end of a run writes to its execution. */
const END_FIELDS: ReadonlySet<string> = new Set<keyof Execution>([
  'outcome',
  'duration_ms',
  'tokens_input',
  'tokens_output',
  'tokens_estimated',
  'nano_usd',
  'result_summary',
  'error_message',
  'completed_at',
]);

function withoutEnd(execution: Execution): Execution {
  return Object.fromEntries(Object.entries(execution).filter(([field]) => !END_FIELDS.has(field))) as Execution;
}

function runStart(event: Event<'run-start'>, change: ChangeRow): RowChange[] {
  const { runId, parentRunId, workflowId, attempt, envelope, envelopeHash, queueDepth, serves, copiedFrom, at } = event;
  const started = attempt === 1 ? { startedAt: at } : {};
  const run = change('run', runId, (row) => ({
    ...row,
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
  }));
  if (parentRunId === null)
    return [...run, ...change('workflow', workflowId, (row) => ({ ...row, status: 'running', ...started }))];
  const execution = copiedFrom
    ? []
    : change('sub_agent_execution', runId, (row) => ({
        ...withoutEnd(row),
        status: 'running',
        model: envelope.model,
        envelope_hash: envelopeHash,
        task_description: shortTask(envelope.prompt),
      }));
  const workflow =
    attempt === 1 && !serves
      ? change('workflow', workflowId, (row) => ({ ...row, subAgentCount: row.subAgentCount + 1 }))
      : [];
  return [...run, ...execution, ...workflow];
}

function runEnd(event: Event<'run-end'>, change: ChangeRow): RowChange[] {
  const { runId, parentRunId, workflowId, outcome, text, error, reviews, entries, queueDepth } = event;
  const { durationMs, worked, copiedFrom, at } = event;
  const run = change('run', runId, (row) => ({
    ...row,
    status: STATUS_OF[outcome],
    outcome,
    text,
    error,
    durationMs,
    endedAt: at,
    ...(entries !== undefined && { entries }),
    ...(reviews && { reviews }),
    ...(queueDepth && { queueDepth }),
    ...(worked && { workedMs: worked.runMs }),
  }));
  const workflow = worked ? change('workflow', workflowId, (row) => ({ ...row, workedMs: worked.workflowMs })) : [];
  const execution =
    parentRunId === null || copiedFrom ? [] : change('sub_agent_execution', runId, (row) => endedExecution(row, event));
  return [...run, ...workflow, ...execution];
}

function endedExecution(row: Execution, { outcome, text, error, durationMs, usage, at }: Event<'run-end'>): Execution {
  const estimated = estimatedTokensOf(usage);
  return {
    ...withoutEnd(row),
    status: STATUS_OF[outcome],
    outcome,
    duration_ms: Math.round(durationMs),
    tokens_input: usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
    tokens_output: usage.outputTokens,
    ...(estimated > 0 && { tokens_estimated: estimated }),
    ...(usage.costUsd !== null && { nano_usd: Math.round(usage.costUsd * 1e9) }),
    ...(text !== '' && { result_summary: summaryOf(text) }),
    ...(error && { error_message: error.message }),
    completed_at: at,
  };
}

function putEntry(runId: string, entry: Entry): RowChange {
  return putRow('message', [runId, entry.n], { entry });
}

function messageEnd({ runId, entry }: Event<'message-end'>): RowChange[] {
  const message = putEntry(runId, entry);
  return entry.kind === 'assistant' ? [message, putRow('open_message', entry.messageId, null)] : [message];
}

function projectCompaction({ runId, entry }: Event<'compaction' | 'compaction-undo'>, change: ChangeRow): RowChange[] {
  const contextTokens = entry.undone ? entry.tokensBefore : entry.tokensAfter;
  return [putEntry(runId, entry), ...change('run', runId, (run) => ({ ...run, contextTokens }))];
}

function approvalRequest({ approval: request }: Event<'approval-request'>): RowChange[] {
  const open = itemHashes(request.subject).length;
  const decisions = Array.from({ length: open }, () => null);
  return [putRow('approval', request.id, { workflowId: request.workflowId, request, decisions, open })];
}

function contextChange(
  { approvalId, n, context }: Event<'context-request' | 'context-end'>,
  change: ChangeRow,
): RowChange[] {
  return change('approval', approvalId, (row) => ({ ...row, context: replaceAt(row.context ?? [], n, context) }));
}

/** Returns a copy of the list with an element replaced, or added at its end. */
function replaceAt<T>(list: readonly T[], index: number, value: T): T[] {
  return index === list.length ? [...list, value] : list.with(index, value);
}

function usage(event: Event<'usage'>, change: ChangeRow): RowChange[] {
  const { runId, workflowId, conversationId, request, worked } = event;
  const tally = tallyOf(request);
  const contextTokens = contextTokensOf(request);
  return [
    putRow('model_request', [workflowId, request.requestId], { ...request, runId, workflowId, conversationId }),
    ...change('run', runId, (row) => ({
      ...row,
      usage: addTally(row.usage, tally),
      ...(worked && { workedMs: worked.runMs }),
      ...(worked && contextTokens !== null && { contextTokens }),
    })),
    ...change('workflow', workflowId, (row) => ({
      ...row,
      usage: addTally(row.usage, tally),
      ...(worked && { workedMs: worked.workflowMs }),
    })),
    ...change('conversation', conversationId, (row) => ({ ...row, usage: addTally(row.usage, tally) })),
  ];
}

function memoryChange({ scope, folder, name, text, at, ...event }: Event<'memory-change'>): RowChange[] {
  const key = memoryKey(scope, folder, name);
  if (text === null) return [putRow('memory', key, null)];
  const { conversationId, workflowId, runId, parentRunId, agent } = event;
  const writer = { conversationId, workflowId, runId, parentRunId, agent };
  return [putRow('memory', key, { scope, folder, name, text, updatedAt: at, writer })];
}

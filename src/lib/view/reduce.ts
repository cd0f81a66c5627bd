/** Reduces events into the view of a conversation: pure, the same live, after a reload and from history. */
import { endedCall, undoneBy, undoOf } from '#contract/call-row.ts';
import type { AgentEvent, DurableEvent, HintEvent } from '#contract/event.ts';
import type { Entry } from '#contract/message.ts';
import type { ProviderWait } from '#contract/messages/provider-wait.ts';
import type { RunRow, Snapshot, ToolCallRow, WorkflowRow } from '#contract/view.ts';
import { STATUS_OF } from '#contract/status-of.ts';
import { isDemoRun } from './demo.ts';
import { withContext, withDecision } from './answers.ts';
import { aside, left, noticed, used, withoutAside } from './compactions.ts';
import { applyHint, applyPart, opened, withEmptyParts, withoutOpen } from './open-messages.ts';
import { type Output, outputsWithout, withOutput } from './outputs.ts';
import { withWait } from './provider-waits.ts';
import { withWord } from './said.ts';
import { itemCountOf } from './subject.ts';
import { forkOf, startedAgain, startedWorkflow } from '#contract/messages/workflow-row.ts';
import { addTally, tallyOf, ZERO_TALLY } from '#contract/tally.ts';
import { titleOf } from '#contract/messages/short-text.ts';
import { entriesIn, putEntry, type RunEntries } from './run-entries.ts';
import { withAsking, withTurn } from './waiting.ts';

type Event<T extends DurableEvent['type']> = Extract<DurableEvent, { type: T }>;

/** The rows of a snapshot, kept up to date by events, and state that is never stored. */
export interface View extends Omit<Snapshot, 'entries' | 'waits'> {
  entries: RunEntries;
  /** By run id: requests that wait for their provider. */
  waits: Readonly<Record<string, ProviderWait>>;
  /** Ids of runs whose answer is being reviewed. */
  reviewing: readonly string[];
  /** What running calls have printed last; gone when they end. */
  outputs: readonly Output[];
  /** Ids of runs whose context is being summarised. */
  compacting: readonly string[];
}

export function fromSnapshot(snapshot: Snapshot): View {
  return {
    ...snapshot,
    entries: entriesIn(snapshot.entries),
    open: snapshot.open.map(withEmptyParts),
    waits: snapshot.waits ?? {},
    reviewing: [],
    outputs: [],
    compacting: [],
    asking: snapshot.asking ?? {},
  };
}

/** Applies one event: a durable event at most once, by its `seq`; a hint to open messages only. */
export function reduce(view: View, event: AgentEvent): View {
  if (!('seq' in event)) return withHint(withWait(view, event), event);
  if (event.seq <= view.seq) return view;
  const next = apply(withWait(view, event), event);
  return { ...next, seq: event.seq, conversation: { ...next.conversation, lastSeq: event.seq } };
}

function withHint(view: View, hint: HintEvent): View {
  if (hint.type === 'request-silent') return view;
  return hint.type === 'tool-output' ? withOutput(view, hint) : applyHint(view, hint);
}

/**
 * The view from a snapshot and the events that arrived while it was requested. Events up to the last one that the
 * snapshot includes are skipped; of the hints after it, overlapping text is cut.
 */
export function attach(snapshot: Snapshot, early: readonly AgentEvent[]): View {
  const known = early.findLastIndex((event) => 'seq' in event && event.seq <= snapshot.seq);
  return early.slice(known + 1).reduce(reduce, fromSnapshot(snapshot));
}

/** The view with a page of older workflows before it. */
export function withEarlier(view: View, page: Snapshot): View {
  const known = new Set(view.workflows.map(({ id }) => id));
  const workflows = page.workflows.filter(({ id }) => !known.has(id));
  const added = new Set(workflows.map(({ id }) => id));
  const runs = page.runs.filter(({ workflowId }) => added.has(workflowId));
  const ids = new Set(runs.map(({ id }) => id));
  return {
    ...view,
    more: page.more,
    workflows: [...workflows, ...view.workflows],
    runs: [...runs, ...view.runs],
    entries: new Map([...entriesIn(page.entries), ...view.entries]),
    calls: [...page.calls.filter(({ runId }) => ids.has(runId)), ...view.calls],
    approvals: [...page.approvals.filter(({ request }) => added.has(request.workflowId)), ...view.approvals],
  };
}

/** The view with the loaded entries of a run, merged with those that arrived since. */
export function withEntries(view: View, runId: string, loaded: readonly Entry[]): View {
  const read = new Set(loaded.map(({ n }) => n));
  // A response keeps the place that it had before its calls got their results: what came since may stand between.
  const since = (view.entries.get(runId) ?? []).filter(({ n }) => !read.has(n));
  const list = [...loaded, ...since].sort((a, b) => a.n - b.n);
  return list.length === 0 ? view : { ...view, entries: new Map(view.entries).set(runId, list) };
}

/** The view with rows of calls as they are now: a snapshot has none of sub-agents that have ended. */
export function withCalls(view: View, loaded: readonly ToolCallRow[]): View {
  return { ...view, calls: loaded.reduce(putCall, view.calls) };
}

/** Whether all entries of a run are loaded: `n` counts from 0 without gaps, in order. */
export function hasAllEntries(view: View, run: RunRow): boolean {
  return run.attempt === 0 || view.entries.get(run.id)?.[0]?.n === 0;
}

function apply(view: View, event: DurableEvent): View {
  switch (event.type) {
    case 'workflow-start':
      return workflowStart(view, event);
    case 'workflow-end':
      return workflowEnd(view, event);
    case 'run-queue':
      return runQueue(view, event);
    case 'run-start':
      return runStart(view, event);
    case 'run-end':
      return runEnd(view, event);
    case 'message-start':
      return { ...view, open: opened(view.open, event) };
    case 'message-part':
      return applyPart(view, event);
    case 'message-end':
    case 'handoff':
      return messageEnd(view, event);
    case 'compaction':
    case 'compaction-undo':
      return { ...messageEnd(view, event), runs: setRun(view, event.runId, () => left(event)) };
    case 'tool-start':
      return toolStart(view, event);
    case 'tool-end':
      return toolEnd(view, event);
    case 'approval-request':
      return approvalRequest(view, event);
    case 'approval-decide':
      return { ...view, approvals: withDecision(view.approvals, event) };
    case 'context-request':
    case 'context-end':
      return { ...view, approvals: withContext(view.approvals, event) };
    case 'usage':
      return usage(view, event);
    case 'turn-start':
    case 'request-start':
      return withTurn(view, event);
    case 'retry':
    case 'turn-end':
    case 'memory-change':
    case 'grant-change':
      return view;
    case 'plan-change':
      return { ...view, runs: setRun(view, event.runId, () => ({ plan: event.items })) };
    case 'notice':
    case 'run-say':
    case 'run-again':
      return { ...view, runs: setRun(view, event.runId, (run) => withBeside(run, event)) };
    case 'limit-change':
      return limitChange(view, event);
    case 'change-undo':
      return changeUndo(view, event);
    case 'workflow-leave':
      return { ...view, workflows: setWorkflow(view, event.workflowId, () => ({ left: event.left })) };
    case 'workflow-fork':
      return workflowFork(view, event);
  }
}

function workflowFork(view: View, event: Event<'workflow-fork'>): View {
  const added = ({ forks }: WorkflowRow) => ({ forks: [...(forks ?? []), forkOf(event)] });
  return { ...view, workflows: setWorkflow(view, event.workflowId, added) };
}

/** What stands beside its transcript: notices, what the person said to it, that it was run again. */
function withBeside(run: RunRow, event: Event<'notice' | 'run-say' | 'run-again'>): Partial<RunRow> {
  if (event.type === 'notice') return noticed(run, event);
  if (event.type === 'run-say') return withWord(run, event);
  return { agains: [...(run.agains ?? []), { ...event.again, at: event.at }] };
}

function approvalRequest(view: View, { approval: request }: Event<'approval-request'>): View {
  const approval = { request, decisions: Array.from({ length: itemCountOf(request) }, () => null) };
  return { ...view, approvals: [...view.approvals.filter(({ request: { id } }) => id !== request.id), approval] };
}

function workflowStart(view: View, event: Event<'workflow-start'>): View {
  const { workflowId, prompt, attempt, taken, at, seq } = event;
  const isFirst = seq === 1 && view.conversation.title === '';
  const changed = taken ? {} : { updatedAt: at, ...(isFirst ? { title: titleOf(prompt) } : {}) };
  const conversation = { ...view.conversation, ...changed };
  const workflows =
    attempt > 1
      ? setWorkflow(view, workflowId, () => startedAgain(event))
      : [...view.workflows, startedWorkflow(event)];
  return { ...view, conversation, workflows };
}

function limitChange(view: View, { of, runId, workflowId, limits }: Event<'limit-change'>): View {
  return of === 'run'
    ? { ...view, runs: setRun(view, runId, () => ({ limits })) }
    : { ...view, workflows: setWorkflow(view, workflowId, () => ({ budget: limits })) };
}

function workflowEnd(view: View, event: Event<'workflow-end'>): View {
  const { workflowId, outcome, text, error, durationMs, at, seq, taken } = event;
  const set = {
    status: STATUS_OF[outcome],
    outcome,
    text,
    error,
    durationMs,
    endedAt: at,
    lastSeq: seq,
  };
  return {
    ...view,
    conversation: { ...view.conversation, ...(!taken && { updatedAt: at }) },
    workflows: setWorkflow(view, workflowId, () => set),
    open: view.open.filter((message) => message.workflowId !== workflowId),
  };
}

function runQueue(view: View, event: Event<'run-queue'>): View {
  const { runId, conversationId, workflowId, parentRunId, toolCallId, item, agent, name, title, kind, depth } = event;
  const { place, parentChain, traceId, task, envelope, envelopeHash, again, at } = event;
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
    ...(event.cached && { cached: event.cached }),
  };
  const runs = [...view.runs.filter(({ id }) => id !== runId), row];
  if (parentRunId === null) {
    const demo = isDemoRun(row) ? { demo: true } : {};
    return { ...view, runs, workflows: setWorkflow(view, workflowId, () => demo) };
  }
  const workflows = setWorkflow(view, workflowId, ({ agents }) =>
    agents.includes(agent) ? {} : { agents: [...agents, agent] },
  );
  return { ...view, runs, workflows };
}

function runStart(view: View, event: Event<'run-start'>): View {
  const { runId, parentRunId, workflowId, attempt, envelope, envelopeHash, at } = event;
  const started = attempt === 1 ? { startedAt: at } : {};
  const ended = { outcome: null, error: null, endedAt: null, durationMs: null };
  const set = {
    status: 'running' as const,
    ...ended,
    attempt,
    envelope,
    envelopeHash,
    task: envelope.prompt,
    ...started,
  };
  const runs = setRun(view, runId, () => set);
  if (parentRunId === null) {
    return {
      ...view,
      runs,
      workflows: setWorkflow(view, workflowId, () => ({ status: 'running', ...started })),
    };
  }
  if (attempt > 1 || event.serves) return { ...view, runs };
  return {
    ...view,
    runs,
    workflows: setWorkflow(view, workflowId, ({ subAgentCount }) => ({ subAgentCount: subAgentCount + 1 })),
  };
}

function runEnd(view: View, event: Event<'run-end'>): View {
  const { runId, workflowId, outcome, text, error, reviews, entries, durationMs, worked, at } = event;
  const end = { status: STATUS_OF[outcome], outcome, text, error, durationMs, endedAt: at };
  const set = { ...end, ...(reviews && { reviews }), ...(entries !== undefined && { entries }) };
  const times = worked ? { workedMs: worked.runMs } : {};
  const workflows = worked ? setWorkflow(view, workflowId, () => ({ workedMs: worked.workflowMs })) : view.workflows;
  const open = view.open.filter((message) => message.runId !== runId);
  const outputs = outputsWithout(view, runId);
  const runs = setRun(view, runId, () => ({ ...set, ...times }));
  return { ...withAsking(withoutAside(view, runId), event, null), runs, workflows, open, outputs };
}

function messageEnd(
  view: View,
  { runId, entry }: Event<'message-end' | 'handoff' | 'compaction' | 'compaction-undo'>,
): View {
  const next = { ...view, entries: putEntry(view.entries, runId, entry) };
  return entry.kind === 'assistant' ? { ...next, open: withoutOpen(view.open, entry.messageId) } : next;
}

function toolStart(view: View, { runId, toolCallId, name, at }: Event<'tool-start'>): View {
  const row: ToolCallRow = { runId, toolCallId, name, status: 'running', startedAt: at, endedAt: null };
  return { ...view, calls: putCall(view.calls, row) };
}

function toolEnd(view: View, event: Event<'tool-end'>): View {
  return {
    ...view,
    outputs: outputsWithout(view, event.runId, event.entry.toolCallId),
    entries: putEntry(view.entries, event.runId, event.entry),
    calls: putCall(view.calls, endedCall(event)),
  };
}

function changeUndo(view: View, event: Event<'change-undo'>): View {
  const { runId, toolCallId } = event;
  const row = view.calls.find((call) => call.runId === runId && call.toolCallId === toolCallId);
  if (!row) return view;
  const undos = [...(row.undos ?? []), undoOf(event)];
  return { ...view, calls: putCall(view.calls, { ...row, ...undoneBy(event), undos }) };
}

function usage(view: View, { runId, workflowId, request, worked }: Event<'usage'>): View {
  const add = tallyOf(request);
  const sum = (row: { usage: typeof add }) => ({ usage: addTally(row.usage, add) });
  const time = (workedMs: number | undefined) => (workedMs === undefined ? {} : { workedMs });
  return {
    ...aside(view, runId, request.purpose, false),
    conversation: { ...view.conversation, ...sum(view.conversation) },
    workflows: setWorkflow(view, workflowId, (row) => ({ ...sum(row), ...time(worked?.workflowMs) })),
    runs: setRun(view, runId, (row) => ({ ...sum(row), ...time(worked?.runMs), ...(worked && used(request)) })),
  };
}

function setWorkflow(view: View, id: string, change: (row: WorkflowRow) => Partial<WorkflowRow>): WorkflowRow[] {
  return view.workflows.map((row) => (row.id === id ? { ...row, ...change(row) } : row));
}

function setRun(view: View, id: string, change: (row: RunRow) => Partial<RunRow>): RunRow[] {
  return view.runs.map((row) => (row.id === id ? { ...row, ...change(row) } : row));
}

function putCall(calls: ToolCallRow[], row: ToolCallRow): ToolCallRow[] {
  // From the end: what changes is nearly always new.
  const at = calls.findLastIndex(({ runId, toolCallId }) => toolCallId === row.toolCallId && runId === row.runId);
  return at < 0 ? [...calls, row] : calls.with(at, row);
}

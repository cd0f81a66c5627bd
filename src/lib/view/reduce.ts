/** Reduces events into the view of a conversation: pure, the same live, after a reload and from history. */
import type { AgentEvent, DurableEvent, HintEvent } from '#contract/event.ts';
import type { Entry } from '#contract/message.ts';
import { findProviderWait } from '#contract/messages/find-provider-wait.ts';
import type { ProviderWait } from '#contract/messages/provider-wait.ts';
import type { RunRow, Snapshot, ToolCallRow } from '#contract/view.ts';
import { project } from '#domain/project.ts';
import { applyHint, applyPart, opened, withEmptyParts, withoutOpen } from './open-messages.ts';
import { type Output, outputsWithout, withOutput } from './outputs.ts';
import { withoutSideRequests, withSideRequest } from './side-requests.ts';
import { type RunEntries, withRuns } from './run-entries.ts';
import { ViewRows } from './view-rows.ts';
import { withAsking, withTurn } from './waiting.ts';

/** The rows of a snapshot, kept up to date by events, and state that is never stored. */
export interface View extends Omit<Snapshot, 'entries' | 'waits'> {
  entries: RunEntries;
  /** By run id: requests that wait for their provider. */
  waits: Readonly<Record<string, ProviderWait>>;
  /** Ids of runs whose answer is being reviewed. */
  reviewing: readonly string[];
  /** The last output of running calls; removed when they end. */
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

/** Returns the stored entries by run. */
export function entriesIn(stored: Snapshot['entries']): RunEntries {
  const lists = Object.entries(stored).filter(([, list]) => list.length > 0);
  return withRuns(new Map(), lists);
}

/** Applies events in order: a durable event at most once, by its `seq`; a hint only to state that is never stored. */
export function reduce(view: View, events: readonly AgentEvent[]): View {
  const rows = new ViewRows(view);
  let next = view;
  for (const event of events) {
    if (!('seq' in event)) next = withHint(withWait(next, event), event, rows);
    else if (event.seq > next.seq) {
      for (const change of project(rows, event)) rows.put(change);
      next = { ...withState(withWait(next, event), event), seq: event.seq };
    }
  }
  if (next.seq === view.seq) return next;
  const { conversation, ...lists } = rows.lists;
  return { ...next, ...lists, conversation: { ...conversation, lastSeq: next.seq } };
}

/** Returns the view with the waits as they are after an event. A failed attempt also ends its message. */
function withWait(view: View, event: AgentEvent): View {
  const wait = findProviderWait(event);
  const { runId } = event;
  if (wait === undefined || (wait === null && !(runId in view.waits))) return view;
  const { [runId]: _before, ...others } = view.waits;
  if (wait === null) return { ...view, waits: others };
  const open = wait.error ? view.open.filter((message) => message.runId !== runId) : view.open;
  return { ...view, open, waits: { ...others, [runId]: wait } };
}

function withHint(view: View, hint: HintEvent, rows: ViewRows): View {
  if (hint.type === 'request-silent') return view;
  if (hint.type !== 'tool-output') return applyHint(view, hint);
  // A late hint does not show the output again.
  const isRunning = rows.get('tool_call', [hint.runId, hint.toolCallId])?.status === 'running';
  return isRunning ? withOutput(view, hint) : view;
}

/** Returns the view with the state that is never stored as it is after an event. */
function withState(view: View, event: DurableEvent): View {
  switch (event.type) {
    case 'workflow-end':
      return { ...view, open: view.open.filter(({ workflowId }) => workflowId !== event.workflowId) };
    case 'run-end': {
      const open = view.open.filter(({ runId }) => runId !== event.runId);
      const outputs = outputsWithout(view.outputs, event.runId);
      return { ...withAsking(withoutSideRequests(view, event.runId), event, null), open, outputs };
    }
    case 'message-start':
      return { ...view, open: opened(view.open, event) };
    case 'message-part':
      return applyPart(view, event);
    case 'message-end':
      return event.entry.kind === 'assistant' ? { ...view, open: withoutOpen(view.open, event.entry.messageId) } : view;
    case 'tool-end':
      return { ...view, outputs: outputsWithout(view.outputs, event.runId, event.entry.toolCallId) };
    case 'usage':
      return withSideRequest(view, { runId: event.runId, purpose: event.request.purpose, isOpen: false });
    case 'turn-start':
    case 'request-start':
      return withTurn(view, event);
    default:
      return view;
  }
}

/**
 * The view from a snapshot and the events that arrived while it was requested. Events up to the last one that the
 * snapshot includes are skipped; of the hints after it, overlapping text is cut.
 */
export function attach(snapshot: Snapshot, early: readonly AgentEvent[]): View {
  const known = early.findLastIndex((event) => 'seq' in event && event.seq <= snapshot.seq);
  return reduce(fromSnapshot(snapshot), early.slice(known + 1));
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
    entries: withRuns(entriesIn(page.entries), view.entries),
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
  return list.length === 0 ? view : { ...view, entries: withRuns(view.entries, [[runId, list]]) };
}

/** The view with rows of calls as they are now: a snapshot has none of sub-agents that have ended. */
export function withCalls(view: View, loaded: readonly ToolCallRow[]): View {
  const rows = new ViewRows(view);
  for (const row of loaded) rows.put({ table: 'tool_call', key: [row.runId, row.toolCallId], row });
  return { ...view, calls: rows.lists.calls };
}

/** Whether all entries of a run are loaded: `n` counts from 0 without gaps, in order. */
export function hasAllEntries(view: View, run: RunRow): boolean {
  return run.attempt === 0 || view.entries.get(run.id)?.[0]?.n === 0;
}

/** The sweep at start: what a dead process left running is marked interrupted, with nothing lost and nothing repeated. */
import { estimatedTokens } from '#contract/context/estimate.ts';
import type { DurableEvent, RequestPurpose, RequestStart, RequestUsage, SubAgentSummary } from '#contract/event.ts';
import type { ErrorInfo } from '#contract/error.ts';
import { isReported } from '#contract/flows/serving.ts';
import type { OpenMessage, RunRow, WorkflowRow } from '#contract/view.ts';
import { interruptedExchanges } from '../approvals/exchange.ts';
import type { Engine } from '../runs/engine.ts';
import type { EventLog } from '#core/store/log/event-log.ts';
import { reviewedIn, salvaged } from '#core/store/log/transcript.ts';
import { failureContextOf } from '#core/store/log/failure-context.ts';
import type { Payload, RunIds } from '#core/store/log/recorder.ts';
import type { Store } from '../store/store.ts';
import { charsOf, endOf, type Unfinished, unfinishedMessages } from '#core/store/log/unfinished-messages.ts';
import { usageOf } from '../base/usage.ts';

const INTERRUPTED: ErrorInfo = { code: 'interrupted', message: 'The program ended while this was running' };

type Price = Engine['price'];

/** `only`: this workflow, which was interrupted because of that, while others go on. */
interface Only {
  workflowId: string;
  error: ErrorInfo;
}

/** Only unfinished workflows are looked at, of which nothing runs. Returns how many there were. */
export async function sweep(store: Store, log: EventLog, price: Price, only?: Only): Promise<number> {
  const error = only?.error ?? INTERRUPTED;
  const unfinished = await store.unfinishedWorkflows();
  const workflows = unfinished.filter(({ id }) => only === undefined || id === only.workflowId);
  const open = await store.openMessages();
  const ended = only ? [] : open.filter(({ workflowId }) => unfinished.every(({ id }) => id !== workflowId));
  for (const message of ended) await countAtRest(store, log, price, message);
  for (const workflow of workflows) {
    const { conversationId } = workflow;
    await log.open(conversationId);
    const found = await store.runsOf([workflow.id]);
    const events = await store.events(conversationId, workflow.firstSeq, await store.lastSeq(conversationId));
    const ofWorkflow = open.filter((message) => message.workflowId === workflow.id);
    const cut = unfinishedMessages(events, ofWorkflow);
    const messagesOf = (runId: string) => cut.filter((message) => message.runId === runId);
    for (const run of found) {
      if (run.status !== 'running') continue;
      for (const request of unfinishedRequests(events, run, messagesOf(run.id), price, error))
        await append(log, { ...run, runId: run.id }, { type: 'usage', request });
    }
    for (const approval of await store.approvalsOf([workflow.id])) {
      const asking = found.find(({ id }) => id === approval.request.runId);
      if (!asking) continue;
      for (const end of interruptedExchanges(approval)) await append(log, { ...asking, runId: asking.id }, end);
    }
    // Read again: the totals have grown.
    const runs = await store.runsOf([workflow.id]);
    for (const run of runs)
      await closeRun(store, log, run, messagesOf(run.id), { error, durationMs: activeMs(events, run.id) });
    const total = (await store.workflow(workflow.id)) ?? workflow;
    await append(
      log,
      idsOf(workflow, runs),
      workflowEnd(total, runs, { error, durationMs: activeMs(events, workflow.runId) }),
    );
  }
  return workflows.length;
}

/** A request of a workflow that had ended, such as for a summary, was on its way: what it used is counted. */
async function countAtRest(store: Store, log: EventLog, price: Price, message: OpenMessage): Promise<void> {
  const { conversationId, workflowId, runId, messageId } = message;
  const [run, workflow] = await Promise.all([store.run(runId), store.workflow(workflowId)]);
  if (run && workflow) {
    await log.open(conversationId);
    const events = await store.events(conversationId, workflow.firstSeq, await store.lastSeq(conversationId));
    for (const request of unfinishedRequests(events, run, [], price, INTERRUPTED))
      await append(log, { ...run, runId }, { type: 'usage', request });
  }
  await log.save([{ table: 'open_message', key: messageId, row: null }]);
}

/**
 * The requests that were on their way when the process died: each that was sent once, with what the provider had counted
 * of it, or by estimate.
 */
function unfinishedRequests(
  events: readonly DurableEvent[],
  run: RunRow,
  messages: readonly Unfinished[],
  price: Price,
  error: ErrorInfo,
): RequestUsage[] {
  const own = events.filter((event) => event.runId === run.id);
  const last = own.at(-1);
  const counted = new Set(own.flatMap((event) => (event.type === 'usage' ? [event.request.requestId] : [])));
  // Of one that was told twice the second time says more.
  const sent = new Map<string, Sent>();
  for (const event of own) {
    if (event.type !== 'request-start' && event.type !== 'message-start') continue;
    const { at, turn, request } = event;
    if (counted.has(request.requestId)) continue;
    const first = sent.get(request.requestId);
    const aside = event.type === 'request-start' && event.purpose ? { purpose: event.purpose } : {};
    sent.set(request.requestId, { at: first?.at ?? at, turn, ...aside, request });
  }
  const streamed = messages.reduce((sum, message) => sum + charsOf(message), 0);
  return [...sent.values()].map(({ at, request, ...about }) => {
    const chars = about.purpose === undefined ? streamed : 0;
    const usage = { ...request, outputTokens: estimatedTokens(chars), thinkingTokens: 0 };
    const { provider, model } = run.envelope;
    return {
      provider,
      model,
      ...about,
      ...usage,
      reported: false,
      stopReason: null,
      error,
      startedAt: at,
      firstTokenMs: null,
      durationMs: Math.max(0, Date.parse(last?.at ?? at) - Date.parse(at)),
      ...price(model, usage),
    };
  });
}

interface Sent {
  at: string;
  turn: number;
  /** None for a turn's own. */
  purpose?: RequestPurpose;
  request: RequestStart;
}

/** How long a run worked, as far as its events tell: its attempts, without the time between them. */
function activeMs(events: readonly DurableEvent[], runId: string): number {
  let before = 0;
  let start: number | null = null;
  let last = 0;
  for (const event of events) {
    if (event.runId !== runId) continue;
    last = Date.parse(event.at);
    if (event.type === 'run-start') start = last;
    if (event.type === 'run-end') {
      before = event.durationMs;
      start = null;
    }
  }
  return before + (start === null ? 0 : Math.max(0, last - start));
}

/** Sub-agents as their workflow's end tells them. */
export function summariesOf(children: readonly RunRow[]): SubAgentSummary[] {
  return children.map(({ id, agent, kind, status, outcome, durationMs, usage }) => ({
    runId: id,
    agent,
    kind,
    status,
    outcome,
    durationMs,
    usage: usageOf(usage),
  }));
}

/** What there is of its last message is kept. A run that still waits for a yes stays pending. */
async function closeRun(
  store: Store,
  log: EventLog,
  run: RunRow,
  messages: readonly Unfinished[],
  end: { error: ErrorInfo; durationMs: number },
): Promise<void> {
  const ids = { ...run, runId: run.id };
  // A coagent waits for nobody's yes: one that had not begun yet was about to.
  const isRunning = run.status === 'running' || (run.kind === 'coagent' && run.status === 'pending');
  const entries = isRunning || messages.length > 0 ? await store.entriesOf(run.id) : [];
  let next = (entries.at(-1)?.n ?? -1) + 1;
  for (const message of messages) {
    const entry = endOf(message, next);
    await append(log, ids, { type: 'message-end', entry });
    entries.push(entry);
    next = Math.max(next, entry.n + 1);
  }
  if (!isRunning) return;
  entries.sort((a, b) => a.n - b.n);
  await append(log, ids, {
    type: 'run-end',
    outcome: 'interrupted',
    text: salvaged(entries),
    origin: failureContextOf(run),
    ...reviewedIn(entries),
    entries: next,
    ...end,
    usage: usageOf(run.usage),
    ...(run.copiedFrom && { copiedFrom: run.copiedFrom }),
  });
}

function workflowEnd(
  workflow: WorkflowRow,
  runs: readonly RunRow[],
  end: { error: ErrorInfo; durationMs: number },
): Payload {
  const children = runs.filter(isReported);
  const subAgents = summariesOf(children).map((child) =>
    child.status === 'running' ? { ...child, status: 'error' as const, outcome: 'interrupted' as const } : child,
  );
  return {
    type: 'workflow-end',
    outcome: 'interrupted',
    text: '',
    ...end,
    usage: usageOf(workflow.usage),
    subAgents,
  };
}

function idsOf(workflow: WorkflowRow, runs: readonly RunRow[]): RunIds {
  const agent = runs.find((run) => run.id === workflow.runId)?.agent ?? workflow.agents[0] ?? 'lead';
  return {
    conversationId: workflow.conversationId,
    workflowId: workflow.id,
    runId: workflow.runId,
    parentRunId: null,
    agent,
  };
}

async function append(log: EventLog, ids: RunIds, payload: Payload): Promise<void> {
  const { conversationId, workflowId, runId, parentRunId, agent } = ids;
  await log.append({
    ...payload,
    at: new Date().toISOString(),
    conversationId,
    workflowId,
    runId,
    parentRunId,
    agent,
  });
}

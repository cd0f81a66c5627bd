/** The trace of a session: its workflows as trees of runs, with where their time went. Pure; also its stable JSON. */
import type { Approval } from '#contract/approval.ts';
import { wroteOf } from '#domain/call-row.ts';
import { isSubAgent } from '#contract/flows/serving.ts';
import { coveredMs, type SpanKind, spansOf } from '#contract/run-spans.ts';
import type { CompactionEntry } from '#contract/message.ts';
import type { Grant } from '#contract/permission.ts';
import type { Missing } from '#contract/missing.ts';
import { spanIdOf } from '#contract/telemetry/span-ids.ts';
import type { ConversationRow, RunRow, ToolCallRow, WorkflowDetail } from '#contract/view.ts';
import { askedItems } from '#core/approvals/asked-items.ts';
import { createReviewField } from '#contract/history/review-history.ts';
import { callPathOf } from '#core/host/records/run-words.ts';
import { maxQueueDepth } from '#core/host/records/sessions/trace-entries.ts';
import { timesOfRun, timesOfWorkflow } from '#contract/history/work-times.ts';
import { usageOf } from '#core/base/usage.ts';
import { timeFields } from './format.ts';

export type SessionTrace = ReturnType<typeof traceOf>;
export type WorkflowTrace = ReturnType<typeof workflowTrace>;
export type RunTrace = ReturnType<typeof runOnly> & {
  compactions: ReturnType<typeof compactionOf>[];
  children: RunTrace[];
};

/** By run id. */
type Compactions = ReadonlyMap<string, readonly CompactionEntry[]>;

/** What is known beside the rows: what the store has lost, and when contexts were summarised. */
interface Beside {
  missing?: readonly Missing[] | undefined;
  compactions?: Compactions;
}

export function traceOf(
  conversation: ConversationRow,
  details: readonly WorkflowDetail[],
  { missing = [], compactions = new Map() }: Beside = {},
) {
  const { id, title, folder, createdAt, updatedAt } = conversation;
  const workflows = details.map((detail) => workflowTrace(detail, compactions));
  const sumOf = (of: (workflow: (typeof workflows)[number]) => number | null): number =>
    workflows.reduce((sum, workflow) => sum + (of(workflow) ?? 0), 0);
  return {
    id,
    title,
    folder,
    createdAt,
    updatedAt,
    durationMs: sumOf(({ durationMs }) => durationMs),
    workMs: sumOf(({ workMs }) => workMs),
    waitedMs: sumOf(({ waitedMs }) => waitedMs),
    usage: usageOf(conversation.usage),
    ...(missing.length > 0 ? { missing } : {}),
    workflows,
  };
}

function workflowTrace(detail: WorkflowDetail, compactions: Compactions) {
  const { id, prompt, status, outcome, error, attempt, createdAt, startedAt, endedAt, durationMs, usage } =
    detail.workflow;
  return {
    id,
    prompt,
    status,
    outcome,
    error,
    attempt,
    createdAt,
    startedAt,
    endedAt,
    durationMs,
    ...timeFields(timesOfWorkflow(detail.workflow, detail.approvals)),
    usage: usageOf(usage),
    /** Given in it, or used in it; as they are now. */
    grants: detail.grants ?? [],
    /** Of its spans, where they are exported: see docs/telemetry.md. */
    traceId: detail.workflow.runId.replaceAll('-', ''),
    spanId: spanIdOf(id, ['prompt', attempt]),
    maxQueueDepth: maxQueueDepth(detail.runs),
    runs: childrenOf(null, detail, compactions),
  };
}

function childrenOf(parent: string | null, detail: WorkflowDetail, compactions: Compactions): RunTrace[] {
  const siblings = detail.runs.filter(({ parentRunId }) => parentRunId === parent);
  const order = (run: RunRow): number => siblings.filter((one) => roleOf(one) === roleOf(run)).indexOf(run) + 1;
  return siblings.map((run) => ({
    ...runOnly(run, order(run), detail),
    compactions: (compactions.get(run.id) ?? []).map(compactionOf),
    children: childrenOf(run.id, detail, compactions),
  }));
}

function roleOf(run: RunRow): 'primary' | 'sub-agent' | 'stage' | 'coagent' {
  if (run.kind === 'lead') return 'primary';
  return isSubAgent(run) ? 'sub-agent' : run.kind === 'chain' ? 'stage' : 'coagent';
}

/** The model with its origin, null if that is not known, and the reviews of what it answered. */
function modelFields({ envelope, reviews }: RunRow) {
  return { model: envelope.model, modelOrigin: envelope.modelOrigin ?? null, ...createReviewField(reviews) };
}

function runOnly(run: RunRow, order: number, detail: WorkflowDetail) {
  const {
    id,
    name,
    agent,
    title,
    kind,
    depth,
    traceId,
    parentChain,
    task,
    status,
    outcome,
    error,
    attempt,
    durationMs,
  } = run;
  const own = detail.requests.filter(({ runId }) => runId === id);
  const calls = detail.calls.filter(({ runId }) => runId === id);
  return {
    runId: id,
    parentRunId: run.parentRunId,
    agent,
    name,
    title,
    kind,
    depth,
    role: roleOf(run),
    /** Place among its siblings of the same role, from 1. */
    order,
    /** Of a stage: its place in its chain. Of a coagent: the round that it serves in. Null for others. */
    place: run.place ?? null,
    traceId,
    /** Of its newest attempt. */
    spanId: spanIdOf(run.workflowId, ['agent', id, attempt]),
    parentChain,
    ...(run.again && { again: run.again }),
    callPath: callPathOf(run, detail.runs),
    task,
    ...modelFields(run),
    status,
    outcome,
    error,
    attempt,
    queuedAt: run.queuedAt,
    startedAt: run.startedAt,
    endedAt: run.endedAt,
    durationMs,
    ...timeFields(timesOfRun(run, detail)),
    times: timesOf(run, detail),
    usage: usageOf(run.usage),
    requests: own.length,
    toolCalls: calls.map(callOf),
    undos: calls.flatMap(undosOf),
    said: (run.said ?? []).map(({ text, at }) => ({ text, at })),
    approvals: detail.approvals
      .filter(({ request }) => request.runId === id)
      .flatMap((approval) => approvalItems(approval, detail.grants ?? [])),
  };
}

/** Each item of a question with its answer; `runId` is the run that it would start, if any. */
function approvalItems(approval: Approval, grants: readonly Grant[]) {
  const { request } = approval;
  return askedItems(approval).map(({ runId, asked, decision, approved }, item) => ({
    approvalId: request.id,
    item,
    toolCallId: request.toolCallId,
    title: request.title,
    risk: request.risk,
    runId,
    askedAt: request.at,
    decidedAt: decision?.at ?? null,
    allowed: decision?.allowed ?? null,
    outcome: decision?.outcome ?? null,
    decidedBy: decision?.decidedBy ?? null,
    /** The rule that decided, or `grant:` and the id of a grant. */
    ruleId: decision?.ruleId ?? null,
    /** The grant that came with this answer. */
    grantId: grants.find(({ approvalId }) => approvalId === request.id)?.id ?? null,
    reason: decision?.reason ?? null,
    asked,
    approved,
  }));
}

function compactionOf({ at, tokensBefore, tokensAfter, auto, undone = false }: CompactionEntry) {
  return { at, tokensBefore, tokensAfter, auto, undone };
}

function callOf(call: ToolCallRow) {
  const { toolCallId, name, status, startedAt, endedAt, refusal = null } = call;
  const [wrote = null, ...wroteAlso] = wroteOf(call);
  return { toolCallId, name, status, startedAt, endedAt, refusal, wrote, wroteAlso };
}

/** Each time that the person undid what the call wrote, or had it written again. */
function undosOf({ toolCallId, undos = [] }: ToolCallRow) {
  return undos.map(({ path, also = [], undone, at }) => ({
    toolCallId,
    path,
    also,
    undone,
    at,
    by: 'person' as const,
  }));
}

/** In milliseconds. */
function timesOf(run: RunRow, detail: WorkflowDetail) {
  const spans = spansOf(run, detail, null);
  const of = (kind: SpanKind) => spans.filter((span) => span.kind === kind);
  return {
    queuedMs: coveredMs(of('queue')),
    waitingMs: coveredMs(of('wait')),
    // Each request counts, also those that were made at once.
    modelMs: Math.round(of('model').reduce((sum, { from, to }) => sum + to - from, 0)),
    toolsMs: coveredMs(of('tools')),
  };
}

/** The trace of a session: its workflows as trees of runs, with where their time went. Pure; also its stable JSON. */
import type { Approval } from '#contract/approval.ts';
import type { ConversationRow, RunRow, WorkflowDetail } from '#contract/view.ts';
import { usageOf } from '#core/usage.ts';

export type SessionTrace = ReturnType<typeof traceOf>;
export type WorkflowTrace = ReturnType<typeof workflowTrace>;
export type RunTrace = ReturnType<typeof runOnly> & { children: RunTrace[] };

export function traceOf(conversation: ConversationRow, details: readonly WorkflowDetail[]) {
  const { id, title, folder, createdAt, updatedAt } = conversation;
  const workflows = details.map(workflowTrace);
  return {
    ...{ id, title, folder, createdAt, updatedAt },
    durationMs: workflows.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0),
    usage: usageOf(conversation.usage),
    workflows,
  };
}

function workflowTrace(detail: WorkflowDetail) {
  const { id, prompt, status, outcome, error, attempt, createdAt, startedAt, endedAt, durationMs, usage } =
    detail.workflow;
  return {
    ...{ id, prompt, status, outcome, error, attempt, createdAt, startedAt, endedAt, durationMs },
    usage: usageOf(usage),
    runs: childrenOf(null, detail),
  };
}

function childrenOf(parent: string | null, detail: WorkflowDetail): RunTrace[] {
  return detail.runs
    .filter(({ parentRunId }) => parentRunId === parent)
    .map((run, index) => ({ ...runOnly(run, index + 1, detail), children: childrenOf(run.id, detail) }));
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
  return {
    ...{ runId: id, parentRunId: run.parentRunId, agent, name, title, kind, depth },
    role: run.parentRunId === null ? ('primary' as const) : ('sub-agent' as const),
    /** Place among its siblings, from 1. */
    order,
    ...{ traceId, parentChain, task, model: run.envelope.model, status, outcome, error, attempt },
    ...{ queuedAt: run.queuedAt, startedAt: run.startedAt, endedAt: run.endedAt, durationMs },
    times: timesOf(run, detail),
    usage: usageOf(run.usage),
    requests: own.length,
    toolCalls: detail.calls
      .filter(({ runId }) => runId === id)
      .map(({ toolCallId, name: tool, status: state, startedAt, endedAt }) => ({
        toolCallId,
        name: tool,
        status: state,
        startedAt,
        endedAt,
      })),
    approvals: detail.approvals.filter(({ request }) => request.runId === id).flatMap(approvalItems),
  };
}

/** Each item of a question with its answer; `runId` is the run that it would start, if any. */
function approvalItems({ request, decisions }: Approval) {
  return decisions.map((decision, item) => ({
    approvalId: request.id,
    item,
    title: request.title,
    risk: request.risk,
    runId: request.subject.kind === 'envelopes' ? (request.subject.items[item]?.runId ?? null) : null,
    askedAt: request.at,
    decidedAt: decision?.at ?? null,
    allowed: decision?.allowed ?? null,
    outcome: decision?.outcome ?? null,
    decidedBy: decision?.decidedBy ?? null,
    reason: decision?.reason ?? null,
  }));
}

type Span = [from: number, to: number];

/** In milliseconds. Waiting before the start is for the yes that the run needs; what is left of that time is the queue. */
function timesOf(run: RunRow, { approvals, calls, requests }: WorkflowDetail) {
  const started = run.startedAt ?? run.endedAt;
  const before: Span | null = started === null ? null : [Date.parse(run.queuedAt), Date.parse(started)];
  const forYes = approvals.flatMap((approval) => askedFor(approval, run.id));
  const queued =
    before === null ? 0 : before[1] - before[0] - total(forYes.flatMap((span) => within(span, before)));
  const ownQuestions = approvals
    .filter(({ request }) => request.runId === run.id)
    .flatMap(({ request, decisions }) => spans(request.at, decisions));
  return {
    queuedMs: Math.max(0, queued),
    waitingMs: total([...forYes, ...ownQuestions]),
    modelMs: Math.round(
      requests.filter(({ runId }) => runId === run.id).reduce((sum, { durationMs }) => sum + durationMs, 0),
    ),
    toolsMs: total(
      calls.flatMap(({ runId, startedAt, endedAt }): Span[] =>
        runId === run.id && endedAt !== null ? [[Date.parse(startedAt), Date.parse(endedAt)]] : [],
      ),
    ),
  };
}

/** The wait for the answer that lets this very run start. */
function askedFor({ request, decisions }: Approval, runId: string): Span[] {
  if (request.subject.kind !== 'envelopes') return [];
  const item = request.subject.items.findIndex((candidate) => candidate.runId === runId);
  return item < 0 ? [] : spans(request.at, [decisions[item] ?? null]);
}

function spans(from: string, decisions: readonly ({ at: string } | null)[]): Span[] {
  return decisions.flatMap((decision): Span[] =>
    decision === null ? [] : [[Date.parse(from), Date.parse(decision.at)]],
  );
}

function within([from, to]: Span, [first, last]: Span): Span[] {
  const span: Span = [Math.max(from, first), Math.min(to, last)];
  return span[1] > span[0] ? [span] : [];
}

/** Time covered by any of the spans: what happens at once counts once. */
function total(list: readonly Span[]): number {
  let sum = 0;
  let end = -Infinity;
  for (const [from, to] of [...list].sort((a, b) => a[0] - b[0])) {
    sum += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return sum;
}

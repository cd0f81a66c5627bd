/** The execution trace in a session's metadata: the runs with their parents and times, and all decisions. */
import type { Approval } from '#contract/approval.ts';
import { itemHashes } from '#domain/item-hashes.ts';
import { spawnItems } from '#contract/spawn-items.ts';
import type { RunRow } from '#contract/view.ts';
import { inputTokensOf } from '#domain/tally.ts';
import { createReviewField } from '#contract/history/review-history.ts';
import { callPathOf } from '../run-words.ts';
import { agentFileOf } from './names.ts';
import { estimatedPart, tokensOf, usd } from './tokens.ts';

export type TraceEntry = ReturnType<typeof entryOf> & { call_path: string[] };

/** In order of creation: the lead first. */
export function traceEntries(runs: readonly RunRow[], approvals: readonly Approval[]): TraceEntry[] {
  const traces = new Map(runs.map(({ id, traceId }) => [id, traceId]));
  return runs.map((run) => ({ ...entryOf(run, approvals, traces), call_path: callPathOf(run, runs) }));
}

function entryOf(run: RunRow, approvals: readonly Approval[], traces: ReadonlyMap<string, string>) {
  const { id, parentRunId, envelope, usage, error, durationMs } = run;
  return {
    trace_id: run.traceId,
    parent_trace_id: parentRunId === null ? null : (traces.get(parentRunId) ?? null),
    run_id: id,
    workflow_id: run.workflowId,
    agent_name: run.agent,
    title: run.title,
    file: parentRunId === null ? null : agentFileOf(run),
    kind: run.kind,
    ...(run.place ? { place: run.place } : {}),
    depth: run.depth,
    parent_chain: run.parentChain,
    spawned_at: run.queuedAt,
    started_at: run.startedAt,
    completed_at: run.endedAt,
    duration_ms: durationMs === null ? null : Math.round(durationMs),
    attempt: run.attempt,
    status: run.status,
    outcome: run.outcome,
    model: envelope.model,
    ...(envelope.modelOrigin ? { model_origin: envelope.modelOrigin } : {}),
    tokens: tokensOf(usage),
    tokens_input: inputTokensOf(usage),
    tokens_output: usage.outputTokens,
    ...estimatedPart(usage),
    cost_usd: usd(usage),
    permissions: envelope.permissions,
    ...(run.said && { said: run.said.map(({ text, at }) => ({ text, at })) }),
    approvals: approvals.filter(({ request }) => request.runId === id).flatMap(answersOf),
    ...createReviewField(run.reviews),
    error: error && { type: error.code, message: error.message, detail: error.detail ?? null },
  };
}

/** One entry for each item of an approval; `run_id`: the run that it would start, if any. */
function answersOf({ request, decisions }: Approval) {
  const hashes = itemHashes(request.subject);
  return decisions.map((decision, item) => ({
    approval_id: request.id,
    item,
    title: request.title,
    risk: request.risk,
    run_id: spawnItems(request.subject)[item]?.runId ?? null,
    asked_at: request.at,
    decided_at: decision?.at ?? null,
    allowed: decision?.allowed ?? null,
    outcome: decision?.outcome ?? null,
    decided_by: decision?.decidedBy ?? null,
    rule_id: decision?.ruleId ?? null,
    reason: decision?.reason ?? null,
    asked_hash: hashes[item] ?? null,
    envelope_hash: decision?.hashAfter ?? null,
  }));
}

/** Most sub-agents that waited for a slot at the same time, as it was recorded when each began to wait. */
export function maxQueueDepth(children: readonly Pick<RunRow, 'queueDepth'>[]): number {
  return Math.max(0, ...children.map(({ queueDepth }) => queueDepth ?? 0));
}

/** What must hold of every workflow, whatever went wrong: each breach as one line. */
import { isDeepStrictEqual } from 'node:util';
import type { DurableEvent } from '#contract/event.ts';
import { MAX_SUB_AGENTS } from '#contract/limits.ts';
import type { Entry } from '#contract/message.ts';
import type { Tally } from '#contract/outcome.ts';
import { STATUS_OF } from '#domain/status-of.ts';
import type { RunRow, WorkflowDetail } from '#contract/view.ts';
import { addTally, tallyOf, ZERO_TALLY } from '#domain/tally.ts';
import type { View } from '#lib/view/reduce.ts';
import type { RecordedRequest } from '../support/fake-model/server.ts';
import { SECRET } from './plan.ts';

/** All that is known of a workflow once it has ended, from the store and from the other side of the wire. */
export interface Evidence {
  detail: WorkflowDetail;
  entries: ReadonlyMap<string, readonly Entry[]>;
  requests: readonly RecordedRequest[];
  /** The durable events of the whole conversation. */
  events: readonly DurableEvent[];
}

export function breachesOf(evidence: Evidence): string[] {
  const { workflow } = evidence.detail;
  const found = [
    ...endings(evidence.detail),
    ...approvals(evidence),
    ...isolation(evidence),
    ...accounts(evidence.detail),
    ...answered(evidence),
    ...numbers(evidence),
  ];
  return found.map((line) => `${workflow.id} (${workflow.prompt.slice(0, 20)}): ${line}`);
}

/** Every run ends in one named outcome, and its status says the same. */
function endings({ workflow, runs }: WorkflowDetail): string[] {
  const found: string[] = [];
  // What was never started in an interrupted workflow waits, with its question, for the resume.
  const waits = ({ attempt, outcome }: RunRow) =>
    workflow.outcome === 'interrupted' && attempt === 0 && outcome === null;
  for (const { id, outcome, status } of [workflow, ...runs.filter((run) => !waits(run))]) {
    if (outcome === null) found.push(`${id} has no outcome (${status})`);
    else if (STATUS_OF[outcome] !== status) found.push(`${id} is ${outcome}, but ${status}`);
  }
  if (workflow.outcome !== 'interrupted')
    for (const run of runs)
      if (run.outcome === 'interrupted') found.push(`${run.id} is interrupted, its workflow is not`);
  const started = runs.filter(({ parentRunId, attempt }) => parentRunId !== null && attempt > 0);
  if (started.length > MAX_SUB_AGENTS) found.push(`${started.length} sub-agents were started`);
  if (started.length !== workflow.subAgentCount)
    found.push(`${started.length} sub-agents were started, ${workflow.subAgentCount} are counted`);
  if (runs.some(({ depth, parentRunId }) => depth !== (parentRunId === null ? 0 : 1))) found.push('a run is too deep');
  return found;
}

/** Nothing starts without a yes, and what was approved is exactly what ran. */
function approvals({ detail: { runs, approvals: asked }, requests }: Evidence): string[] {
  const found: string[] = [];
  for (const run of runs.filter(({ parentRunId }) => parentRunId !== null)) {
    const decision = asked
      .flatMap(({ request, decisions }) =>
        request.subject.kind === 'envelopes'
          ? request.subject.items.map(({ runId }, item) => ({ runId, decision: decisions[item] ?? null }))
          : [],
      )
      .find(({ runId }) => runId === run.id)?.decision;
    const prompts = requestsOf(run, requests);
    if (run.attempt > 0 && !decision?.allowed) found.push(`${run.id} started without a yes`);
    if (run.attempt > 0 && decision?.hashAfter !== run.envelopeHash)
      found.push(`${run.id} ran with other settings than those approved`);
    if (run.attempt === 0 && prompts.length > 0) found.push(`${run.id} never started, but made a request`);
  }
  return found;
}

function requestsOf(run: RunRow, requests: readonly RecordedRequest[]): RecordedRequest[] {
  return requests.filter(({ seen }) => seen.prompt === run.envelope.prompt && !seen.tools.includes('spawn_agent'));
}

/** Prompt in, report out; and no request that the API would refuse. */
function isolation({ detail: { runs }, requests }: Evidence): string[] {
  const found: string[] = [];
  for (const run of runs.filter(({ parentRunId }) => parentRunId !== null))
    for (const { body } of requestsOf(run, requests)) {
      const text = JSON.stringify(body);
      if (text.includes(SECRET)) found.push(`${run.id} was told what only the lead knows`);
      if (/"(spawn_agent|delegate_task|parallel_tasks)","description/.test(text))
        found.push(`${run.id} may start agents`);
    }
  for (const { problem } of requests) if (problem !== null) found.push(`an illegal request: ${problem}`);
  return found;
}

/** Every attempt is counted once, and totals are sums. */
function accounts({ workflow, runs, requests }: WorkflowDetail): string[] {
  const found: string[] = [];
  const sum = (list: readonly { tally: Tally }[]) =>
    list.reduce((total, { tally }) => addTally(total, tally), ZERO_TALLY);
  for (const run of runs) {
    const own = requests.filter(({ runId }) => runId === run.id).map((request) => ({ tally: tallyOf(request) }));
    if (!isDeepStrictEqual(sum(own), run.usage)) found.push(`${run.id} counts other tokens than its requests`);
  }
  if (!isDeepStrictEqual(sum(runs.map(({ usage: tally }) => ({ tally }))), workflow.usage))
    found.push('the workflow counts other tokens than its runs');
  const seen = new Map<number, number>();
  for (const { inputTokens } of requests.filter(({ inputEstimated }) => !inputEstimated))
    seen.set(inputTokens, (seen.get(inputTokens) ?? 0) + 1);
  for (const [tokens, times] of seen)
    if (tokens > 0 && times > 1) found.push(`the answer of ${tokens} tokens is counted ${times} times`);
  return found;
}

/** No call stays without a result, no entry is missing, and no finished turn was made twice. */
function answered({ detail: { workflow, runs }, entries }: Evidence): string[] {
  const found: string[] = [];
  for (const run of runs) {
    const own = entries.get(run.id) ?? [];
    if (own.some(({ n }, index) => n !== index)) found.push(`${run.id} has gaps in its history`);
    const results = own.flatMap((entry) => (entry.kind === 'tool' ? [entry.toolCallId] : []));
    if (new Set(results).size !== results.length) found.push(`${run.id} has two results of one call`);
    if (workflow.outcome === 'interrupted' || run.outcome === 'interrupted') continue;
    const calls = own.flatMap((entry) =>
      entry.kind === 'assistant' && !entry.interrupted
        ? entry.parts.flatMap((part) => (part.type === 'tool_use' ? [part.id] : []))
        : [],
    );
    for (const id of calls) if (!results.includes(id)) found.push(`${run.id}: the call ${id} has no result`);
  }
  return found;
}

/** The log has no gaps, and what has ended stays ended unless it is taken up again. */
function numbers({ events, detail: { workflow } }: Evidence): string[] {
  const found: string[] = [];
  if (events.some(({ seq }, index) => seq !== index + 1)) found.push('the log has gaps');
  const own = events.filter(({ workflowId }) => workflowId === workflow.id);
  let ended = false;
  for (const { type, seq } of own) {
    if (ended && type !== 'workflow-start') found.push(`event ${seq} (${type}) came after the end`);
    ended = type === 'workflow-end';
  }
  const ends = own.filter(({ type }) => type === 'workflow-end').length;
  const starts = own.filter(({ type }) => type === 'workflow-start').length;
  if (ends !== starts) found.push(`${starts} starts have ${ends} ends`);
  return found;
}

/** What the windows show at rest is the same, whether they were there all the time or came at the end. */
export function differences(views: readonly (View | null)[]): string[] {
  const shown = views.map(settled);
  return shown.flatMap((view, index) => {
    const where = placeOf(view, shown.at(-1), '');
    return where === null ? [] : [`window ${index} shows ${where}`];
  });
}

/** Where two values differ first, with both of them; null where they do not. */
function placeOf(a: unknown, b: unknown, path: string): string | null {
  if (isDeepStrictEqual(a, b)) return null;
  const both = [a, b].every((value) => typeof value === 'object' && value !== null);
  if (!both) return `${path}: ${JSON.stringify(a)?.slice(0, 200)} instead of ${JSON.stringify(b)?.slice(0, 200)}`;
  const [one, other] = [a as Record<string, unknown>, b as Record<string, unknown>];
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const place = placeOf(one[key], other[key], `${path}/${key}`);
    if (place !== null) return place;
  }
  return `${path}: another kind of value`;
}

/** What does not depend on when a window was opened: sub-agents' entries are loaded only when they are looked at. */
function settled(view: View | null): unknown {
  if (view === null) return null;
  const leads = new Set(view.workflows.map(({ runId }) => runId));
  const byId = <T>(list: readonly T[], id: (item: T) => string) => list.toSorted((a, b) => (id(a) < id(b) ? -1 : 1));
  return {
    seq: view.seq,
    conversation: view.conversation,
    workflows: byId(view.workflows, ({ id }) => id),
    runs: byId(view.runs, ({ id }) => id),
    entries: byId(
      Object.entries(view.entries).filter(([runId]) => leads.has(runId)),
      ([runId]) => runId,
    ),
    // The time left is no event: a window counts it down by itself.
    approvals: byId(view.approvals, ({ request }) => request.id).map(({ request, decisions }) => ({
      request: { ...request, remainingMs: 0 },
      decisions,
    })),
    open: view.open,
  };
}

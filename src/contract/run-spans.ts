/** How a run spent its time, as spans that may overlap. Pure. */
import type { Approval } from './approval.ts';
import { spawnIndex } from './spawn-items.ts';
import type { RunRow, WorkflowDetail } from './view.ts';

/** `wait`: for an approval; `queue`: for a slot. */
export type SpanKind = 'queue' | 'wait' | 'model' | 'tools';

/** From one time to another, in milliseconds. */
export interface RunSpan {
  kind: SpanKind;
  from: number;
  to: number;
  /** Of a model request. */
  requestId: string | null;
  /** Of a call: the name of its tool, and the call. */
  tool: string | null;
  toolCallId: string | null;
  /** Of a wait for an answer. */
  approvalId: string | null;
}

const NOTHING = { requestId: null, tool: null, toolCallId: null, approvalId: null };

/** `now`: end of the open spans, in milliseconds since 1970; null leaves open spans out. */
export function spansOf(
  run: RunRow,
  { approvals, calls, requests }: Pick<WorkflowDetail, 'approvals' | 'calls' | 'requests'>,
  now: number | null,
): RunSpan[] {
  const span = (kind: SpanKind, from: string, to: string | null, of: Partial<RunSpan> = {}): RunSpan[] => {
    const end = to === null ? now : Date.parse(to);
    return end === null
      ? []
      : [{ kind, from: Date.parse(from), to: Math.max(Date.parse(from), end), ...NOTHING, ...of }];
  };
  const forYes = approvals.flatMap(({ request, decisions }) =>
    decisionsFor(run.id, request, decisions).flatMap((decision) =>
      span('wait', request.at, decision?.at ?? run.endedAt, { approvalId: request.id }),
    ),
  );
  const asked = approvals.filter(({ request }) => request.runId === run.id);
  return [
    ...span('queue', run.queuedAt, run.startedAt ?? run.endedAt).flatMap((queue) => without(queue, forYes)),
    ...forYes,
    ...calls
      .filter(({ runId }) => runId === run.id)
      .flatMap(({ name: tool, toolCallId, startedAt, endedAt }) =>
        span('tools', startedAt, endedAt, { tool, toolCallId }),
      ),
    ...requests
      .filter(({ runId }) => runId === run.id)
      .map(({ startedAt, durationMs, requestId }): RunSpan => {
        const from = Date.parse(startedAt);
        return { kind: 'model', from, to: from + durationMs, ...NOTHING, requestId };
      }),
    ...asked.flatMap(({ request, decisions }) =>
      decisions.flatMap((decision) => span('wait', request.at, decision?.at ?? null, { approvalId: request.id })),
    ),
  ];
}

/** Milliseconds covered by at least one span; overlaps count once. */
export function coveredMs(spans: readonly Pick<RunSpan, 'from' | 'to'>[]): number {
  let sum = 0;
  let end = -Infinity;
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    sum += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return sum;
}

/** The answer that lets this very run start, where it needs one. */
function decisionsFor(runId: string, { subject }: Approval['request'], decisions: Approval['decisions']) {
  const item = spawnIndex(subject, runId);
  return item < 0 ? [] : [decisions[item] ?? null];
}

/** What is left of a span. */
function without(span: RunSpan, taken: readonly RunSpan[]): RunSpan[] {
  let rest = [span];
  for (const { from, to } of taken)
    rest = rest
      .flatMap((part) => [
        { ...part, to: Math.min(part.to, from) },
        { ...part, from: Math.max(part.from, to) },
      ])
      .filter((part) => part.to > part.from);
  return rest;
}

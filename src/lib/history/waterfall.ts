/** The runs of a workflow in tree order, with the times that they waited and worked. */
import { coveredMs, type RunSpan, type SpanKind, spansOf } from '#contract/run-spans.ts';
import type { RunRow, WorkflowDetail } from '#contract/view.ts';
import { mcpPartsOf } from '#lib/view/call-title.ts';
import { beginsAttempt } from '#lib/view/elapsed.ts';
import type { RunEntries } from '#lib/view/run-entries.ts';
import { runTimesOf } from '#lib/view/waiting.ts';

/** `mcp`: a call of a tool of an MCP server. */
export type BarKind = SpanKind | 'mcp';

/** In the order of the legend. */
export const BAR_KINDS: readonly BarKind[] = ['queue', 'wait', 'model', 'tools', 'mcp'];

/** From one time to another, in milliseconds since 1970. */
export interface Interval {
  from: number;
  to: number;
}

/** Time of one kind: of a model request, of a call, or of a question; null for what it is none of. */
export interface Bar extends Interval, Pick<RunSpan, 'requestId' | 'tool' | 'toolCallId' | 'approvalId'> {
  kind: BarKind;
  /** Of a model request: when the first token of its answer came. */
  firstTokenAt: number | null;
}

export interface Lane {
  run: RunRow;
  /** How far below the lead: what serves a run stands one level below it. */
  level: number;
  /** One part for each attempt. */
  work: Interval[];
  /** Model requests, tools and waits; later bars are drawn over earlier ones. */
  bars: Bar[];
  /** Milliseconds of each kind; overlapping time counts once. */
  times: Record<BarKind, number>;
  /** The MCP servers that it called, in the order of their first calls. */
  servers: ServerLane[];
  queuedMs: number;
  /** How long it worked; null before its start. */
  workMs: number | null;
  /** Milliseconds between its attempts. */
  idleMs: number;
}

/** When a run called one MCP server. */
interface ServerLane {
  server: string;
  /** One for each call, and for each attempt that it went over; `tool`: as the server calls it. */
  bars: (Interval & { tool: string; toolCallId: string | null })[];
  /** Milliseconds; overlapping time counts once. */
  ms: number;
}

type Rows = Pick<WorkflowDetail, 'workflow' | 'runs' | 'calls' | 'approvals' | 'requests'>;
/** One lane for each run; `entries`: as far as loaded, those of a run with several attempts say when each began; `now`: epoch milliseconds. */
export function lanesOf(rows: Rows, entries: RunEntries, now: number): Lane[] {
  const firstTokens = new Map(rows.requests.map(({ requestId, firstTokenMs }) => [requestId, firstTokenMs]));
  const end = rows.workflow.outcome === null ? now : null;
  return inTreeOrder(rows.runs, null).map(({ run, level }) => {
    const worked = attemptsOf(run, rows, entries, now);
    const [first, last] = [worked[0], worked.at(-1)];
    const queued = Date.parse(run.queuedAt);
    const spans = spansWithin(run, rows, worked, end);
    const workedMs = worked.reduce((sum, { from, to }) => sum + to - from, 0);
    return {
      run,
      level,
      work: worked,
      bars: spans.map(({ from, to, requestId, tool, toolCallId, approvalId, kind }) => {
        const firstMs = requestId === null ? null : (firstTokens.get(requestId) ?? null);
        const firstTokenAt = firstMs === null ? null : Math.min(to, from + firstMs);
        return { from, to, kind: kindOf({ kind, tool }), requestId, tool, toolCallId, approvalId, firstTokenAt };
      }),
      times: timesOf(spans),
      servers: serversOf(spans),
      queuedMs: (first?.from ?? endOf(run) ?? end ?? queued) - queued,
      workMs: runTimesOf(run, rows, entries.get(run.id) ?? [], now)?.workMs ?? null,
      idleMs: first && last ? last.to - first.from - workedMs : 0,
    };
  });
}

/** From the beginning of a workflow to the end of the last that is drawn of it. */
export function spanOf(workflow: Pick<WorkflowDetail['workflow'], 'createdAt'>, lanes: readonly Lane[]): Interval {
  const from = Date.parse(workflow.createdAt);
  const ends = lanes.flatMap(({ run, work, queuedMs }) => [
    Date.parse(run.queuedAt) + queuedMs,
    ...work.map(({ to }) => to),
  ]);
  return { from, to: Math.max(from + 1, ...ends) };
}

/** Bars within the attempts only: a question that stayed open while nothing ran is not drawn as a wait. */
function spansWithin(run: RunRow, rows: Rows, worked: readonly Interval[], now: number | null): RunSpan[] {
  const start = worked[0]?.from ?? Infinity;
  return spansOf(run, rows, now).flatMap((span) =>
    [{ from: -Infinity, to: start }, ...worked]
      .map((interval) => ({
        ...span,
        from: Math.max(span.from, interval.from),
        to: Math.min(span.to, interval.to),
      }))
      .filter(({ from, to }) => to > from),
  );
}

function kindOf({ kind, tool }: Pick<RunSpan, 'kind' | 'tool'>): BarKind {
  return tool !== null && mcpPartsOf(tool) !== null ? 'mcp' : kind;
}

function timesOf(bars: readonly RunSpan[]): Record<BarKind, number> {
  const of = (kind: BarKind): number => coveredMs(bars.filter((bar) => kindOf(bar) === kind));
  return { queue: of('queue'), wait: of('wait'), model: of('model'), tools: of('tools'), mcp: of('mcp') };
}

function serversOf(spans: readonly RunSpan[]): ServerLane[] {
  const calls = spans
    .flatMap((span) => {
      const parts = mcpPartsOf(span.tool ?? '');
      return parts === null ? [] : [{ ...span, ...parts }];
    })
    .sort((a, b) => a.from - b.from);
  return [...Map.groupBy(calls, ({ server }) => server)].map(([server, own]) => ({
    server,
    bars: own.map(({ from, to, tool, toolCallId }) => ({ from, to, tool, toolCallId })),
    ms: coveredMs(own),
  }));
}

/** The attempts of a run. The end of an interrupted one is not recorded: its last activity stands for it. */
function attemptsOf(run: RunRow, rows: Rows, entries: RunEntries, now: number): Interval[] {
  if (run.startedAt === null) return [];
  const begins = (entries.get(run.id) ?? []).filter(beginsAttempt).map(({ at }) => Date.parse(at));
  const starts = [Date.parse(run.startedAt), ...begins];
  const isOpen = run.outcome === null && rows.workflow.outcome === null;
  const ended = isOpen ? now : run.outcome === 'interrupted' ? null : endOf(run);
  const activity = activityTimesOf(run, rows, entries);
  return starts.map((from, index) => {
    const next = starts[index + 1];
    if (next === undefined && ended !== null) return { from, to: Math.max(from, ended) };
    return { from, to: Math.max(from, ...activity.filter((at) => at < (next ?? Infinity))) };
  });
}

/** Times at which it, or a run below it, did something, in epoch milliseconds. */
function activityTimesOf(run: RunRow, rows: Rows, entries: RunEntries): number[] {
  const ids = new Set(inTreeOrder(rows.runs, run.id).map((one) => one.run.id)).add(run.id);
  const isOf = ({ runId }: { runId: string }): boolean => ids.has(runId);
  const calls = rows.calls.filter(isOf).flatMap(({ startedAt, endedAt }) => [startedAt, endedAt ?? startedAt]);
  const asked = rows.approvals
    .filter(({ request }) => isOf(request))
    .flatMap(({ request, decisions }) => [request.at, ...decisions.flatMap((decision) => decision?.at ?? [])]);
  const said = [...ids].flatMap((id) => (entries.get(id) ?? []).map(({ at }) => at));
  const answered = rows.requests.filter(isOf).map(({ startedAt, durationMs }) => Date.parse(startedAt) + durationMs);
  return [...answered, ...[...calls, ...asked, ...said].map((at) => Date.parse(at))];
}

function endOf({ endedAt }: RunRow): number | null {
  return endedAt === null ? null : Date.parse(endedAt);
}

/** Each run before those below it: they in the order in which they were asked for. */
function inTreeOrder(runs: readonly RunRow[], parent: string | null, level = 0): { run: RunRow; level: number }[] {
  return runs
    .filter(({ parentRunId }) => parentRunId === parent)
    .flatMap((run) => [{ run, level }, ...inTreeOrder(runs, run.id, level + 1)]);
}

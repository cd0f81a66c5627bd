/** Why nothing worked: the time of a workflow told apart by what it waited for. Pure. */
import type { ErrorCode } from '#contract/error.ts';
import type { RequestUsage } from '#contract/event.ts';
import { coveredMs } from '#contract/run-spans.ts';
import type { Bar, Interval, Lane } from '../waterfall.ts';

/**
 * `person`: for an answer; `rate`: until a provider that was too busy is asked again; `retry`: the same after another
 * failure; `limit`: for a request of another run, as many at a time as the provider may have; `queue`: for a slot, or for the
 * workflow before it; `idle`: none of these, such as between two attempts. In the order in which they count where several
 * hold.
 */
export const CAUSES = ['person', 'rate', 'retry', 'limit', 'queue', 'idle'] as const;
type Cause = (typeof CAUSES)[number];

export interface Wait extends Interval {
  cause: Cause;
}

/** How the time of a workflow was spent. */
export interface Spent {
  workMs: number;
  /** By cause, in milliseconds. */
  waits: Record<Cause, number>;
  /** When nothing worked, in order of time; each as long as it lasted without a break. */
  gaps: (Interval & { parts: Wait[] })[];
  /** By run id: when its model could not be asked, although others may have worked. */
  held: ReadonlyMap<string, Wait[]>;
}

/** What takes less, in milliseconds, is part of the work: the program's own steps. */
const STEP_MS = 250;
const BUSY: readonly ErrorCode[] = ['rate_limited', 'overloaded'];
type Request = Pick<RequestUsage, 'requestId' | 'attempt' | 'error'>;

export function spentOf({ from, to }: Interval, lanes: readonly Lane[], requests: readonly Request[]): Spent {
  const asking = new Set(lanes.flatMap(({ run }) => run.toolCallId ?? []));
  const active = joined(lanes.flatMap((lane) => activeIn(lane, asking)));
  const byId = new Map(requests.map((request) => [request.requestId, request]));
  const held = new Map(lanes.map((lane) => [lane.run.id, heldIn(lane, lanes, byId)]));
  const known = lanes.flatMap((lane) => [...askedIn(lane), ...(held.get(lane.run.id) ?? [])]);
  const gaps = gapsBetween(active, { from, to })
    .filter((gap) => gap.to - gap.from >= STEP_MS)
    .map((gap) => ({ ...gap, parts: byCause(gap, known) }));
  const waits = Object.fromEntries(CAUSES.map((cause) => [cause, 0])) as Record<Cause, number>;
  for (const { parts } of gaps) for (const part of parts) waits[part.cause] += part.to - part.from;
  const waited = gaps.reduce((sum, gap) => sum + gap.to - gap.from, 0);
  return { workMs: to - from - waited, waits, gaps, held };
}

/** When a run worked itself: neither a call that is there for another run, nor what waits for an answer. */
function activeIn({ bars }: Lane, asking: ReadonlySet<string>): Interval[] {
  const asked = bars.filter(({ kind }) => kind === 'wait');
  return bars
    .filter(({ kind, toolCallId }) => kind === 'model' || (isCall(kind) && !asking.has(toolCallId ?? '')))
    .flatMap((bar) => asked.reduce((rest, wait) => rest.flatMap((part) => without(part, wait)), [bar as Interval]));
}

const isCall = (kind: Bar['kind']): boolean => kind === 'tools' || kind === 'mcp';

/** For an answer, or for a slot. */
function askedIn({ bars }: Lane): Wait[] {
  return bars.flatMap(({ kind, from, to }): Wait[] => {
    if (kind === 'wait') return [{ cause: 'person', from, to }];
    return kind === 'queue' ? [{ cause: 'queue', from, to }] : [];
  });
}

function heldIn({ run, bars }: Lane, lanes: readonly Lane[], byId: ReadonlyMap<string, Request>): Wait[] {
  const others = () => lanes.filter((lane) => lane.run.id !== run.id).flatMap((lane) => lane.bars.filter(isModel));
  const own = bars.filter(({ kind }) => kind !== 'queue').sort((a, b) => a.from - b.from);
  /** When all that began before has ended, and the last request among it. */
  let free = Date.parse(run.startedAt ?? run.queuedAt);
  let last: Bar | undefined;
  return own.flatMap((bar): Wait[] => {
    const [from, before] = [free, last];
    free = Math.max(free, bar.to);
    if (isModel(bar)) last = bar;
    const request = byId.get(bar.requestId ?? '');
    if (!isModel(bar) || !request || bar.from - from < STEP_MS) return [];
    const failed = byId.get(before?.requestId ?? '')?.error;
    if (request.attempt > 1 && failed)
      return [{ cause: BUSY.includes(failed.code) ? 'rate' : 'retry', from, to: bar.from }];
    const held = coveredIn({ from, to: bar.from }, others());
    return held >= 0.8 * (bar.from - from) ? [{ cause: 'limit', from, to: bar.from }] : [];
  });
}

const isModel = ({ kind }: Bar): boolean => kind === 'model';

/** A gap in pieces, each with the first cause that holds in it. */
function byCause(gap: Interval, known: readonly Wait[]): Wait[] {
  const within = known
    .map((wait) => ({ ...wait, from: Math.max(wait.from, gap.from), to: Math.min(wait.to, gap.to) }))
    .filter(({ from, to }) => to > from);
  const edges = [...new Set([gap.from, gap.to, ...within.flatMap(({ from, to }) => [from, to])])].sort((a, b) => a - b);
  const parts: Wait[] = [];
  for (const [index, from] of edges.slice(0, -1).entries()) {
    const to = edges[index + 1] ?? from;
    const here = within.filter((wait) => wait.from <= from && wait.to >= to);
    const cause = CAUSES.find((one) => here.some((wait) => wait.cause === one)) ?? 'idle';
    const last = parts.at(-1);
    if (last?.cause === cause) last.to = to;
    else parts.push({ cause, from, to });
  }
  return parts;
}

function joined(intervals: readonly Interval[]): Interval[] {
  const spans: Interval[] = [];
  for (const { from, to } of [...intervals].sort((a, b) => a.from - b.from)) {
    const last = spans.at(-1);
    if (last && last.to >= from) last.to = Math.max(last.to, to);
    else spans.push({ from, to });
  }
  return spans;
}

function gapsBetween(active: readonly Interval[], { from, to }: Interval): Interval[] {
  const edges = [from, ...active.flatMap((one) => [one.from, one.to]), to];
  return Array.from({ length: edges.length / 2 }, (_, index) => ({
    from: Math.max(from, edges[2 * index] ?? from),
    to: Math.min(to, edges[2 * index + 1] ?? to),
  })).filter((gap) => gap.to > gap.from);
}

function coveredIn({ from, to }: Interval, intervals: readonly Interval[]): number {
  const inside = intervals.map((one) => ({ from: Math.max(from, one.from), to: Math.min(to, one.to) }));
  return coveredMs(inside);
}

function without(span: Interval, taken: Interval): Interval[] {
  return [
    { from: span.from, to: Math.min(span.to, taken.from) },
    { from: Math.max(span.from, taken.to), to: span.to },
  ].filter(({ from, to }) => to > from);
}

/** Usage of a run or a workflow against its limits. */
import type { Budget } from '#contract/agent.ts';
import type { Input } from '#contract/rpc.ts';
import type { Bound as Reached, Entry } from '#contract/message.ts';
import type { RunRow, WorkflowRow } from '#contract/view.ts';
import { countLimitedRequests, inputTokensOf } from '#domain/tally.ts';

const BUDGET_KINDS = ['tokens', 'costUsd', 'minutes', 'iterations'] as const satisfies (keyof Budget)[];
export type BudgetKind = (typeof BUDGET_KINDS)[number];

export interface Bound {
  kind: BudgetKind;
  /** Tokens, US dollars, minutes or iterations, as `kind` says; null for the cost of models without a price. */
  used: number | null;
  of: number;
}

/** How much to add to the limits, and the limits that the person saw when asking for it. */
export type Extension = Omit<Input<'run.extend'>, 'runId'>;

/** Every run has a limit of iterations and of cost: these are shown once this share is used. */
const NEAR = 0.5;

/** The limits of a run: those of its envelope, or as the person extended them. */
export function limitsOf(run: Pick<RunRow, 'envelope' | 'limits'>): Budget {
  const { maxIterations, budget } = run.envelope.limits;
  return run.limits ?? { ...budget, iterations: maxIterations };
}

export function boundsOfRun(run: RunRow, entries: readonly Entry[]): Bound[] {
  const turns = entries.filter(({ kind }) => kind === 'assistant').length;
  const limits = limitsOf(run);
  // The last request, which asks for the report at the limit, is none.
  const iterations = Math.min(turns === 0 ? countLimitedRequests(run.usage) : turns, limits.iterations ?? Infinity);
  return boundsOf(limits, run, iterations);
}

/** A workflow is bounded as a whole: all of its runs count. */
export function boundsOfWorkflow(workflow: WorkflowRow): Bound[] {
  return boundsOf(workflow.budget ?? {}, workflow, countLimitedRequests(workflow.usage));
}

/** The limit that stopped a run, as its newest system entry names it; null where none did. */
export function reachedBoundIn(entries: readonly Entry[]): Reached | null {
  const remark = entries.findLast((entry) => entry.kind === 'system' && entry.bound !== undefined);
  return remark?.kind === 'system' ? (remark.bound ?? null) : null;
}

/** Returns the bounds to show: those of iterations and cost once half is used or they were raised, and all others. */
export function visibleBounds(bounds: readonly Bound[], raised: boolean): Bound[] {
  const isQuiet = ({ kind, used, of }: Bound): boolean =>
    (kind === 'iterations' || kind === 'costUsd') && (used ?? 0) < of * NEAR;
  return bounds.filter((bound) => raised || !isQuiet(bound));
}

export function isReached({ used, of }: Bound): boolean {
  return used !== null && used >= of;
}

/** The suggested extension: as much again of every bound that is used up, or of the first one. */
export function suggestedExtension(bounds: readonly Bound[], reached: BudgetKind | null): Budget {
  const full = bounds.filter((bound) => bound.kind === reached || isReached(bound));
  return Object.fromEntries((full.length > 0 ? full : bounds.slice(0, 1)).map(({ kind, of }) => [kind, of]));
}

function boundsOf(
  budget: Budget,
  { usage, workedMs }: Pick<RunRow | WorkflowRow, 'usage' | 'workedMs'>,
  iterations: number,
): Bound[] {
  const used: Readonly<Record<BudgetKind, number | null>> = {
    tokens: inputTokensOf(usage) + usage.outputTokens,
    costUsd: usage.unpriced > 0 ? null : usage.nanoUsd / 1e9,
    minutes: (workedMs ?? 0) / 60_000,
    iterations,
  };
  return BUDGET_KINDS.flatMap((kind) => {
    const of = budget[kind];
    return of === undefined ? [] : [{ kind, used: used[kind], of }];
  });
}

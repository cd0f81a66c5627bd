/**
 * Limits of what may be used, and how far use is from them. A budget is the set of limits of a run or of a workflow; a
 * bound is one of them as an event names it: whose, which, how much. Pure.
 */
import type { Budget, Envelope } from '#contract/agent.ts';
import { DEFAULT_RUN_LIMITS, DOOM_LOOP_THRESHOLD } from '#contract/limits.ts';
import type { Bound } from '#contract/message.ts';
import type { Tally } from '#contract/outcome.ts';
import { countLimitedRequests } from '#domain/tally.ts';
import type { Settings } from '#core/settings/settings.ts';

/** What a budget of a run can limit; its iterations stand in the envelope, for every run has a limit of them. */
export const RUN_LIMITS = ['tokens', 'costUsd', 'minutes'] as const satisfies readonly (keyof Budget)[];

/** What the budget of a workflow can limit, and what a person can raise. */
const WORKFLOW_LIMITS = [...RUN_LIMITS, 'iterations'] as const;

/** What was used: `tokens` of all classes, `nanoUsd` billionths of a dollar, `ms` of work. */
export interface Used {
  tokens: number;
  nanoUsd: number;
  ms: number;
  iterations: number;
}

/** What a request adds by its input alone; its output is known only afterwards. */
export type Size = Pick<Used, 'tokens' | 'nanoUsd'>;

export const NO_SIZE: Size = { tokens: 0, nanoUsd: 0 };

export function sumUse(tally: Tally, ms: number, iterations = countLimitedRequests(tally)): Used {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, nanoUsd } = tally;
  return { tokens: inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens, nanoUsd, ms, iterations };
}

type Table = Settings['limits']['run' | 'workflow'];

/** The limits of a table of the settings but for the iterations; what is not set is left out. */
export function budgetOf({ max_tokens, max_cost_usd, max_minutes }: Table): Omit<Budget, 'iterations'> {
  return {
    ...(max_tokens === null ? {} : { tokens: max_tokens }),
    ...(max_cost_usd === null ? {} : { costUsd: max_cost_usd }),
    ...(max_minutes === null ? {} : { minutes: max_minutes }),
  };
}

/** Returns the table `limits.run` for a run. Its defaults do not bind a lead: the limits of its workflow do. */
export function getRunLimits(
  { run, max_iterations_ceiling }: Settings['limits'],
  isLead: boolean,
): Settings['limits']['run'] {
  if (!isLead) return run;
  const { max_cost_usd, max_iterations } = run;
  return {
    ...run,
    max_cost_usd: max_cost_usd === DEFAULT_RUN_LIMITS.costUsd ? null : max_cost_usd,
    max_iterations: max_iterations === DEFAULT_RUN_LIMITS.iterations ? max_iterations_ceiling : max_iterations,
  };
}

export function workflowBudget({ workflow }: Settings['limits']): Budget {
  const { max_iterations: iterations } = workflow;
  return { ...budgetOf(workflow), ...(iterations === null ? {} : { iterations }) };
}

/** The limits of a run as they were approved. */
export function limitsOf({ limits }: Envelope): Budget {
  return { ...limits.budget, iterations: limits.maxIterations };
}

/** Identical calls in a row after which a run is told; it ends after twice as many. */
export function doomLoopThresholdOf({ limits }: Envelope): number {
  return limits.doomLoopThreshold ?? DOOM_LOOP_THRESHOLD;
}

/** The first limit, that of time before all others, that use has reached or the next request would cross. With requests of unknown price, `nanoUsd` is the part that is known: where that is too much, the whole is. */
export function crossed(of: Bound['of'], limits: Budget, used: Used, next: Size): Bound | null {
  const { tokens, costUsd, iterations } = limits;
  const isOver = (has: number, more: number, bound: number): boolean => has >= bound || has + more > bound;
  const timeUp = timeUpIn(of, limits, used);
  if (timeUp) return timeUp;
  if (iterations !== undefined && used.iterations >= iterations) return { of, name: 'iterations', value: iterations };
  if (tokens !== undefined && isOver(used.tokens, next.tokens, tokens)) return { of, name: 'tokens', value: tokens };
  if (costUsd !== undefined && isOver(used.nanoUsd / 1e9, next.nanoUsd / 1e9, costUsd))
    return { of, name: 'costUsd', value: costUsd };
  return null;
}

/** The limit of time, where it is reached. */
export function timeUpIn(of: Bound['of'], { minutes }: Budget, { ms }: Pick<Used, 'ms'>): Bound | null {
  if (minutes === undefined || ms < minutes * 60_000) return null;
  return { of, name: 'minutes', value: minutes };
}

/** Time that is used up ends what works at once; at any other bound one last answer is asked for. */
export function endsAtOnce({ name }: Bound): boolean {
  return name === 'minutes';
}

/** More of what is limited; what had no limit may be used so much more from now on. */
export function raisedBy(limits: Budget, add: Budget, used: Used): Budget {
  const base: Record<keyof Budget, number> = {
    tokens: limits.tokens ?? used.tokens,
    costUsd: limits.costUsd ?? used.nanoUsd / 1e9,
    minutes: limits.minutes ?? used.ms / 60_000,
    iterations: limits.iterations ?? used.iterations,
  };
  const raised: Budget = { ...limits };
  for (const name of WORKFLOW_LIMITS) {
    const more = add[name];
    if (more !== undefined) raised[name] = base[name] + more;
  }
  return raised;
}

/** The bound that something is at already, whatever it would do next. */
export function reached(of: Bound['of'], limits: Budget, used: Used): Bound | null {
  return crossed(of, limits, used, NO_SIZE);
}

/** Whether the bound does not hold any more. */
export function isRaised({ name, value }: Bound, limits: Budget): boolean {
  return (limits[name] ?? Infinity) > value;
}

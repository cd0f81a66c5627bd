/** What a workflow and each of its runs have used of what they may use: the one place where bounds are checked. */
import type { Budget, Envelope } from '#contract/agent.ts';
import type { RequestUsage } from '#contract/event.ts';
import type { Bound } from '#contract/message.ts';
import type { Tally } from '#contract/outcome.ts';
import type { ModelUsage } from '../model/model.ts';
import type { Settings } from '../settings/settings.ts';
import { WorkClock } from '../base/work-clock.ts';

export interface Used {
  tokens: number;
  nanoUsd: number;
  ms: number;
  iterations: number;
}

type Price = (model: string, usage: ModelUsage) => { nanoUsd: number | null };

/** What a request adds by its input alone; its output is known only afterwards. */
type Size = Pick<Used, 'tokens' | 'nanoUsd'>;

const NO_SIZE: Size = { tokens: 0, nanoUsd: 0 };

export class Spending {
  /** Runs while any of the runs works. */
  readonly clock: WorkClock;
  readonly #tally: () => Tally;
  readonly #price: Price;
  /** The last request of each run: the estimate of its next one. */
  readonly #sizes = new Map<string, Size>();
  /** Requests of each run that were let through and are not counted yet: its turn's, and one beside it. */
  readonly #underWay = new Map<string, Size[]>();
  #iterations = 0;
  #limits: Budget;
  /** Limits of runs that the person raised, whole, by run id. */
  readonly #raised: Map<string, Budget>;
  /** Models whose unknown price was told. */
  readonly #unpriced = new Set<string>();

  /** `limits`: of the workflow. `raised`: limits of runs, by run id. `requests`: those of earlier attempts. */
  constructor(parts: {
    limits: Budget;
    raised: Iterable<readonly [string, Budget]>;
    workedMs: number;
    requests: readonly (RequestUsage & { runId: string })[];
    tally: () => Tally;
    price: Price;
  }) {
    this.#limits = parts.limits;
    this.#raised = new Map(parts.raised);
    this.clock = new WorkClock(parts.workedMs);
    this.#tally = parts.tally;
    this.#price = parts.price;
    for (const request of parts.requests) this.counted(request.runId, request);
  }

  /** Of the workflow; the person may raise them while it runs. */
  get limits(): Budget {
    return this.#limits;
  }

  raise(limits: Budget): void {
    this.#limits = limits;
  }

  /** What holds for a run now: `approved`, unless the person has raised it since. */
  limitsOfRun(runId: string, approved: Budget): Budget {
    return this.#raised.get(runId) ?? approved;
  }

  raiseRun(runId: string, limits: Budget): void {
    this.#raised.set(runId, limits);
  }

  /** True the first time a model without a known price is named, so that it is told once. */
  noteUnpriced(model: string): boolean {
    const isNew = !this.#unpriced.has(model);
    this.#unpriced.add(model);
    return isNew;
  }

  get used(): Used {
    return usedOf(this.#tally(), this.clock.ms, this.#iterations);
  }

  /** The bound that one more request of the run would cross; without one, the request counts from now on. */
  admit(runId: string, limits: Budget, used: Used): Bound | null {
    const size = this.#sizes.get(runId) ?? NO_SIZE;
    const total = this.used;
    for (const { tokens, nanoUsd } of [...this.#underWay.values()].flat()) {
      total.tokens += tokens;
      total.nanoUsd += nanoUsd;
      total.iterations += 1;
    }
    const bound = crossed('run', limits, used, size) ?? crossed('workflow', this.#limits, total, size);
    if (!bound) this.#underWay.set(runId, [...(this.#underWay.get(runId) ?? []), size]);
    return bound;
  }

  /** A request of the run has ended, with what it used. */
  counted(runId: string, request: RequestUsage): void {
    const input = { ...request, outputTokens: 0, thinkingTokens: 0 };
    const tokens = input.inputTokens + input.cacheReadTokens + input.cacheWrite5mTokens + input.cacheWrite1hTokens;
    // What is asked outside of the turns says nothing about the size of the next one.
    if (tokens > 0 && request.purpose === undefined)
      this.#sizes.set(runId, { tokens, nanoUsd: this.#price(request.model, input).nanoUsd ?? 0 });
    if (request.error === null) this.#iterations += 1;
    this.withdraw(runId);
  }

  /** One that was let through is not under way any more: it was counted, or never sent. */
  withdraw(runId: string): void {
    this.#underWay.get(runId)?.pop();
  }

  /** The run has ended: what it was let through for will not come. */
  leave(runId: string): void {
    this.#underWay.delete(runId);
  }
}

export function usedOf(tally: Tally, ms: number, iterations: number): Used {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, nanoUsd } = tally;
  return { tokens: inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens, nanoUsd, ms, iterations };
}

type Table = Settings['limits']['run' | 'workflow'];

/** The bounds of a table of the settings but for the iterations; what is not set is left out. */
export function budgetOf({ max_tokens, max_cost_usd, max_minutes }: Table): Omit<Budget, 'iterations'> {
  return {
    ...(max_tokens === null ? {} : { tokens: max_tokens }),
    ...(max_cost_usd === null ? {} : { costUsd: max_cost_usd }),
    ...(max_minutes === null ? {} : { minutes: max_minutes }),
  };
}

export function workflowBudget({ workflow }: Settings['limits']): Budget {
  const { max_iterations: iterations } = workflow;
  return { ...budgetOf(workflow), ...(iterations === null ? {} : { iterations }) };
}

/** The bounds of a run as they were approved. */
export function limitsOf({ limits }: Envelope): Budget {
  return { ...limits.budget, iterations: limits.maxIterations };
}

/** With requests of unknown price, `nanoUsd` is the part that is known: where that is too much, the whole is. */
function crossed(of: Bound['of'], limits: Budget, used: Used, next: Size): Bound | null {
  const { tokens, costUsd, minutes, iterations } = limits;
  const isOver = (has: number, more: number, bound: number): boolean => has >= bound || has + more > bound;
  if (iterations !== undefined && used.iterations >= iterations) return { of, name: 'iterations', value: iterations };
  if (tokens !== undefined && isOver(used.tokens, next.tokens, tokens)) return { of, name: 'tokens', value: tokens };
  if (costUsd !== undefined && isOver(used.nanoUsd / 1e9, next.nanoUsd / 1e9, costUsd))
    return { of, name: 'costUsd', value: costUsd };
  if (minutes !== undefined && used.ms >= minutes * 60_000) return { of, name: 'minutes', value: minutes };
  return null;
}

/** More of what is bounded; what was not bounded may be used so much more from now on. */
export function raisedBy(limits: Budget, add: Budget, used: Used): Budget {
  const base: Record<keyof Budget, number> = {
    tokens: limits.tokens ?? used.tokens,
    costUsd: limits.costUsd ?? used.nanoUsd / 1e9,
    minutes: limits.minutes ?? used.ms / 60_000,
    iterations: limits.iterations ?? used.iterations,
  };
  const raised: Budget = { ...limits };
  for (const name of BOUNDS) {
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

const BOUNDS = ['tokens', 'costUsd', 'minutes', 'iterations'] as const satisfies readonly (keyof Budget)[];

/** What a workflow and each of its runs may use and have used: the one place where limits are checked. */
import type { Budget } from '#contract/agent.ts';
import type { RequestUsage } from '#contract/event.ts';
import type { Bound } from '#contract/message.ts';
import type { Tally } from '#contract/outcome.ts';
import type { ModelUsage } from '#core/model/model.ts';
import { Listeners } from '#core/base/listeners.ts';
import { WorkClock } from '#core/base/work-clock.ts';
import { crossed, endsAtOnce, NO_SIZE, type Size, type Used, sumUse } from './limits.ts';

type Price = (model: string, usage: ModelUsage) => { nanoUsd: number | null };

export class WorkflowBudget {
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
  /** Notified each time the person raises a limit. */
  readonly raises = new Listeners();
  /** Models whose unknown price was told. */
  readonly #unpriced = new Map<string, 'bounded' | 'unbounded'>();
  readonly #unlisted = new Set<string>();
  /** Whether it was told that a count of the provider was refused. */
  #miscounted = false;

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
    this.raises.notify();
  }

  /** What holds for a run now: `approved`, unless the person has raised it since. */
  limitsOfRun(runId: string, approved: Budget): Budget {
    return this.#raised.get(runId) ?? approved;
  }

  raiseRun(runId: string, limits: Budget): void {
    this.#raised.set(runId, limits);
    this.raises.notify();
  }

  /**
   * True the first time a model without a known price is named, so that it is told once; and once more for the first run
   * with a limit on cost, which cannot be checked.
   */
  noteUnpriced(model: string, isBounded: boolean): boolean {
    const isNew = isBounded ? this.#unpriced.get(model) !== 'bounded' : !this.#unpriced.has(model);
    if (isNew) this.#unpriced.set(model, isBounded ? 'bounded' : 'unbounded');
    return isNew;
  }

  /** True the first time for a model of a provider. */
  noteUnlisted(provider: string, model: string): boolean {
    const key = JSON.stringify([provider, model]);
    const isNew = !this.#unlisted.has(key);
    this.#unlisted.add(key);
    return isNew;
  }

  /** True the first time. */
  noteMiscount(): boolean {
    const isNew = !this.#miscounted;
    this.#miscounted = true;
    return isNew;
  }

  /** Input tokens of the run's last turn; 0 before. */
  lastInput(runId: string): number {
    return this.#sizes.get(runId)?.tokens ?? 0;
  }

  get used(): Used {
    return sumUse(this.#tally(), this.clock.ms, this.#iterations);
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
    const own = crossed('run', limits, used, size);
    const whole = crossed('workflow', this.#limits, total, size);
    const bound = whole && endsAtOnce(whole) ? whole : (own ?? whole);
    if (!bound) this.#underWay.set(runId, [...(this.#underWay.get(runId) ?? []), size]);
    return bound;
  }

  /** A request of the run has ended, with what it used. */
  counted(runId: string, request: RequestUsage): void {
    const input = { ...request, outputTokens: 0, thinkingTokens: 0, webSearches: 0 };
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

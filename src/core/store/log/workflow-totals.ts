/** Shared by the recorders of a workflow's runs: its usage total, and the failure context of each run. */
import type { FailureContext } from '#contract/event.ts';
import type { Tally } from '#contract/outcome.ts';
import { addTally } from '#domain/tally.ts';

export class WorkflowTotals {
  #tally: Tally;
  readonly #failureContexts: Map<string, FailureContext>;

  /** Restores the state after earlier attempts; `failureContexts` by run id. */
  constructor(tally: Tally, failureContexts: Iterable<readonly [string, FailureContext]> = []) {
    this.#tally = tally;
    this.#failureContexts = new Map(failureContexts);
  }

  get tally(): Tally {
    return this.#tally;
  }

  count(used: Tally): void {
    this.#tally = addTally(this.#tally, used);
  }

  queued(runId: string, origin: FailureContext): void {
    this.#failureContexts.set(runId, origin);
  }

  failureContextOf(runId: string): FailureContext | undefined {
    return this.#failureContexts.get(runId);
  }
}

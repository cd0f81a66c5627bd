/** What the recorders of a workflow's runs keep up together: its total use, and where each of its runs stands. */
import type { Origin } from '#contract/event.ts';
import type { Tally } from '#contract/outcome.ts';
import { addTally } from '../base/usage.ts';

export class WorkflowRecord {
  #tally: Tally;
  readonly #origins: Map<string, Origin>;

  /** What earlier attempts of the workflow left; `origins` by run id. */
  constructor(tally: Tally, origins: Iterable<readonly [string, Origin]> = []) {
    this.#tally = tally;
    this.#origins = new Map(origins);
  }

  get tally(): Tally {
    return this.#tally;
  }

  count(used: Tally): void {
    this.#tally = addTally(this.#tally, used);
  }

  queued(runId: string, origin: Origin): void {
    this.#origins.set(runId, origin);
  }

  originOf(runId: string): Origin | undefined {
    return this.#origins.get(runId);
  }
}

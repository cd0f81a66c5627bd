/** The agents from the person down to a run, of those runs where this does not follow from their events. */

/** The person, the lead and one below it: an event names the last, and its conversation the lead. */
const FOLLOWS = 3;

/** A few names for each coagent and each stage below a sub-agent. */
export class RunChains {
  readonly #chains = new Map<string, readonly string[]>();

  keep(runId: string, chain: readonly string[]): void {
    if (chain.length > FOLLOWS) this.#chains.set(runId, chain);
  }

  /** Undefined where it follows: the lead's own, or one right below it. */
  of(runId: string): readonly string[] | undefined {
    return this.#chains.get(runId);
  }
}

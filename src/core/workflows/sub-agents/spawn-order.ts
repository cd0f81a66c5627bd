/** Where one sub-agent works at a time: each begins after those that were asked for before it, whoever was answered first. */
import type { SubAgentSummary } from '#contract/event.ts';
import { orStopped, stopOf } from '../../base/stop.ts';

export class SpawnOrder {
  /** In the order in which they were asked for. */
  readonly #subAgents: ReadonlyMap<string, SubAgentSummary>;
  #change = Promise.withResolvers<void>();

  constructor(subAgents: ReadonlyMap<string, SubAgentSummary>) {
    this.#subAgents = subAgents;
  }

  /** One has begun, or will not. */
  changed(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }

  /** Resolves when all before it have begun or will not; rejects with the signal's reason. */
  async turnOf(runId: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw stopOf(signal);
    while (!this.#isNext(runId)) await orStopped(signal, this.#change.promise);
  }

  #isNext(runId: string): boolean {
    for (const { runId: other, status } of this.#subAgents.values()) {
      if (other === runId) return true;
      if (status === 'pending') return false;
    }
    return true;
  }
}

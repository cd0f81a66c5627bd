/** Where one sub-agent works at a time: each begins after those that were asked for before it, whoever was answered first. */
import type { SubAgentSummary } from '#contract/event.ts';
import { stopOf } from './stop.ts';

export class SpawnOrder {
  /** In the order in which they were asked for. */
  readonly #subAgents: ReadonlyMap<string, SubAgentSummary>;
  readonly #waiting = new Set<() => void>();

  constructor(subAgents: ReadonlyMap<string, SubAgentSummary>) {
    this.#subAgents = subAgents;
  }

  /** One has begun, or will not. */
  changed(): void {
    for (const look of [...this.#waiting]) look();
  }

  /** Resolves when all before it have begun or will not; rejects with the signal's reason. */
  async turnOf(runId: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw stopOf(signal);
    if (this.#isNext(runId)) return;
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(look);
        signal.removeEventListener('abort', stop);
      };
      const look = (): void => {
        if (!this.#isNext(runId)) return;
        leave();
        resolve();
      };
      const stop = (): void => {
        leave();
        reject(stopOf(signal));
      };
      this.#waiting.add(look);
      signal.addEventListener('abort', stop, { once: true });
    });
  }

  #isNext(runId: string): boolean {
    for (const { runId: other, status } of this.#subAgents.values()) {
      if (other === runId) return true;
      if (status === 'pending') return false;
    }
    return true;
  }
}

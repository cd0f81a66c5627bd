/** The person's requests to compact the context of a running agent: at once while calls are open, else before its next request. */
import type { CompactionEntry, Entry } from '#contract/message.ts';
import { TriadError } from '#core/base/errors.ts';
import type { Emit } from '#core/store/log/recorder.ts';

export class CompactionRequests {
  /** An automatic compaction failed. The attempt tries it again only when the context is full. */
  hasGivenUp = false;
  /** Compacts while calls are open; null while a response arrives. */
  #compact: (() => Promise<unknown>) | null = null;
  #running: Promise<unknown> | null = null;
  #isRequested = false;

  /**
   * Resolves when the context is compacted. `waits`: the compaction follows before the next request. Rejects like `compact`,
   * and with `conflict` while another one runs.
   */
  async request(): Promise<{ waits: boolean }> {
    if (this.#running || this.#isRequested) throw new TriadError('conflict', 'The context is being compacted already');
    if (!this.#compact) {
      this.#isRequested = true;
      return { waits: true };
    }
    await this.#work(this.#compact);
    return { waits: false };
  }

  /** Returns true if the person has requested a compaction since the last call. */
  takeRequest(): boolean {
    const isRequested = this.#isRequested;
    this.#isRequested = false;
    return isRequested;
  }

  /**
   * Runs requested compactions at once while `calls` are open. Resolves when the calls and the compaction have ended.
   * `compact` rejects with a `TriadError` if it is not possible.
   */
  async during(emit: Emit, compact: () => Promise<unknown>, calls: Promise<void>): Promise<void> {
    this.#compact = compact;
    try {
      if (this.takeRequest()) await this.#work(compact).catch((error: unknown) => recordFailure(emit, error));
      await calls;
    } finally {
      this.#compact = null;
      // The caller closes `emit` after this.
      await this.#running?.catch(() => undefined);
    }
  }

  async #work(compact: () => Promise<unknown>): Promise<void> {
    this.#running = compact();
    try {
      await this.#running;
    } finally {
      this.#running = null;
    }
  }
}

/** Records that the context was not compacted. The run continues. */
export function recordFailure(emit: Emit, error: unknown): void {
  const why = error instanceof Error ? error.message : String(error);
  void emit({ type: 'notice', level: 'warning', text: `The context was not compacted: ${why}` });
}

/**
 * Returns compaction `n` as undone, or as valid again. Throws `not_found`, or `conflict` if the entry has that state already.
 */
export function restored(entries: readonly Entry[], n: number, undone: boolean): CompactionEntry {
  const entry = entries.find((one) => one.n === n);
  if (entry?.kind !== 'compaction') throw new TriadError('not_found', `The run has no compaction ${n}`);
  if ((entry.undone ?? false) === undone)
    throw new TriadError('conflict', undone ? 'It was undone already' : 'It holds already');
  return { ...entry, undone };
}

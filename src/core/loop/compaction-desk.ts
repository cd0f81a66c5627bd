/** Where the person's wishes about a running agent's context arrive: done at once while calls are open, else before its next request. */
import type { CompactionEntry, Entry } from '#contract/message.ts';
import { TriadError } from '../base/errors.ts';
import type { Emit } from '../log/recorder.ts';

type Compact = (emit: Emit) => Promise<unknown>;

export class CompactionDesk {
  /** It was tried without being asked for, and failed: not again in this attempt unless the context is full. */
  gaveUp = false;
  readonly #compact: Compact;
  /** Tells what is done while calls are open; null while a response is written. */
  #emit: Emit | null = null;
  #underWay: Promise<unknown> | null = null;
  #asked = false;

  /** `compact`: summarises, and rejects with a `TriadError` where it cannot. */
  constructor(compact: Compact) {
    this.#compact = compact;
  }

  /** Resolves when it is done, or (`waits`) will be before the next request. Rejects as `compact` does, and with `conflict` while it is being done. */
  async ask(): Promise<{ waits: boolean }> {
    if (this.#underWay || this.#asked) throw new TriadError('conflict', 'The context is being compacted already');
    if (!this.#emit) {
      this.#asked = true;
      return { waits: true };
    }
    await this.#work(this.#emit);
    return { waits: false };
  }

  /** Whether the person has asked since this was looked at last. */
  take(): boolean {
    const asked = this.#asked;
    this.#asked = false;
    return asked;
  }

  /** While `calls` have no results yet, what is asked for is done beside them; resolves when both are done. */
  async during(emit: Emit, calls: Promise<void>): Promise<void> {
    this.#emit = emit;
    try {
      if (this.take()) await this.#work(emit).catch((error: unknown) => tellFailure(emit, error));
      await calls;
    } finally {
      this.#emit = null;
      // What tells of it is closed after this.
      await this.#underWay?.catch(() => undefined);
    }
  }

  async #work(emit: Emit): Promise<void> {
    this.#underWay = this.#compact(emit);
    try {
      await this.#underWay;
    } finally {
      this.#underWay = null;
    }
  }
}

/** The work goes on without it. */
export function tellFailure(emit: Emit, error: unknown): void {
  const why = error instanceof Error ? error.message : String(error);
  void emit({ type: 'notice', level: 'warning', text: `The context was not compacted: ${why}` });
}

/** Takes compaction `n` back, or has it hold again: the entry as it is then. Throws `not_found`, and `conflict` where it is so already. */
export function restored(entries: readonly Entry[], n: number, undone: boolean): CompactionEntry {
  const entry = entries.find((one) => one.n === n);
  if (entry?.kind !== 'compaction') throw new TriadError('not_found', `The run has no compaction ${n}`);
  if ((entry.undone ?? false) === undone)
    throw new TriadError('conflict', undone ? 'It was undone already' : 'It holds already');
  return { ...entry, undone };
}

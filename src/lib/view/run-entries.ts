/** The entries of the runs that a page holds. */
import type { Entry } from '#contract/message.ts';

/** The entries of each run that has any, by run id, in order. */
export interface RunEntries extends Iterable<readonly [string, readonly Entry[]]> {
  get(runId: string): readonly Entry[] | undefined;
  has(runId: string): boolean;
}

/** Highest number of runs that a change copies. */
const MAX_RECENT = 100;

/** Returns the entries with the lists of some runs replaced. */
export function withRuns(entries: RunEntries, changed: Iterable<readonly [string, readonly Entry[]]>): RunEntries {
  return (entries instanceof LayeredEntries ? entries : new LayeredEntries(entries)).with(changed);
}

/** Copies only the runs that changed lately: a map of all runs of a long conversation takes milliseconds to copy. */
class LayeredEntries implements RunEntries {
  readonly #base: RunEntries;
  readonly #recent: ReadonlyMap<string, readonly Entry[]>;

  constructor(base: RunEntries, recent: ReadonlyMap<string, readonly Entry[]> = new Map()) {
    this.#base = base;
    this.#recent = recent;
  }

  get(runId: string): readonly Entry[] | undefined {
    return this.#recent.get(runId) ?? this.#base.get(runId);
  }

  has(runId: string): boolean {
    return this.get(runId) !== undefined;
  }

  /** Yields runs in the order of their first entries. */
  *[Symbol.iterator](): Generator<readonly [string, readonly Entry[]]> {
    for (const [runId, list] of this.#base) yield [runId, this.#recent.get(runId) ?? list];
    for (const added of this.#recent) if (!this.#base.has(added[0])) yield added;
  }

  with(changed: Iterable<readonly [string, readonly Entry[]]>): LayeredEntries {
    const recent = new Map([...this.#recent, ...changed]);
    if (recent.size <= MAX_RECENT) return new LayeredEntries(this.#base, recent);
    return new LayeredEntries(new Map([...this.#base, ...recent]));
  }
}

/**
 * Who is called for what waits, and how often: at once when it comes, then again after 1, 3 and 10 minutes, and every 10
 * minutes from then on. Knows no clock and makes no sound. Pure but for what it remembers.
 */
const MINUTE_MS = 60_000;
const AGAIN_AFTER = [1, 3, 10];
const THEN_EVERY = 10;

/** How many calls are due after so many milliseconds, the first one included. */
export function callsDue(waitedMs: number, repeats: number): number {
  const minutes = waitedMs / MINUTE_MS;
  const last = AGAIN_AFTER.at(-1)!;
  const later = Math.max(0, Math.floor((minutes - last) / THEN_EVERY));
  const again = AGAIN_AFTER.filter((after) => minutes >= after).length + later;
  return 1 + Math.min(repeats, again);
}

export interface Waits {
  key: string;
  /** When it was asked, in epoch milliseconds. */
  at: number;
}

export interface Moment {
  /** Epoch milliseconds. */
  now: number;
  repeats: number;
  /** The person is here and sees it, or nothing may be heard now. */
  silent: boolean;
}

interface Called {
  since: number;
  count: number;
}

export class Calls {
  readonly #called = new Map<string, Called>();
  #started = false;

  /**
   * The keys of those for which to call now. What comes while it is silent is not called for then, but again later;
   * a call that falls into silence waits for its end, and several that have fallen into it are one. What waited already
   * when this began counts as called for, except that what was asked less than a minute ago is new.
   */
  due(waiting: readonly Waits[], { now, repeats, silent }: Moment): string[] {
    const keys = new Set(waiting.map(({ key }) => key));
    for (const key of [...this.#called.keys()]) if (!keys.has(key)) this.#called.delete(key);
    const due = waiting.filter(({ key, at }) => this.#isDue(key, at, { now, repeats, silent }));
    this.#started = true;
    return due.map(({ key }) => key);
  }

  #isDue(key: string, at: number, { now, repeats, silent }: Moment): boolean {
    const known = this.#called.get(key);
    if (!known) {
      const isOld = !this.#started && now - at >= MINUTE_MS;
      // A question that wakes up was asked long ago: here it is new.
      this.#called.set(key, isOld ? { since: at, count: callsDue(now - at, repeats) } : { since: now, count: 1 });
      return !isOld && !silent;
    }
    const count = callsDue(now - known.since, repeats);
    if (count <= known.count || silent) return false;
    known.count = count;
    return true;
  }
}

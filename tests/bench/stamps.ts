/** Deltas that carry their number and the time at which the server wrote them, and the reader that judges them. */
import { clock } from './clock.ts';
import { percentile } from './statistics.ts';

export function stamped(index: number): string {
  return `${index}:${clock().toFixed(3)};`;
}

export interface Delays {
  count: number;
  p50: number;
  p99: number;
  max: number;
}

/** Throws at a delta that is missing or out of order. */
export class StampReader {
  readonly #delays: number[] = [];
  #rest = '';

  take(text: string): void {
    const now = clock();
    const pieces = (this.#rest + text).split(';');
    this.#rest = pieces.pop() ?? '';
    for (const piece of pieces) {
      const colon = piece.indexOf(':');
      const index = Number(piece.slice(0, colon));
      if (index !== this.#delays.length) throw new Error(`delta ${index} came where ${this.#delays.length} was due`);
      this.#delays.push(now - Number(piece.slice(colon + 1)));
    }
  }

  /** The delays, once all of so many deltas have come. */
  delays(count: number): Delays {
    if (this.#delays.length !== count || this.#rest.trim() !== '')
      throw new Error(`${this.#delays.length} of ${count} deltas came`);
    const at = (share: number) => percentile(this.#delays, share);
    return { count, p50: at(0.5), p99: at(0.99), max: at(1) };
  }
}

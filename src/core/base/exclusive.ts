/** Work of which one may be under way for each id. */
import { TriadError } from './errors.ts';

export class Exclusive {
  readonly #running = new Set<string>();
  readonly #refusal: string;

  /** `refusal`: the message of the `conflict`. */
  constructor(refusal: string) {
    this.#refusal = refusal;
  }

  /** Rejects a concurrent call for the same id (`conflict`); settles like `work`. */
  async run<T>(id: string, work: () => Promise<T>): Promise<T> {
    if (this.#running.has(id)) throw new TriadError('conflict', this.#refusal);
    this.#running.add(id);
    try {
      return await work();
    } finally {
      this.#running.delete(id);
    }
  }
}

/** What somebody is about to change: a second one who comes meanwhile is refused, not queued. */
import { TriadError } from './errors.ts';

export class Claims {
  readonly #held = new Set<string>();
  readonly #refusal: string;

  constructor(refusal: string) {
    this.#refusal = refusal;
  }

  async hold<T>(id: string, work: () => Promise<T>): Promise<T> {
    if (this.#held.has(id)) throw new TriadError('conflict', this.#refusal);
    this.#held.add(id);
    try {
      return await work();
    } finally {
      this.#held.delete(id);
    }
  }
}

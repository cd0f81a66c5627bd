/** Cache of recently changed rows, so that changing them again needs no read. Safe because only the store writes. */
import type { Row } from '../store.ts';

const LIMIT = 512;

export class RowCache {
  readonly #rows = new Map<string, Row>();

  get(id: string): Row | undefined {
    return this.#rows.get(id);
  }

  /** Null: the row was deleted. */
  set(id: string, row: Row | null): void {
    this.#rows.delete(id);
    if (row) this.#rows.set(id, row);
    const [oldest] = this.#rows.size > LIMIT ? this.#rows.keys() : [];
    if (oldest !== undefined) this.#rows.delete(oldest);
  }

  clear(): void {
    this.#rows.clear();
  }
}

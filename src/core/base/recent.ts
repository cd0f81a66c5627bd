/** What took long to make, kept by its key while it is among those that were used last. */
export class Recent<T> {
  readonly #most: number;
  /** The one used last is the last. */
  readonly #made = new Map<string, { value: T }>();

  constructor(most: number) {
    this.#most = most;
  }

  /** The kept one, or a new one. */
  get(key: string, make: () => T): T {
    const found = this.#made.get(key) ?? { value: make() };
    this.#made.delete(key);
    this.#made.set(key, found);
    if (this.#made.size > this.#most) this.#made.delete(this.#made.keys().next().value ?? '');
    return found.value;
  }
}

/** Functions that are called when something happens. */
export class Listeners {
  readonly #listeners = new Set<() => void>();

  /** Calls `listener` at each notification, until the returned function is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls all listeners. Returns their number. */
  notify(): number {
    const listeners = [...this.#listeners];
    for (const listener of listeners) listener();
    return listeners.length;
  }
}

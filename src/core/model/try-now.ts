/** Lets a person send the waiting requests of a workflow again at once. */
export class TryNow {
  readonly #listeners = new Set<() => void>();

  /** Calls `listener` when the person asks, until the returned function is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Returns the number of requests that are sent again. */
  sendAgain(): number {
    const listeners = [...this.#listeners];
    for (const listener of listeners) listener();
    return listeners.length;
  }
}

/** Where a scripted reply, or anything else, waits until the test lets it go on. */
export class Gate {
  readonly #reached = Promise.withResolvers<void>();
  readonly #opened = Promise.withResolvers<void>();

  /** Resolves when something waits, or has waited, here. */
  get reached(): Promise<void> {
    return this.#reached.promise;
  }

  open(): void {
    this.#opened.resolve();
  }

  /** Waits for `open`, which may have come already. */
  pass(): Promise<void> {
    this.#reached.resolve();
    return this.#opened.promise;
  }

  /** The `hold` of a reply: after so many of its events. */
  at(after: number): { after: number; until: () => Promise<void> } {
    return { after, until: () => this.pass() };
  }
}

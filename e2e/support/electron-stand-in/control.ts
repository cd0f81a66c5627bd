/** The wire to the test: what it may do to the machine around the app, and what the app asked of that machine. */

type Action = (argument: string) => unknown;

export class Control {
  readonly #actions = new Map<string, Action>();

  constructor() {
    process.on('message', (message) => void this.#perform(message as { id: number; action: string; argument: string }));
    // The test has gone: nobody is left to look at the window.
    process.on('disconnect', () => process.exit(1));
  }

  on(action: string, perform: Action): void {
    this.#actions.set(action, perform);
  }

  /** Resolves when the test has done it. */
  once(action: string): Promise<void> {
    return new Promise((resolve) => this.on(action, () => resolve()));
  }

  /** Kept by the test, in order. */
  tell(what: string, detail: unknown): void {
    process.send?.({ what, detail });
  }

  async #perform({ id, action, argument }: { id: number; action: string; argument: string }): Promise<void> {
    try {
      const perform = this.#actions.get(action);
      if (perform === undefined) throw new Error(`There is no "${action}" here`);
      process.send?.({ id, value: await perform(argument) });
    } catch (error) {
      process.send?.({ id, error: String(error) });
    }
  }
}

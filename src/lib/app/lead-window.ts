/** Of all windows and tabs of one browser one calls the person: the one that was used last for the first time, else the oldest. */

type Locks = Pick<LockManager, 'request'>;

const NAME = 'triad-calls';

export class LeadWindow {
  /** Undefined where there are none, or none may be used: then every window calls. */
  #locks: Locks | undefined;
  #leads = false;
  #hasTaken = false;
  readonly #end = new AbortController();

  constructor(locks: Locks | undefined) {
    this.#locks = locks;
    void this.#queue();
  }

  get leads(): boolean {
    return this.#locks === undefined || this.#leads;
  }

  /**
   * The person is here: browsers let only a window sound in which something was pressed, so the first such input makes it
   * the lead.
   */
  take(): void {
    if (this.#hasTaken) return;
    this.#hasTaken = true;
    if (!this.#leads) void this.#hold({ steal: true });
  }

  close(): void {
    this.#end.abort();
  }

  /** Waits for the lead behind other windows, again and again where it is taken away. */
  async #queue(): Promise<void> {
    while (this.#locks && !this.#end.signal.aborted) await this.#hold({ signal: this.#end.signal });
  }

  /** Until it is released here, or another window takes it. */
  async #hold(how: LockOptions): Promise<void> {
    const { signal } = this.#end;
    const held = (): Promise<void> => {
      this.#leads = true;
      return new Promise((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    };
    try {
      await this.#locks?.request(NAME, how, held);
    } catch (error) {
      // Taken away, or the wait has ended; else this page may use none.
      if (!(error instanceof DOMException && error.name === 'AbortError')) this.#locks = undefined;
    }
    this.#leads = false;
  }
}

/** The way to the runtime, opened when it is first needed, and made again when the process behind it has gone. */
import type { Client } from '#contract/rpc.ts';
import type { Connected } from '#core/host/ownership/connect-or-own.ts';

export class Door {
  readonly #connect: () => Promise<Connected>;
  readonly #onNew: (connected: Connected) => void;
  #current: Promise<Connected> | null = null;

  /** `onNew` is called with each connection, once. */
  constructor(connect: () => Promise<Connected>, onNew: (connected: Connected) => void) {
    this.#connect = connect;
    this.#onNew = onNew;
  }

  /** The connection that stands now. A try that failed is made again by the next who asks. */
  open(): Promise<Connected> {
    if (this.#current) return this.#current;
    const opening = this.#connect();
    this.#current = opening;
    opening.then(this.#onNew, () => this.#drop(opening));
    return opening;
  }

  /** Another one in the place of this one, whose owner has gone; many may ask at once. */
  async again(gone: Connected): Promise<Connected> {
    const current = await this.open();
    if (current === gone) {
      this.#current = null;
      await gone.close();
    }
    return this.open();
  }

  /** Does what may be done twice: where the owner goes in the middle of it, it is done once more. */
  async ask<T>(work: (client: Client) => Promise<T>): Promise<T> {
    for (let connected = await this.open(); ; connected = await this.again(connected)) {
      try {
        return await work(connected.client);
      } catch (error) {
        if (!isGone(connected)) throw error;
      }
    }
  }

  /** Null where nobody needed it. */
  async opened(): Promise<Connected | null> {
    return this.#current?.catch(() => null) ?? null;
  }

  #drop(opening: Promise<Connected>): void {
    if (this.#current === opening) this.#current = null;
  }
}

/** Whether there is nothing to hear from this connection any more, but perhaps from another one. */
export function isGone({ owner, lost }: Connected): boolean {
  return !owner && lost.aborted;
}

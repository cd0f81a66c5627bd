/** The runtime behind all windows: of this process, or of the one that was first; when that one goes, the next. */
import type { Client } from '#contract/rpc.ts';
import type { Connected } from '#core/host/ownership/connect-or-own.ts';

export interface AttachmentPorts {
  connect: (signal: AbortSignal) => Promise<Connected>;
  /** Null while there is none. */
  use: (client: Client | null) => void;
}

export class Attachment {
  readonly #ports: AttachmentPorts;
  readonly #leaving = new AbortController();
  #connecting: Promise<Connected> | null = null;
  #current: Connected | null = null;

  constructor(ports: AttachmentPorts) {
    this.#ports = ports;
  }

  /** Whether the runtime works in this process. */
  get isOwner(): boolean {
    return this.#current?.owner ?? false;
  }

  /** Resolves after `close`; rejects with the reason when there can be no runtime any more. */
  async run(): Promise<void> {
    const { signal } = this.#leaving;
    try {
      while (!signal.aborted) {
        this.#connecting = this.#ports.connect(signal);
        const connected = (this.#current = await this.#connecting);
        if (signal.aborted) return;
        this.#ports.use(connected.client);
        await aborted(AbortSignal.any([connected.lost, signal]));
        this.#ports.use(null);
        if (connected.owner && connected.lost.aborted) throw connected.lost.reason;
        // A store can be opened once in a process, but whoever only was a client may become the owner.
        if (!signal.aborted) await connected.close();
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Flushes and marks what runs, and gives the data folder up; also what is still being opened. */
  async close(): Promise<void> {
    this.#leaving.abort();
    const connected = await this.#connecting?.catch(() => null);
    await connected?.close();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

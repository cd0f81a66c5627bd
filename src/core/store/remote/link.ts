/**
 * The connection to the server, made anew when it breaks: a call without an answer is made again on the next one, so it
 * must do the same twice as once. Patience is bounded; after it the link is lost for good.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { TriadError } from '../../base/errors.ts';
import { Cut, type Session } from './session.ts';

const FIRST_PAUSE_MS = 50;
const LAST_PAUSE_MS = 2000;

export interface LinkPorts {
  /** Rejects with a `Cut` where the server cannot be reached; any other error is final. */
  open(): Promise<Session>;
  /** The error for a server that has not answered for so long. */
  unreachable(cause: Cut, waitedMs: number): TriadError;
  /** Longest time of one call, in milliseconds. */
  callMs: number;
  /** As in `RemoteTimes`. */
  patienceMs: number;
}

export class Link {
  readonly #ports: LinkPorts;
  readonly #lost = new AbortController();
  /** The connection in use, or being made. */
  #session: Promise<Session> | null = null;

  constructor(ports: LinkPorts) {
    this.#ports = ports;
  }

  /** Aborts, with the error, when nothing more can be asked. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Ends all work over this link, which rejects with the error from now on; returns the first such error. */
  lose(error: TriadError): TriadError {
    this.#lost.abort(error);
    this.end();
    return this.#lost.signal.reason as TriadError;
  }

  end(): void {
    this.#session?.then(
      (session) => session.end(),
      () => undefined,
    );
    this.#session = null;
  }

  async run<T>(work: (session: Session) => Promise<T>, patienceMs = this.#ports.patienceMs): Promise<T> {
    let spent = 0;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LAST_PAUSE_MS)) {
      this.#lost.signal.throwIfAborted();
      const start = performance.now();
      const connecting = (this.#session ??= this.#open());
      try {
        return await work(await connecting);
      } catch (error) {
        if (this.#session === connecting && error instanceof Cut) this.#session = null;
        this.#lost.signal.throwIfAborted();
        if (!(error instanceof Cut)) throw error;
        // A process that was asleep has not waited: what counts of a call is at most what it may take.
        spent += Math.min(performance.now() - start, this.#ports.callMs) + pause;
        if (spent >= patienceMs) throw this.lose(this.#ports.unreachable(error, spent));
      }
      await sleep(pause);
    }
  }

  async #open(): Promise<Session> {
    try {
      return await this.#ports.open();
    } catch (error) {
      // Where a server lets nobody in, asking again is of no use.
      throw error instanceof TriadError ? this.lose(error) : error;
    }
  }
}

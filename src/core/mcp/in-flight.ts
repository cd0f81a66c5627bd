/** One request to a server that runs: how long it may, and who is asked when the server asks something meanwhile. */
import type { CreateMessageRequest, CreateMessageResult, ElicitRequestFormParams } from '@modelcontextprotocol/client';
import type { TriadError } from '../base/errors.ts';
import { stopOf } from '../base/stop.ts';
import type { CallSpan } from '../tools/tool.ts';
import { Watchdog } from '../base/watchdog.ts';

interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export interface ElicitRequest {
  /** What the server says to the person. */
  readonly message: string;
  /** A flat JSON schema of what it asks for. */
  readonly schema: ElicitRequestFormParams['requestedSchema'];
}
export interface ElicitAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, string | number | boolean | string[]>>;
}
export type SampleRequest = CreateMessageRequest['params'];
export type SampleResult = CreateMessageResult;

/** Asked of the caller by the server while a call runs; `signal` aborts when nobody waits for the answer any more. No time of the call counts meanwhile. */
export interface Answering {
  readonly onElicit?: ((request: ElicitRequest, signal: AbortSignal) => Promise<ElicitAnswer>) | undefined;
  /** Null: declined. */
  readonly onSample?: ((request: SampleRequest, signal: AbortSignal) => Promise<SampleResult | null>) | undefined;
}

export interface CallOptions extends Answering {
  readonly signal: AbortSignal;
  /** Span of the call. The server can report its own spans as children of it. */
  readonly span?: CallSpan | null | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** In all, whatever progress it makes. */
const TOTAL_MS = 30 * 60_000;
const TOTAL_TIMES = 10;

export class InFlight {
  readonly answering: Answering;
  readonly #controller = new AbortController();
  readonly #silence: Watchdog;
  readonly #total: Watchdog;
  readonly #unfollow: () => void;
  #fault: TriadError | null = null;

  /** `silent`, `tooLong`: why it was given up, where nothing came for `timeoutMs`, or all of its time is over. */
  constructor(
    options: CallOptions,
    timeoutMs: number,
    silent: (ms: number) => TriadError,
    tooLong: (ms: number) => TriadError,
  ) {
    this.answering = options;
    const totalMs = Math.min(TOTAL_MS, TOTAL_TIMES * timeoutMs);
    this.#silence = new Watchdog(timeoutMs, () => this.#giveUp(silent(timeoutMs)));
    this.#total = new Watchdog(totalMs, () => this.#giveUp(tooLong(totalMs)));
    const { signal } = options;
    const follow = (): void => this.#giveUp(stopOf(signal));
    signal.addEventListener('abort', follow, { once: true });
    this.#unfollow = () => signal.removeEventListener('abort', follow);
    if (signal.aborted) follow();
  }

  /** Aborts when it is given up. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why it was given up; null while it was not. */
  get fault(): TriadError | null {
    return this.#fault;
  }

  /** A sign of progress. */
  feed(): void {
    this.#silence.feed();
  }

  /** No time counts until the returned function is called. */
  hold(): () => void {
    const holds = [this.#silence.hold(), this.#total.hold()];
    return () => holds.forEach((release) => release());
  }

  /** To be called when it has ended. */
  end(): void {
    this.#silence.stop();
    this.#total.stop();
    this.#unfollow();
    this.#controller.abort('It has ended');
  }

  #giveUp(fault: TriadError): void {
    this.#fault ??= fault;
    // The server is told this.
    this.#controller.abort('The client gave up');
  }
}

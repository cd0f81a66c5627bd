/** Sends a model request of a run outside of its turns. The request does not enter the history, but its usage counts. */
import type { RequestPurpose } from '#contract/event.ts';
import type { Bound, StopReason } from '#contract/message.ts';
import { errorInfo, TriadError } from '#core/base/errors.ts';
import { turnsOf } from '#core/store/log/transcript.ts';
import { limitText } from '../budget/limit-notices.ts';
import type { Requester } from '../run-requests.ts';
import type { ModelEvent, ToolSpec, WireMessage } from '#core/model/model.ts';
import { streamWithRetry } from '#core/model/retry.ts';
import { type Emit, type Recorded, waitUntilStored } from '#core/store/log/recorder.ts';
import { type About, estimatedInput, RequestMeter, recordMiscount } from './request-meter.ts';
import { createSendOptions } from './send-options.ts';
import { stopOf } from '#core/base/stop.ts';
import type { Watchdog } from '#core/base/watchdog.ts';

export interface SideAsk {
  purpose: RequestPurpose;
  system: string;
  messages: WireMessage[];
  /** Declared because the messages contain calls of them. The model cannot call them. */
  tools?: ToolSpec[];
  maxTokens?: number;
  signal: AbortSignal;
}

export interface SideAnswer {
  text: string;
  stopReason: StopReason;
}

/** A limit forbids the request. */
export class AtLimit extends TriadError {
  readonly bound: Bound;

  constructor(bound: Bound) {
    super('limit_reached', `The limit of ${limitText(bound)} is reached`);
    this.name = 'AtLimit';
    this.bound = bound;
  }
}

/**
 * Sends the request as part of the newest turn, and returns its answer. `emit` must count usage like the events of the run.
 * Throws the ModelError of the last attempt, `Stopped` if the signal aborts, and `AtLimit` if a limit forbids the request.
 * The request feeds only its own watchdog, so the run may wait meanwhile.
 */
export async function sideRequest(run: Requester, ask: SideAsk, emit: Emit): Promise<SideAnswer> {
  const turn = Math.max(0, turnsOf(run.history.entries) - 1);
  const allowance = new Allowance(run, turn);
  allowance.take();
  const resume = run.watchdog.hold();
  try {
    return await send(run, ask, { turn, emit, allowance });
  } catch (error) {
    throw ask.signal.aborted ? stopOf(ask.signal) : error;
  } finally {
    allowance.giveBack();
    resume();
  }
}

async function send(
  run: Requester,
  ask: SideAsk,
  { turn, emit, allowance }: { turn: number; emit: Emit; allowance: Allowance },
): Promise<SideAnswer> {
  const request = createRequest(run, ask);
  const inputEstimate = estimatedInput(request);
  let attempt: SideAttempt | null = null;
  for await (const event of streamWithRetry(run.requests.model, request, createSendOptions(run, turn, ask.signal))) {
    if (event.type === 'attempt') {
      const about = { turn, attempt: event.attempt, purpose: ask.purpose, inputEstimate };
      attempt = new SideAttempt(run, about, emit);
      allowance.spend();
      await attempt.ready(ask.signal, run.watchdog);
    } else if (event.type !== 'failed') attempt?.take(event);
    else {
      await attempt?.fail(ask.signal.aborted ? stopOf(ask.signal) : event.error);
      const { delayMs } = event;
      if (delayMs === null) continue;
      allowance.take();
      void emit({ type: 'retry', turn, attempt: event.attempt, delayMs, error: errorInfo(event.error) });
    }
  }
  if (!attempt) throw new TriadError('internal', 'A request ended without an attempt');
  return attempt.end();
}

/** One attempt: records its start, the first count of the provider, and its end. */
class SideAttempt {
  readonly #run: Requester;
  readonly #meter: RequestMeter;
  readonly #recordStart: () => Promise<Recorded>;
  readonly #start: Promise<Recorded>;
  readonly #emit: Emit;
  #text = '';
  #begun = false;
  #ended: { stopReason: StopReason; request: ReturnType<RequestMeter['end']> } | null = null;

  constructor(run: Requester, about: About & Pick<SideAsk, 'purpose'>, emit: Emit) {
    const { purpose, turn } = about;
    this.#run = run;
    this.#meter = new RequestMeter(run, about);
    this.#emit = emit;
    this.#recordStart = () => emit({ type: 'request-start', purpose, turn, request: this.#meter.start() });
    this.#start = this.#recordStart();
  }

  /** Resolves when the start is stored, so that the request may be sent. A stop ends the wait. Rejects with `store_failed`. */
  async ready(signal: AbortSignal, watchdog: Watchdog): Promise<void> {
    if (await waitUntilStored(this.#start, { signal, watchdog })) this.#meter.sent();
  }

  take(event: ModelEvent): void {
    this.#meter.take(event);
    if (event.type === 'miscount') recordMiscount(this.#run, event.count, this.#emit);
    if (event.type === 'delta' && event.kind === 'text') this.#text += event.text;
    // The stream can continue after the end of the response. The measured time ends here.
    if (event.type === 'end') {
      const { stopReason } = event;
      this.#ended = { stopReason, request: this.#meter.end(stopReason, null) };
    }
    if (this.#begun || event.type === 'start') return;
    this.#begun = true;
    void this.#recordStart();
  }

  fail(error: Error): Promise<unknown> {
    return this.#emit({ type: 'usage', request: this.#meter.end(null, error) });
  }

  /** Returns the complete answer, and records its usage. Only now, so that the usage is stored together with the result. */
  end(): SideAnswer {
    if (!this.#ended) throw new TriadError('internal', 'A response ended without its end');
    const { stopReason, request } = this.#ended;
    void this.#emit({ type: 'usage', request });
    return { text: this.#text.trim(), stopReason };
  }
}

/** The admission of one request by the limits. The request is sent and counted, or withdrawn. */
class Allowance {
  readonly #run: Requester;
  readonly #turn: number;
  #held = false;

  constructor(run: Requester, turn: number) {
    this.#run = run;
    this.#turn = turn;
  }

  /** Admits a request. Throws `AtLimit`. */
  take(): void {
    const bound = this.#run.limits.admit(this.#turn);
    if (bound) throw new AtLimit(bound);
    this.#held = true;
  }

  /** Marks the admission as used: the request is sent, and its usage will be counted. */
  spend(): void {
    this.#held = false;
  }

  /** Withdraws an admission that was not used. */
  giveBack(): void {
    if (this.#held) this.#run.limits.withdraw();
    this.#held = false;
  }
}

function createRequest({ envelope }: Requester, { system, messages, tools = [], maxTokens }: SideAsk) {
  const { model, effort, temperature } = envelope;
  const most = Math.min(maxTokens ?? envelope.maxTokens, envelope.maxTokens);
  return { model, maxTokens: most, effort, temperature, system, messages, tools, toolChoice: 'none' as const };
}

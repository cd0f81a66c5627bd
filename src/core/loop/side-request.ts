/** One model request of a run outside of its turns: nothing of it enters the history, all of it is counted. */
import type { RequestPurpose } from '#contract/event.ts';
import type { Bound, StopReason } from '#contract/message.ts';
import { errorInfo, TriadError } from '../base/errors.ts';
import { turnsOf } from '../log/transcript.ts';
import { limitText } from '../budget/limit-notices.ts';
import type { RunContext } from './run-context.ts';
import type { ModelEvent, ToolSpec, WireMessage } from '../model/model.ts';
import { streamWithRetry } from '../model/retry.ts';
import { type Emit, type Recorded, waitUntilStored } from '../log/recorder.ts';
import { type About, estimatedInput, RequestMeter, tellMiscount } from './request-meter.ts';
import { createSendOptions } from './send-options.ts';
import { stopOf } from '../base/stop.ts';
import type { Watchdog } from '../base/watchdog.ts';

export interface SideAsk {
  purpose: RequestPurpose;
  system: string;
  messages: WireMessage[];
  /** Only declared, because the messages have calls of them: none can be made. */
  tools?: ToolSpec[];
  maxTokens?: number;
  signal: AbortSignal;
}

export interface SideAnswer {
  text: string;
  stopReason: StopReason;
}

/** A bound forbids the request. */
export class AtLimit extends TriadError {
  readonly bound: Bound;

  constructor(bound: Bound) {
    super('limit_reached', `The limit of ${limitText(bound)} is reached`);
    this.name = 'AtLimit';
    this.bound = bound;
  }
}

/** What such a request needs of its run. */
export type SideRun = Pick<
  RunContext,
  'envelope' | 'history' | 'model' | 'retries' | 'noteSilence' | 'watchdog' | 'limits' | 'admit' | 'price'
>;

/**
 * `emit` must count what it is told as the run's own events are. Throws the last attempt's ModelError, `Stopped` where
 * the signal aborts, and `AtLimit` where a bound forbids it. It feeds a watchdog of
 * its own, so it may be made while the run itself waits. It belongs to the run's newest turn and is none itself.
 */
export async function sideRequest(run: SideRun, ask: SideAsk, emit: Emit): Promise<SideAnswer> {
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
  run: SideRun,
  ask: SideAsk,
  { turn, emit, allowance }: { turn: number; emit: Emit; allowance: Allowance },
): Promise<SideAnswer> {
  const request = requestOf(run, ask);
  const inputEstimate = estimatedInput(request);
  let attempt: SideAttempt | null = null;
  for await (const event of streamWithRetry(run.model, request, createSendOptions(run, turn, ask.signal))) {
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
  readonly #run: SideRun;
  readonly #meter: RequestMeter;
  readonly #recordStart: () => Promise<Recorded>;
  readonly #start: Promise<Recorded>;
  readonly #emit: Emit;
  #text = '';
  #begun = false;
  #ended: { stopReason: StopReason; request: ReturnType<RequestMeter['end']> } | null = null;

  constructor(run: SideRun, about: About & Pick<SideAsk, 'purpose'>, emit: Emit) {
    const { purpose, turn } = about;
    this.#run = run;
    this.#meter = new RequestMeter(run, about);
    this.#emit = emit;
    this.#recordStart = () => emit({ type: 'request-start', purpose, turn, request: this.#meter.start() });
    this.#start = this.#recordStart();
  }

  /** Resolves when the request may be sent: its start is durable. A stopped one does not wait. Rejects with `store_failed`. */
  async ready(signal: AbortSignal, watchdog: Watchdog): Promise<void> {
    if (await waitUntilStored(this.#start, { signal, watchdog })) this.#meter.sent();
  }

  take(event: ModelEvent): void {
    this.#meter.take(event);
    if (event.type === 'miscount') tellMiscount(this.#run, event.count, this.#emit);
    if (event.type === 'delta' && event.kind === 'text') this.#text += event.text;
    // The response may still be read on after its end, and its time is over then.
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

  /** It has come whole. Counted only now, so that what is made of it is stored together with that. */
  end(): SideAnswer {
    if (!this.#ended) throw new TriadError('internal', 'A response ended without its end');
    const { stopReason, request } = this.#ended;
    void this.#emit({ type: 'usage', request });
    return { text: this.#text.trim(), stopReason };
  }
}

/** What the bounds let through: one request at a time, which is sent and counted, or given back. */
class Allowance {
  readonly #run: SideRun;
  readonly #turn: number;
  #held = false;

  constructor(run: SideRun, turn: number) {
    this.#run = run;
    this.#turn = turn;
  }

  /** Throws `AtLimit`. */
  take(): void {
    const bound = this.#run.limits.admit(this.#turn);
    if (bound) throw new AtLimit(bound);
    this.#held = true;
  }

  /** The request is sent: its usage will be told. */
  spend(): void {
    this.#held = false;
  }

  giveBack(): void {
    if (this.#held) this.#run.limits.withdraw();
    this.#held = false;
  }
}

function requestOf({ envelope }: SideRun, { system, messages, tools = [], maxTokens }: SideAsk) {
  const { model, effort, temperature } = envelope;
  const most = Math.min(maxTokens ?? envelope.maxTokens, envelope.maxTokens);
  return { model, maxTokens: most, effort, temperature, system, messages, tools, toolChoice: 'none' as const };
}

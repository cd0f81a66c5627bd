/** One turn of the model: the request with its retries, streamed as hints, recorded as one message and one usage row an attempt. */
import type { RequestUsage } from '#contract/event.ts';
import type { Part, StopReason } from '#contract/message.ts';
import { errorInfo } from './errors.ts';
import { toWire } from './history.ts';
import { newId } from './ids.ts';
import type { LoopRun } from './loop-run.ts';
import type { ModelEvent, ModelRequest, ModelUsage } from './model/model.ts';
import { streamWithRetry } from './model/retry.ts';
import { interruptedParts } from './open-messages.ts';
import type { Payload } from './recorder.ts';

export const NO_USAGE: ModelUsage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
  outputTokens: 0,
  thinkingTokens: 0,
};

/** Output of a stream that ended early: four characters make about a token. */
export function estimatedTokens(chars: number): number {
  return Math.ceil(chars / 4);
}

/** Ends with the recorded response, or throws the last attempt's ModelError. */
export async function* modelTurn(
  run: LoopRun,
  turn: number,
  toolChoice: 'auto' | 'none',
): AsyncGenerator<Payload, void> {
  yield { type: 'turn-start', turn, model: run.envelope.model };
  const release = await run.admit();
  let resume = run.watchdog.hold();
  let attempt = new Attempt(run, turn, 0);
  try {
    for await (const event of streamWithRetry(run.model, requestOf(run, toolChoice), {
      signal: run.signal,
      delays: run.retryDelays,
    })) {
      resume();
      run.watchdog.feed();
      if (event.type === 'attempt') attempt = new Attempt(run, turn, event.attempt);
      else if (event.type === 'failed') {
        yield* attempt.failed(event.error);
        if (event.delayMs === null) continue;
        yield {
          type: 'retry',
          turn,
          attempt: event.attempt,
          delayMs: event.delayMs,
          error: errorInfo(event.error),
        };
        resume = run.watchdog.hold();
      } else yield* attempt.take(event);
    }
  } finally {
    resume();
    release();
  }
}

function requestOf(run: LoopRun, toolChoice: 'auto' | 'none'): ModelRequest {
  const { model, maxTokens, effort, systemPrompt } = run.envelope;
  const messages = [...run.prior, run.history.entries].flatMap(toWire);
  return {
    model,
    maxTokens,
    effort,
    system: systemPrompt,
    messages,
    tools: run.toolSpecs(),
    toolChoice,
  };
}

/** What one attempt received so far. */
class Attempt {
  readonly #run: LoopRun;
  readonly #turn: number;
  readonly #attempt: number;
  readonly #startedAt = new Date().toISOString();
  readonly #start = performance.now();
  readonly #messageId = newId();
  readonly #requestId = newId();
  readonly #parts: Part[] = [];
  readonly #callIds = new Map<number, string>();
  #responseId: string | null = null;
  #begun = false;
  #firstTokenMs: number | null = null;
  #usage = NO_USAGE;
  #chars = 0;

  constructor(run: LoopRun, turn: number, attempt: number) {
    this.#run = run;
    this.#turn = turn;
    this.#attempt = attempt;
  }

  *take(event: ModelEvent): Generator<Payload, void> {
    switch (event.type) {
      case 'start':
        this.#responseId = event.responseId;
        return;
      case 'usage':
        this.#usage = event.usage;
        yield* this.#begin();
        return;
      case 'delta':
        yield* this.#begin();
        this.#firstTokenMs ??= performance.now() - this.#start;
        this.#chars += event.text.length;
        this.#run.hint({
          messageId: this.#messageId,
          part: event.part,
          kind: event.kind,
          text: event.text,
          toolCallId: event.kind === 'tool' ? this.#callId(event.part, event.toolCallId) : null,
          name: event.kind === 'tool' ? event.name : null,
        });
        return;
      case 'part':
        this.#parts[event.part] =
          event.value.type === 'tool_use'
            ? { ...event.value, id: this.#callId(event.part, event.value.id) }
            : event.value;
        return;
      case 'end':
        yield* this.#begin();
        yield { type: 'usage', request: this.#request(event.stopReason, null) };
        yield this.#end(event.stopReason, false, this.#parts);
    }
  }

  /** The provider answers, and has told what it read; providers that do not are believed to have read nothing. */
  *#begin(): Generator<Payload, void> {
    if (this.#begun) return;
    this.#begun = true;
    const { inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens } = this.#usage;
    const request = {
      ...{ requestId: this.#requestId, attempt: this.#attempt },
      ...{ inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens },
    };
    yield { type: 'message-start', messageId: this.#messageId, turn: this.#turn, request };
  }

  /** What came is kept as an interrupted message, and what it cost is counted. */
  *failed(error: Error): Generator<Payload, void> {
    yield { type: 'usage', request: this.#request(null, error) };
    if (!this.#begun) return;
    yield this.#end(null, true, interruptedParts(this.#run.streamed(this.#messageId), this.#parts));
  }

  #end(stopReason: StopReason | null, interrupted: boolean, parts: Part[]): Payload {
    const draft = {
      kind: 'assistant',
      messageId: this.#messageId,
      responseId: this.#responseId,
      parts,
      stopReason,
      interrupted,
    } as const;
    return { type: 'message-end', entry: this.#run.history.add(draft) };
  }

  #request(stopReason: StopReason | null, error: Error | null): RequestUsage {
    const reported = error === null;
    const estimate = estimatedTokens(this.#chars);
    const usage = reported
      ? this.#usage
      : { ...this.#usage, outputTokens: Math.max(this.#usage.outputTokens, estimate) };
    return {
      requestId: this.#requestId,
      provider: this.#run.model.provider,
      model: this.#run.envelope.model,
      turn: this.#turn,
      attempt: this.#attempt,
      ...usage,
      reported,
      stopReason,
      error: error === null ? null : errorInfo(error),
      startedAt: this.#startedAt,
      firstTokenMs: this.#firstTokenMs,
      durationMs: performance.now() - this.#start,
      ...this.#run.price(usage),
    };
  }

  /**
   * The model's id of a call, made unique within the conversation and legal: endpoints exist that number calls anew
   * in each response, or use characters that others refuse to read back.
   */
  #callId(part: number, given: string): string {
    const known = this.#callIds.get(part);
    if (known !== undefined) return known;
    const taken = new Set(this.#callIds.values());
    for (const entry of [...this.#run.prior.flat(), ...this.#run.history.entries]) {
      if (entry.kind === 'assistant')
        for (const { type, ...rest } of entry.parts)
          if (type === 'tool_use' && 'id' in rest) taken.add(rest.id);
    }
    const legal = given.replace(/[^\w-]/g, '_') || 'call';
    let id = legal;
    for (let suffix = 2; taken.has(id); suffix += 1) id = `${legal}_${suffix}`;
    this.#callIds.set(part, id);
    return id;
  }
}

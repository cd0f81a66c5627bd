/** What one attempted model request takes and uses, counted as its answer comes. */
import type { RequestPurpose, RequestStart, RequestUsage } from '#contract/event.ts';
import type { StopReason } from '#contract/message.ts';
import { errorInfo } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import type { RunContext } from './run-context.ts';
import { type ModelEvent, NO_USAGE } from '../model/model.ts';

/** Output of a stream that ended early: four characters make about a token. */
export function estimatedTokens(chars: number): number {
  return Math.ceil(chars / 4);
}

interface About {
  turn: number;
  attempt: number;
  /** Left out for a turn's own request. */
  purpose?: RequestPurpose;
}

export class RequestMeter {
  readonly #run: Pick<RunContext, 'model' | 'envelope' | 'price'>;
  readonly #about: About;
  readonly #requestId = newId();
  readonly #startedAt = new Date().toISOString();
  readonly #start = performance.now();
  #firstTokenMs: number | null = null;
  #usage = NO_USAGE;
  #chars = 0;

  constructor(run: Pick<RunContext, 'model' | 'envelope' | 'price'>, about: About) {
    this.#run = run;
    this.#about = about;
  }

  take(event: ModelEvent): void {
    if (event.type === 'usage') this.#usage = event.usage;
    if (event.type !== 'delta') return;
    this.#firstTokenMs ??= performance.now() - this.#start;
    this.#chars += event.text.length;
  }

  /** What the provider has counted so far: all of the input, as soon as it answers. */
  start(): RequestStart {
    const { inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens } = this.#usage;
    const input = { inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens };
    return { requestId: this.#requestId, attempt: this.#about.attempt, ...input };
  }

  /** As it is now: it ends with a stop reason, or failed. */
  end(stopReason: StopReason | null, error: Error | null): RequestUsage {
    const reported = error === null;
    const outputTokens = Math.max(this.#usage.outputTokens, estimatedTokens(this.#chars));
    const usage = reported ? this.#usage : { ...this.#usage, outputTokens };
    const { provider } = this.#run.model;
    return {
      requestId: this.#requestId,
      provider,
      model: this.#run.envelope.model,
      ...this.#about,
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
}

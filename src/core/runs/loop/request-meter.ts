/** Measures time and usage of one attempted model request while its response arrives. */
import { CHARS_OF_TOKEN, estimatedTokens, imageTokens } from '#contract/context/estimate.ts';
import type { RequestPurpose, RequestStart, RequestUsage } from '#contract/event.ts';
import type { Image, StopReason } from '#contract/message.ts';
import { isSearchDone } from '#contract/web-search.ts';
import { errorInfo } from '#core/base/errors.ts';
import { newId } from '#core/base/ids.ts';
import type { Emit } from '#core/store/log/recorder.ts';
import type { Requester } from '../run-requests.ts';
import {
  ASLEEP,
  ModelError,
  type ModelEvent,
  type ModelRequest,
  type ModelUsage,
  NO_USAGE,
  type WireMessage,
} from '#core/model/model.ts';
import { Stopped } from '#core/base/stop.ts';

/**
 * Returns the estimated input tokens of a request. `before`: tokens that the provider counted for the request up to the last
 * response, to which the newer messages are added; 0 if it counted none.
 */
export function estimatedInput(
  { system, messages, tools }: Pick<ModelRequest, 'system' | 'messages' | 'tools'>,
  before = 0,
): number {
  const since = messages
    .slice(
      Math.max(
        0,
        messages.findLastIndex(({ role }) => role === 'assistant'),
      ),
    )
    .map(sizeOfMessage);
  const sizes = [system.length, ...messages.map(sizeOfMessage), ...tools.map(sizeOfTool)];
  const known = before === 0 ? 0 : before + estimatedTokens(sumOf(since));
  return Math.max(known, estimatedTokens(sumOf(sizes)));
}

/** Returns the estimated tokens of messages. */
export function sizeOfMessages(messages: readonly WireMessage[]): number {
  return estimatedTokens(sumOf(messages.map(sizeOfMessage)));
}

const sumOf = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);

/** Sizes in characters, by message. Requests share the messages of earlier workflows. */
const messageSizes = new WeakMap<WireMessage, number>();

function sizeOfMessage(message: WireMessage): number {
  const size = messageSizes.get(message) ?? sumOf(message.content.map(sizeOfPart));
  messageSizes.set(message, size);
  return size;
}

/** Returns the size of a tool declaration in characters. */
export function sizeOfTool({ name, description, inputSchema }: ModelRequest['tools'][number]): number {
  return name.length + description.length + schemaSize(inputSchema);
}

/** Returns the size of a part in characters. */
export function sizeOfPart(part: WireMessage['content'][number]): number {
  if (part.type === 'tool_use') return part.name.length + jsonSize(part.input);
  if (part.type === 'tool_result') return part.output.length + (part.image ? sizeOfImage(part.image) : 0);
  if (part.type === 'image') return sizeOfImage(part.image);
  if (part.type === 'server') return jsonSize(part.block);
  return part.type === 'redacted_thinking' ? part.data.length : part.text.length;
}

/** Returns the number of characters that have as many tokens as the picture. */
function sizeOfImage(image: Pick<Image, 'width' | 'height'>): number {
  return CHARS_OF_TOKEN * imageTokens(image);
}

const jsonSize = (value: unknown): number => JSON.stringify(value)?.length ?? 0;

/** Sizes in characters, by schema. The registry creates each schema once, and every request contains all of them. */
const schemaSizes = new WeakMap<object, number>();

function schemaSize(schema: object): number {
  const known = schemaSizes.get(schema) ?? jsonSize(schema);
  schemaSizes.set(schema, known);
  return known;
}

/** Records, once for each workflow, that the provider's count is not used. The request continues with estimates. */
export function recordMiscount({ limits }: Pick<Requester, 'limits'>, count: string, emit: Emit): void {
  if (!limits.noteMiscount()) return;
  const what = `The provider told a count of tokens that cannot be true (${count}), so it is not used`;
  void emit({
    type: 'notice',
    level: 'warning',
    text: `${what}: such requests are counted by estimate. Check the endpoint`,
  });
}

export interface About {
  turn: number;
  attempt: number;
  /** Left out for the request of a turn. */
  purpose?: RequestPurpose;
  /** Estimated input tokens. */
  inputEstimate: number;
}

export class RequestMeter {
  readonly #run: Pick<Requester, 'envelope' | 'requests'>;
  readonly #about: Omit<About, 'inputEstimate'>;
  readonly #inputEstimate: number;
  readonly #requestId = newId();
  readonly #startedAt = new Date().toISOString();
  readonly #start = performance.now();
  #firstTokenMs: number | null = null;
  #usage = NO_USAGE;
  /** True if the provider may have received the request. */
  #sent = false;
  /** True if the provider has answered. */
  #answered = false;
  /** True if the newest count of the provider was implausible. */
  #miscounted = false;
  #chars = 0;
  /** Number of search results that arrived. */
  #searches = 0;
  /** Number of characters that had arrived before the newest count. */
  #countedChars = 0;

  constructor(run: Pick<Requester, 'envelope' | 'requests'>, { inputEstimate, ...about }: About) {
    this.#run = run;
    this.#about = about;
    this.#inputEstimate = inputEstimate;
  }

  get requestId(): string {
    return this.#requestId;
  }

  /** Marks the request as sent: from now on the provider may receive it. */
  sent(): void {
    this.#sent = true;
  }

  take(event: ModelEvent): void {
    this.#answered = true;
    if (event.type === 'usage' || event.type === 'miscount') this.#miscounted = event.type === 'miscount';
    if (event.type === 'usage') {
      this.#usage = event.usage;
      this.#countedChars = this.#chars;
    }
    if (event.type === 'part' && event.value.type === 'server' && isSearchDone(event.value.block)) this.#searches += 1;
    if (event.type !== 'delta') return;
    this.#firstTokenMs ??= performance.now() - this.#start;
    this.#chars += event.text.length;
  }

  /** Returns the provider's count of the input; before its first event, the estimate. */
  start(): RequestStart {
    const usage = this.#isCounted ? this.#usage : this.#estimate;
    const { inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens } = usage;
    const input = { inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens };
    const { attempt } = this.#about;
    const unknown = !this.#isCounted && { inputEstimated: true };
    return { requestId: this.#requestId, attempt, ...input, ...unknown, ...this.#searched };
  }

  /** Returns the number of searches, also before the provider has counted them; empty if there are none. */
  get #searched(): { webSearches?: number } {
    const webSearches = Math.max(this.#usage.webSearches ?? 0, this.#searches);
    return webSearches > 0 ? { webSearches } : {};
  }

  /** Returns true if the provider has counted the input, which is never empty. */
  get #isCounted(): boolean {
    const { inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens } = this.#usage;
    return inputTokens + cacheReadTokens + cacheWrite5mTokens + cacheWrite1hTokens > 0;
  }

  get #estimate(): ModelUsage {
    return { ...this.#usage, inputTokens: this.#inputEstimate };
  }

  /**
   * Returns the usage of the request at its end: with a stop reason, or with the error of a failure. A provider that
   * refused the request, or was not reached, read nothing of it. A provider that answered read all of it. So did one that
   * may have answered: the request was stopped, got no answer in time, or the machine slept.
   */
  end(stopReason: StopReason | null, error: Error | null): RequestUsage {
    const isUnknown = !this.#isCounted && (this.#answered || (this.#sent && mayBeRead(error)));
    // Some compatible servers count only at the beginning of a response.
    const isWhole = this.#countedChars === this.#chars;
    const reported = error === null && !isUnknown && isWhole && !this.#miscounted;
    const input = isUnknown ? this.#estimate : this.#usage;
    const outputTokens = Math.max(input.outputTokens, estimatedTokens(this.#chars));
    const { webSearches: _, ...counted } = reported ? input : { ...input, outputTokens };
    const usage = { ...counted, ...this.#searched };
    const { provider } = this.#run.requests.model;
    return {
      requestId: this.#requestId,
      provider,
      model: this.#run.envelope.model,
      ...this.#about,
      ...usage,
      reported,
      ...(isUnknown && { inputEstimated: true }),
      stopReason,
      error: error === null ? null : errorInfo(error),
      startedAt: this.#startedAt,
      firstTokenMs: this.#firstTokenMs,
      durationMs: performance.now() - this.#start,
      ...this.#run.requests.price(usage),
    };
  }
}

function mayBeRead(error: Error | null): boolean {
  if (error instanceof ModelError)
    return error.code === 'cancelled' || error.code === 'inactive' || error.detail === ASLEEP;
  return error instanceof Stopped;
}

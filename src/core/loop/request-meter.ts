/** What one attempted model request takes and uses, counted as its answer comes. */
import { CHARS_OF_TOKEN, estimatedTokens, imageTokens } from '#contract/context/estimate.ts';
import type { RequestPurpose, RequestStart, RequestUsage } from '#contract/event.ts';
import type { Image, StopReason } from '#contract/message.ts';
import { isSearchDone } from '#contract/web-search.ts';
import { errorInfo } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import type { Emit } from '../log/recorder.ts';
import type { RunContext } from './run-context.ts';
import {
  ASLEEP,
  ModelError,
  type ModelEvent,
  type ModelRequest,
  type ModelUsage,
  NO_USAGE,
  type WireMessage,
} from '../model/model.ts';
import { Stopped } from '../base/stop.ts';

/**
 * Input tokens that a request has by its size. `before`: how many the provider counted of the last one that was as long
 * as this one up to the last response; what came since is added to it. 0 where it counted none.
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
    .flatMap(partSizes);
  const sizes = [system.length, ...messages.flatMap(partSizes), ...tools.map(sizeOfTool)];
  const known = before === 0 ? 0 : before + estimatedTokens(sumOf(since));
  return Math.max(known, estimatedTokens(sumOf(sizes)));
}

/** Tokens of some messages, by estimate. */
export function sizeOfMessages(messages: readonly WireMessage[]): number {
  return estimatedTokens(sumOf(messages.flatMap(partSizes)));
}

const sumOf = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);

const partSizes = ({ content }: WireMessage): number[] => content.map(sizeOfPart);

/** In characters. */
export function sizeOfTool({ name, description, inputSchema }: ModelRequest['tools'][number]): number {
  return name.length + description.length + schemaSize(inputSchema);
}

/** In characters. */
export function sizeOfPart(part: WireMessage['content'][number]): number {
  if (part.type === 'tool_use') return part.name.length + jsonSize(part.input);
  if (part.type === 'tool_result') return part.output.length + (part.image ? sizeOfImage(part.image) : 0);
  if (part.type === 'image') return sizeOfImage(part.image);
  if (part.type === 'server') return jsonSize(part.block);
  return part.type === 'redacted_thinking' ? part.data.length : part.text.length;
}

/** As many characters as a picture has tokens. */
function sizeOfImage(image: Pick<Image, 'width' | 'height'>): number {
  return CHARS_OF_TOKEN * imageTokens(image);
}

const jsonSize = (value: unknown): number => JSON.stringify(value)?.length ?? 0;

/** By schema: the registry makes each once, nobody changes it, and every request has all of them. */
const schemaSizes = new WeakMap<object, number>();

function schemaSize(schema: object): number {
  const known = schemaSizes.get(schema) ?? jsonSize(schema);
  schemaSizes.set(schema, known);
  return known;
}

/** Told once for each workflow: the request goes on, and is counted by estimate. */
export function tellMiscount({ limits }: Pick<RunContext, 'limits'>, count: string, emit: Emit): void {
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
  /** Left out for a turn's own request. */
  purpose?: RequestPurpose;
  /** Input tokens that it has by estimate. */
  inputEstimate: number;
}

export class RequestMeter {
  readonly #run: Pick<RunContext, 'model' | 'envelope' | 'price'>;
  readonly #about: Omit<About, 'inputEstimate'>;
  readonly #inputEstimate: number;
  readonly #requestId = newId();
  readonly #startedAt = new Date().toISOString();
  readonly #start = performance.now();
  #firstTokenMs: number | null = null;
  #usage = NO_USAGE;
  /** Whether the provider may have got it, and whether it has answered. */
  #sent = false;
  #answered = false;
  /** Whether the newest of its counts was refused. */
  #miscounted = false;
  #chars = 0;
  /** Results of searches that have come. */
  #searches = 0;
  /** How many of the characters had come when its newest count did. */
  #countedChars = 0;

  constructor(run: Pick<RunContext, 'model' | 'envelope' | 'price'>, { inputEstimate, ...about }: About) {
    this.#run = run;
    this.#about = about;
    this.#inputEstimate = inputEstimate;
  }

  get requestId(): string {
    return this.#requestId;
  }

  /** From now on the provider may get it. */
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

  /** What the provider has counted so far: all of the input, as soon as it answers. Until then an estimate. */
  start(): RequestStart {
    const usage = this.#isCounted ? this.#usage : this.#estimate;
    const { inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens } = usage;
    const input = { inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens };
    const { attempt } = this.#about;
    const unknown = !this.#isCounted && { inputEstimated: true };
    return { requestId: this.#requestId, attempt, ...input, ...unknown, ...this.#searched };
  }

  /** Searches that were made, also where their count is still to come: nothing where there are none. */
  get #searched(): { webSearches?: number } {
    const webSearches = Math.max(this.#usage.webSearches ?? 0, this.#searches);
    return webSearches > 0 ? { webSearches } : {};
  }

  /** Whether the provider has counted the input, which is never empty. */
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
    // Compatible servers exist that count at the beginning alone.
    const isWhole = this.#countedChars === this.#chars;
    const reported = error === null && !isUnknown && isWhole && !this.#miscounted;
    const input = isUnknown ? this.#estimate : this.#usage;
    const outputTokens = Math.max(input.outputTokens, estimatedTokens(this.#chars));
    const { webSearches: _, ...counted } = reported ? input : { ...input, outputTokens };
    const usage = { ...counted, ...this.#searched };
    const { provider } = this.#run.model;
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
      ...this.#run.price(usage),
    };
  }
}

function mayBeRead(error: Error | null): boolean {
  if (error instanceof ModelError)
    return error.code === 'cancelled' || error.code === 'inactive' || error.detail === ASLEEP;
  return error instanceof Stopped;
}

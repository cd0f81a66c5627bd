/** The port to language models: one streamed request at a time, in the program's own vocabulary. */
import type { Effort } from '#contract/agent.ts';
import type { ErrorCode } from '#contract/error.ts';
import type { Image, Part, StopReason } from '#contract/message.ts';
import { TriadError } from '../base/errors.ts';

export interface ToolSpec {
  name: string;
  description: string;
  /** JSON Schema with `type: "object"`. */
  inputSchema: Record<string, unknown>;
  /** The provider does it by itself within a request, at most so many times, and no call of it comes to the program. */
  server?: { maxUses: number };
}

export interface ToolResultPart {
  type: 'tool_result';
  toolCallId: string;
  output: string;
  isError: boolean;
  /** `data`: its bytes in base64; without them it is not sent. */
  image?: Image & { data?: string };
}

/** A picture that the person sent. `data`: its bytes in base64; without them it is not sent. */
interface ImagePart {
  type: 'image';
  image: Image & { data?: string };
}

export type WireMessage =
  | { role: 'user'; content: ({ type: 'text'; text: string } | ImagePart | ToolResultPart)[] }
  | { role: 'assistant'; content: Part[] };

export interface ModelRequest {
  /** The provider's id of the model, aliases already resolved. */
  model: string;
  maxTokens: number;
  effort: Effort | null;
  /** Left out where the endpoint has none. */
  temperature?: number | undefined;
  system: string;
  messages: WireMessage[];
  tools: ToolSpec[];
  /** `none`: the tools stay declared (the history has calls of them), but the model can only write. */
  toolChoice: 'auto' | 'none';
}

/** Cumulative for the request so far. `inputTokens` are the fresh ones; thinking is part of output. */
export interface ModelUsage {
  inputTokens: number;
  cacheReadTokens: number;
  cacheWrite5mTokens: number;
  cacheWrite1hTokens: number;
  outputTokens: number;
  thinkingTokens: number;
  /** Searches of the web that the provider made itself; left out where it counts none. */
  webSearches?: number | undefined;
}

export const NO_USAGE: Readonly<ModelUsage> = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
  outputTokens: 0,
  thinkingTokens: 0,
};

export type ModelEvent =
  | { type: 'start'; responseId: string }
  | { type: 'usage'; usage: ModelUsage }
  /** The provider told a count that cannot be true, such as `input_tokens: -5`; it is not used. */
  | { type: 'miscount'; count: string }
  | { type: 'delta'; part: number; kind: 'text' | 'thinking'; text: string }
  | { type: 'delta'; part: number; kind: 'tool'; text: string; toolCallId: string; name: string }
  /** A part is complete; parts come in order and `part` counts them from 0. */
  | { type: 'part'; part: number; value: Part }
  /** Always the last event of a response that came whole. */
  | { type: 'end'; stopReason: StopReason };

export interface Model {
  /** Name of the provider, such as `anthropic`; keys the limits of concurrent requests and the prices. */
  readonly provider: string;
  /**
   * One attempt at one request; no retries inside. Ends after `end`, or throws a `ModelError`
   * (also when the stream is cut or the signal aborts). Breaking out closes the connection. `onSign` is called for each
   * piece of the answer, also for one without an event, such as a ping.
   */
  stream(request: ModelRequest, signal: AbortSignal, onSign?: () => void): AsyncIterable<ModelEvent>;
}

/** Most tokens that a count of a provider can be; more is a mistake. */
export const MAX_COUNT = 1e9;

/** Detail of an attempt that was cut off because the machine slept over its answer. */
export const ASLEEP = 'asleep';
/** Detail of an attempt that was cut off because the person sent the request again. */
export const TRIED_NOW = 'tried-now';

/** A failed attempt, classified by status code and error type; only that the context is full is also known by words. */
export class ModelError extends TriadError {
  /** True if the same request may succeed later: 408, 409, 429, 5xx, 529, network and silence. */
  readonly retryable: boolean;
  /** What the provider asked to wait, in milliseconds. */
  readonly retryAfterMs: number | null;
  /** HTTP status, where there was one. */
  readonly status: number | null;
  /** Most tries of the request; null: no limit by this error. */
  readonly maxTries: number | null;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      retryable: boolean;
      retryAfterMs?: number | null;
      status?: number | null;
      maxTries?: number | null;
      cause?: unknown;
      detail?: string;
    },
  ) {
    super(code, message, options);
    this.name = 'ModelError';
    this.retryable = options.retryable;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.status = options.status ?? null;
    this.maxTries = options.maxTries ?? null;
  }
}

/** The response came whole, but ended for a reason that the program does not know: what it is worth is not known either. */
export class UnknownStop extends ModelError {
  constructor(host: string, reason: string) {
    super('provider', `${host} ended the answer for a reason that is not known here, "${reason}": ${UPDATE}`, {
      retryable: false,
    });
    this.name = 'UnknownStop';
  }
}

const UPDATE = 'update Triad, or choose another model or endpoint';

/** OpenAI-compatible providers: one streamed request over the vendor's SDK, in either of its two protocols. */
import type { EndpointOptions } from '../endpoint.ts';
import { type Model, ModelError, type ModelEvent, type ModelRequest } from '../model.ts';
import { cancelledError, type RequestTarget, responseError } from '../request-failure.ts';
import { type Exchange, type Opened, streamed } from '../streamed.ts';
import { chatBody } from './chat-request.ts';
import { ChatReader, type RawChunk } from './chat-response.ts';
import { connect, type Session } from './client.ts';
import { errorIn, failureOf } from './failure.ts';
import type { ReaderPorts } from './reader-ports.ts';
import { responsesBody } from './responses-request.ts';
import { type RawEvent, ResponsesReader } from './responses-response.ts';
import type { Refused, Traits } from './shared-request.ts';
import type { Api, Origin } from '../thinking.ts';
import { namesBack } from './tool-names.ts';

/** `apiKey` null: the endpoint wants none, and gets none. */
export interface OpenAiOptions extends EndpointOptions {
  /** Which of the two protocols the endpoint is asked in. */
  api: Api;
  /** Of the provider. */
  name: string;
  /** What is known of a model; null: unknown. */
  capabilities?: (model: string) => { thinking: boolean | null };
}

interface Call {
  session: Session;
  request: ModelRequest;
  origin: Origin & { api: Api };
  traits: Traits;
  signal: AbortSignal;
  onSign: (() => void) | undefined;
}

type Rest = Pick<Exchange<never>, 'target' | 'failureOf' | 'signal' | 'onSign'>;

/** Opens a request and reads its response. */
type Protocol = (call: Call, ports: ReaderPorts, rest: Rest) => AsyncGenerator<ModelEvent>;

const PROTOCOLS: Readonly<Record<Api, { words: string; start: Protocol }>> = {
  chat: {
    words: 'Chat Completions API',
    start: ({ session: { client }, request, origin, traits, signal }, ports, rest) => {
      const open = () =>
        opened<RawChunk>(client.chat.completions.create(chatBody(request, origin, traits), { signal }));
      return streamed({ ...rest, open, reader: new ChatReader(ports) });
    },
  },
  responses: {
    words: 'Responses API',
    start: ({ session: { client }, request, origin, traits, signal }, ports, rest) => {
      const open = () => opened<RawEvent>(client.responses.create(responsesBody(request, origin, traits), { signal }));
      return streamed({ ...rest, open, reader: new ResponsesReader(ports) });
    },
  },
};

/** Makes the model; the SDK is loaded and its client made with the first request. */
export function createOpenAiModel({ api, name, capabilities, ...endpoint }: OpenAiOptions): Model {
  let session: Promise<Session> | null = null;
  const refusals = new Refusals();
  return {
    provider: name,
    async *stream(request, signal, onSign) {
      if (signal.aborted) throw cancelledError(signal);
      const ready = await (session ??= connect(endpoint));
      const thinks = capabilities?.(request.model).thinking ?? null;
      const traits = { isOwn: ready.isOwn, thinks, refused: refusals.of(request.model), unread: refusals.unread };
      yield* attempt({ session: ready, request, origin: { api, name }, traits, signal, onSign }, refusals);
    },
  };
}

function attempt(call: Call, refusals: Refusals): AsyncGenerator<ModelEvent> {
  const { session, request, origin, signal, onSign } = call;
  const { sdk, place, hide } = session;
  const { words, start } = PROTOCOLS[origin.api];
  const target: RequestTarget = { ...place, api: words, model: request.model };
  const fail = (raw: unknown): ModelError => {
    const read = errorIn(raw);
    return responseError({ ...read, said: read.said === null ? null : hide(read.said) }, target);
  };
  const nameBack = namesBack(request.tools);
  const failed = (error: unknown): ModelError | null => {
    const failure = failureOf(sdk, error, target, hide);
    const isNew = error instanceof sdk.APIError && refusals.learn(request, error);
    return failure && isNew ? asRetryable(failure) : failure;
  };
  return start(call, { origin, nameBack, fail }, { target, signal, onSign, failureOf: failed });
}

/** What the SDK makes of a request. */
interface Pending<Raw> {
  withResponse(): Promise<{ data: Opened<Raw>['events']; response: Response }>;
}

async function opened<Raw>(call: Pending<Raw>): Promise<Opened<Raw>> {
  const { data: events, response } = await call.withResponse();
  return { events, contentType: response.headers.get('content-type') ?? '' };
}

const PARAMETERS: ReadonlySet<unknown> = new Set<Refused>([
  'max_tokens',
  'max_completion_tokens',
  'stream_options',
  'reasoning.summary',
]);
const REFUSALS: ReadonlySet<unknown> = new Set(['unsupported_parameter', 'unsupported_value', 'unknown_parameter']);

/** Thinking of earlier answers that the endpoint cannot decrypt: the key, or the server behind the address, is another one. */
const UNREAD = 'invalid_encrypted_content';

/** What an endpoint has refused of a request: the same can go again without it. */
class Refusals {
  /** Signatures of thinking that could not be read there. */
  readonly unread = new Set<string>();
  /** Parameters, by model. */
  readonly #byModel = new Map<string, Set<string>>();

  of(model: string): ReadonlySet<string> {
    return this.#byModel.get(model) ?? new Set();
  }

  /** Whether the error names something that was not known yet. */
  learn(
    { model, messages }: ModelRequest,
    { status, code, param }: { status?: unknown; code?: unknown; param?: unknown },
  ): boolean {
    if (status === 400 && code === UNREAD) return this.#leaveOut(messages);
    if (status !== 400 || !REFUSALS.has(code) || !PARAMETERS.has(param)) return false;
    const known = new Set(this.of(model));
    if (known.has(String(param))) return false;
    this.#byModel.set(model, known.add(String(param)));
    return true;
  }

  /** Which of it was meant is not said; what comes from now on is sent. */
  #leaveOut(messages: ModelRequest['messages']): boolean {
    const before = this.unread.size;
    for (const { content } of messages)
      for (const part of content) if (part.type === 'thinking' && part.signature) this.unread.add(part.signature);
    return this.unread.size > before;
  }
}

function asRetryable({ code, message, status, detail }: ModelError): ModelError {
  const more = detail === undefined ? {} : { detail };
  return new ModelError(code, message, { retryable: true, retryAfterMs: 0, status, ...more });
}

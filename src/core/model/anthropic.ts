/** The provider `anthropic`: one streamed request over the vendor's SDK, which nothing else imports. */
import { Console } from 'node:console';
import { setImmediate as turn } from 'node:timers/promises';
import type Anthropic from '@anthropic-ai/sdk';
import type * as AnthropicSdk from '@anthropic-ai/sdk';
import type { Image, Part } from '#contract/message.ts';
import { serverCallOf, serverResultOf, serverText } from '#contract/web-search.ts';
import { cancelledError, connectionError, type RequestTarget, responseError, urlAdvice } from './anthropic-failure.ts';
import { ResponseReader } from './anthropic-response.ts';
import {
  type Model,
  ModelError,
  type ModelEvent,
  type ModelRequest,
  type ToolResultPart,
  UnknownStop,
  type WireMessage,
} from './model.ts';

export interface AnthropicOptions {
  apiKey: string | null;
  /** Any endpoint that speaks the Messages API; null for the vendor's own. */
  baseUrl: string | null;
}

const OWN_BASE_URL = 'https://api.anthropic.com';
/** How long a server may keep the connection open after its response ended, in milliseconds. */
const DRAIN_MS = 250;
/** How long a burst may keep the program busy before others get their turn, in milliseconds. */
const BUSY_MS = 8;
const CACHE_POINT: Anthropic.CacheControlEphemeral = { type: 'ephemeral' };

type Sdk = typeof AnthropicSdk;

/** Loads the SDK ahead of the first request; worth doing while other things are opened. */
export async function preloadAnthropic(): Promise<void> {
  await import('@anthropic-ai/sdk');
}

interface Session {
  sdk: Sdk;
  client: Anthropic;
  place: Omit<RequestTarget, 'model'>;
  /** Removes the key from text that came from outside. */
  hide: (text: string) => string;
}

/** Makes the model; the SDK is loaded and its client made with the first request. */
export function createAnthropicModel(options: AnthropicOptions): Model {
  let session: Promise<Session> | null = null;
  return {
    provider: 'anthropic',
    stream: (request, signal) => attempt(() => (session ??= connect(options)), request, signal),
  };
}

async function* attempt(
  session: () => Promise<Session>,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  if (signal.aborted) throw cancelledError(signal);
  const { sdk, client, place, hide } = await session();
  const target = { ...place, model: request.model };
  const reader = new ResponseReader();
  let contentType = '';
  let drain: NodeJS.Timeout | undefined;
  try {
    // What is sent is `body`; the rest of it the SDK looks at itself.
    const params = { ...bodyOf(request), stream: true } as const;
    const options = { signal, body: bytesOf(params, request.tools), headers: { 'content-type': 'application/json' } };
    const call = client.messages.create(params, options);
    const { data: events, response } = await call.withResponse();
    contentType = response.headers.get('content-type') ?? '';
    const pace = new Pace();
    for await (const raw of events) {
      pace.begin();
      for (const event of reader.read(raw)) yield event;
      if (pace.end()) await turn();
      // Reading on to the end of the body keeps the connection for the next request.
      if (reader.ended) drain ??= setTimeout(() => events.controller.abort(), DRAIN_MS);
    }
  } catch (error) {
    if (!reader.ended) throw failureOf(sdk, error, target, signal, hide);
  } finally {
    clearTimeout(drain);
  }
  if (reader.unknownStop !== null) throw new UnknownStop(place.host, reader.unknownStop);
  if (reader.ended) return;
  if (signal.aborted) throw cancelledError(signal);
  if (!reader.begun && !contentType.includes('event-stream')) {
    const message = `${target.host} did not answer as a Messages API does: ${target.checkUrl}`;
    throw new ModelError('provider', message, {
      retryable: false,
      detail: `content-type ${contentType || 'none'}`,
    });
  }
  throw connectionError('stream', undefined, target);
}

/** Tells when a burst of events has kept the event loop busy for longer than `BUSY_MS`. */
class Pace {
  #busySince = 0;
  #last = -Infinity;

  begin(): void {
    const now = performance.now();
    // A longer gap means that the stream was waited for, so the loop was free.
    if (now - this.#last > 1) this.#busySince = now;
  }

  end(): boolean {
    const now = performance.now();
    const enough = now - this.#busySince > BUSY_MS;
    this.#last = enough ? -Infinity : now;
    return enough;
  }
}

async function connect({ apiKey, baseUrl }: AnthropicOptions): Promise<Session> {
  const key = apiKey?.trim();
  const url = baseUrl?.trim() || OWN_BASE_URL;
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username || parsed.password) {
    throw unusable('bad_input', 'The base URL of the provider is not an http or https address: correct it');
  }
  if (!key) throw unusable('no_key', 'No key is set for the provider: set one, or set ANTHROPIC_API_KEY');
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw unusable('auth', 'The key has characters that no key has: copy it again, without line breaks');
  }
  const sdk = await import('@anthropic-ai/sdk');
  const client = new sdk.Anthropic({
    apiKey: key,
    baseURL: url.replace(/\/+$/, ''),
    maxRetries: 0,
    // A redirect would take the key to another address.
    fetchOptions: { redirect: 'manual' },
    openTelemetry: false,
    // Errors reach the caller as exceptions; stdout belongs to data.
    logger: Object.assign(new Console(process.stderr), { error: () => undefined }),
    // The SDK sends a bearer token; many compatible endpoints know only this header.
    ...(parsed.origin !== OWN_BASE_URL ? { defaultHeaders: { 'x-api-key': key } } : {}),
  });
  const place = { host: parsed.host, checkUrl: urlAdvice(url) };
  return { sdk, client, place, hide: (text) => text.replaceAll(key, '…') };
}

function unusable(code: 'bad_input' | 'no_key' | 'auth', message: string): ModelError {
  return new ModelError(code, message, { retryable: false });
}

function failureOf(
  sdk: Sdk,
  error: unknown,
  target: RequestTarget,
  signal: AbortSignal,
  hide: Session['hide'],
): ModelError {
  if (signal.aborted) return cancelledError(signal);
  if (error instanceof sdk.APIConnectionError) return connectionError('connect', error.cause, target);
  if (error instanceof sdk.APIError) {
    const headers: unknown = error.headers;
    return responseError(
      {
        status: typeof error.status === 'number' ? error.status : null,
        type: error.type,
        said: typeof error.apiMessage === 'string' ? hide(error.apiMessage) : null,
        requestId: error.requestID ?? null,
        header: (name) => (headers instanceof Headers ? headers.get(name) : null),
      },
      target,
    );
  }
  return connectionError('stream', error, target);
}

/** The API itself has no temperature any more; other servers of its form do. */
type Body = Anthropic.MessageCreateParamsNonStreaming & { temperature?: number };

function bodyOf(request: ModelRequest): Body {
  return {
    model: request.model,
    max_tokens: request.maxTokens,
    messages: messagesOf(
      request.messages,
      request.tools.some(({ server }) => server !== undefined),
    ),
    ...(request.system.trim() === ''
      ? {}
      : { system: [{ type: 'text', text: request.system, cache_control: CACHE_POINT }] }),
    ...(request.tools.length > 0 && request.toolChoice === 'none' ? { tool_choice: { type: 'none' } } : {}),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(request.effort === null
      ? {}
      : { output_config: { effort: request.effort }, thinking: { type: 'adaptive', display: 'summarized' } }),
  };
}

/**
 * A body as it is sent. The tools, which are most of it and stay the same from request to request, are written out once
 * and not each time.
 */
function bytesOf(body: object, tools: ModelRequest['tools']): Uint8Array {
  const text = JSON.stringify(body);
  if (tools.length === 0) return Buffer.from(text);
  const written = tools.flatMap((tool, index) => [index === 0 ? OPENING : COMMA, toolBytes(tool)]);
  return Buffer.concat([Buffer.from(text.slice(0, -1)), ...written, CLOSING]);
}

const [OPENING, COMMA, CLOSING] = [Buffer.from(',"tools":['), Buffer.from(','), Buffer.from(']}')];

/** By schema, which nobody changes; its words may be others the next time. */
const known = new WeakMap<object, { name: string; description: string; bytes: Buffer }>();

function toolBytes({ name, description, inputSchema, server }: ModelRequest['tools'][number]): Buffer {
  if (server) return Buffer.from(JSON.stringify(searchTool(server.maxUses)));
  const before = known.get(inputSchema);
  if (before && before.name === name && before.description === description) return before.bytes;
  const tool: Anthropic.Tool = { name, description, input_schema: { ...inputSchema, type: 'object' } };
  const bytes = Buffer.from(JSON.stringify(tool));
  known.set(inputSchema, { name, description, bytes });
  return bytes;
}

/** Called by the model alone, never by code that it writes: each search stands in the response by itself. */
function searchTool(maxUses: number): Anthropic.WebSearchTool20260318 {
  return { type: 'web_search_20260318', name: 'web_search', max_uses: maxUses, allowed_callers: ['direct'] };
}

/** Drops messages that become empty; sets a cache point at the end of the last user message. */
function messagesOf(messages: WireMessage[], searches: boolean): Anthropic.MessageParam[] {
  const results = resultsIn(messages);
  const sent: Anthropic.MessageParam[] = [];
  let newest: UserBlock | undefined;
  for (const message of messages) {
    if (message.role === 'assistant') {
      const isLast = message === messages.at(-1);
      const content = assistantBlocks(message.content, { searches, isLast, results });
      if (content.length > 0) sent.push({ role: 'assistant', content });
      continue;
    }
    const content = userBlocks(message.content);
    newest = content.at(-1) ?? newest;
    if (content.length > 0) sent.push({ role: 'user', content });
  }
  if (newest) newest.cache_control = CACHE_POINT;
  return sent;
}

type Citations = Anthropic.TextCitationParam[];
type UserBlock = Anthropic.TextBlockParam | Anthropic.ImageBlockParam | Anthropic.ToolResultBlockParam;

/** Results first, as the API wants them; empty text is not allowed there. */
function userBlocks(content: Extract<WireMessage, { role: 'user' }>['content']): UserBlock[] {
  const results: UserBlock[] = [];
  const words: UserBlock[] = [];
  for (const part of content) {
    if (part.type === 'text') {
      if (part.text.trim() !== '') words.push({ type: 'text', text: part.text });
      continue;
    }
    if (part.type === 'image') {
      if (part.image.data !== undefined) words.push(imageBlock(part.image, part.image.data));
      continue;
    }
    results.push({
      type: 'tool_result',
      tool_use_id: part.toolCallId,
      ...contentOf(part),
      ...(part.isError ? { is_error: true } : {}),
    });
  }
  return [...results, ...words];
}

function contentOf({ output, image }: ToolResultPart): Pick<Anthropic.ToolResultBlockParam, 'content'> {
  const text = output.trim() === '' ? [] : [{ type: 'text' as const, text: output }];
  if (image?.data === undefined) return output === '' ? {} : { content: output };
  return { content: [...text, imageBlock(image, image.data)] };
}

function imageBlock({ mediaType }: Image, data: string): Anthropic.ImageBlockParam {
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } };
}

/** What the provider's own calls gave, by call id. */
type ServerResults = ReadonlyMap<string, ServerBlock>;
type ServerBlock = Extract<Part, { type: 'server' }>['block'];

function resultsIn(messages: readonly WireMessage[]): ServerResults {
  const found = new Map<string, ServerBlock>();
  for (const { content } of messages)
    for (const part of content) {
      const id = part.type === 'server' ? serverResultOf(part.block) : null;
      if (part.type === 'server' && id !== null) found.set(id, part.block);
    }
  return found;
}

interface Place {
  /** Whether the provider searches the web in this request: what it found goes back verbatim; else in words. */
  searches: boolean;
  /** The provider goes on with it where it has paused. */
  isLast: boolean;
  results: ServerResults;
}

/** A call without its result, which a stop or a cut took, would be refused. */
function serverBlocks(block: ServerBlock, { searches, isLast, results }: Place): Anthropic.ContentBlockParam[] {
  const call = serverCallOf(block);
  const result = call && results.get(call.id);
  if (searches) return call && !result && !isLast ? [] : [block as unknown as Anthropic.ContentBlockParam];
  if (!call || !result) return [];
  const words = `[${call.name} ${JSON.stringify(call.input)}]\n${serverText(result)}`;
  return [{ type: 'text', text: words }];
}

/** Thinking goes back verbatim and only with its signature. */
function assistantBlocks(
  content: Extract<WireMessage, { role: 'assistant' }>['content'],
  place: Place,
): Anthropic.ContentBlockParam[] {
  const blocks: Anthropic.ContentBlockParam[] = [];
  for (const part of content) {
    if (part.type === 'text' && part.text.trim() !== '') {
      const cited = place.searches && part.citations ? { citations: part.citations as unknown as Citations } : {};
      blocks.push({ type: 'text', text: part.text, ...cited });
    }
    if (part.type === 'server') blocks.push(...serverBlocks(part.block, place));
    if (part.type === 'thinking' && part.signature !== null) {
      blocks.push({ type: 'thinking', thinking: part.text, signature: part.signature });
    }
    if (part.type === 'redacted_thinking') blocks.push({ type: 'redacted_thinking', data: part.data });
    if (part.type === 'tool_use') {
      const input =
        typeof part.input === 'object' && part.input !== null && !Array.isArray(part.input) ? part.input : {};
      // A name that a model made up may have characters with which the API would refuse every later request.
      const name = part.name.replace(/[^\w-]/g, '_').slice(0, 128) || 'unknown';
      blocks.push({ type: 'tool_use', id: part.id, name, input });
    }
  }
  return blocks;
}

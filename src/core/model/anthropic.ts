/** The provider `anthropic`: one streamed request over the vendor's SDK, which nothing else imports. */
import { Console } from 'node:console';
import type Anthropic from '@anthropic-ai/sdk';
import type * as AnthropicSdk from '@anthropic-ai/sdk';
import type { Image, Part } from '#contract/message.ts';
import { serverCallOf } from '#contract/web-search.ts';
import { fetchFor } from '../base/outgoing.ts';
import { ResponseReader } from './anthropic-response.ts';
import { type EndpointOptions, endpointOf, unusable } from './endpoint.ts';
import { sentenceIn, withResponseBounds } from './error-bodies.ts';
import { NO_KEY } from './kept-key.ts';
import type { Model, ModelError, ModelEvent, ModelRequest, ToolResultPart, WireMessage } from './model.ts';
import { cancelledError, connectionError, type RequestTarget, responseError, urlAdvice } from './request-failure.ts';
import { resultsIn, type ServerResults, serverWords } from './server-words.ts';
import { streamed } from './streamed.ts';
import { type Origin, sentBackOf } from './thinking.ts';

/** `baseUrl`: any endpoint that speaks the Messages API. */
export interface AnthropicOptions extends EndpointOptions {
  /** Of the provider; left out: that of the vendor. */
  name?: string;
}

const OWN_BASE_URL = 'https://api.anthropic.com';
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
  const provider = options.name ?? 'anthropic';
  const origin = { api: 'messages', name: provider } as const;
  return {
    provider,
    stream: (request, signal, onSign) => attempt(() => (session ??= connect(options)), origin, request, signal, onSign),
  };
}

async function* attempt(
  session: () => Promise<Session>,
  origin: Origin,
  request: ModelRequest,
  signal: AbortSignal,
  onSign?: () => void,
): AsyncGenerator<ModelEvent> {
  if (signal.aborted) throw cancelledError(signal);
  const { sdk, client, place, hide } = await session();
  const target = { ...place, model: request.model };
  yield* streamed({
    target,
    signal,
    onSign,
    reader: new ResponseReader(origin),
    failureOf: (error) => failureOf(sdk, error, target, hide),
    open: async () => {
      // What is sent is `body`; the rest of it the SDK looks at itself.
      const params = { ...bodyOf(request, origin), stream: true } as const;
      const options = { signal, body: bytesOf(params, request.tools), headers: { 'content-type': 'application/json' } };
      const { data: events, response } = await client.messages.create(params, options).withResponse();
      return { events, contentType: response.headers.get('content-type') ?? '' };
    },
  });
}

async function connect(options: AnthropicOptions): Promise<Session> {
  const { key, url, query, host, origin, hide } = endpointOf(options, OWN_BASE_URL);
  if (key === null) throw unusable('no_key', 'No key is set for the provider: set one, or set ANTHROPIC_API_KEY');
  const sdk = await import('@anthropic-ai/sdk');
  const client = new sdk.Anthropic({
    apiKey: key,
    baseURL: url,
    defaultQuery: query,
    maxRetries: 0,
    fetch: withResponseBounds(fetchFor('model')),
    // A redirect would take the key to another address.
    fetchOptions: { redirect: 'manual' },
    openTelemetry: false,
    // Errors reach the caller as exceptions; stdout belongs to data.
    logger: Object.assign(new Console(process.stderr), { error: () => undefined }),
    // The SDK sends a bearer token; many compatible endpoints know only this header.
    ...(origin !== OWN_BASE_URL ? { defaultHeaders: { 'x-api-key': key } } : {}),
  });
  const place = { host, hasKey: key !== NO_KEY, api: 'Messages API', ...urlAdvice(url, { ends: false }) };
  return { sdk, client, place, hide };
}

function failureOf(sdk: Sdk, error: unknown, target: RequestTarget, hide: Session['hide']): ModelError | null {
  if (error instanceof sdk.APIConnectionError) return connectionError('connect', error.cause, target);
  if (error instanceof sdk.APIError) {
    const headers: unknown = error.headers;
    const said = sentenceIn(error.error);
    return responseError(
      {
        status: typeof error.status === 'number' ? error.status : null,
        type: error.type,
        said: said === null ? null : hide(said),
        requestId: error.requestID ?? null,
        header: (name) => (headers instanceof Headers ? headers.get(name) : null),
      },
      target,
    );
  }
  return null;
}

/** The API itself has no temperature any more; other servers of its form do. */
type Body = Anthropic.MessageCreateParamsNonStreaming & { temperature?: number };

function bodyOf(request: ModelRequest, origin: Origin): Body {
  return {
    model: request.model,
    max_tokens: request.maxTokens,
    messages: messagesOf(request.messages, {
      origin,
      searches: request.tools.some(({ server }) => server !== undefined),
    }),
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
  const last = written.pop() ?? Buffer.alloc(0);
  // Agents with the same tools share them, whatever their prompts say.
  written.push(last.subarray(0, -1), TOOLS_END);
  return Buffer.concat([Buffer.from(text.slice(0, -1)), ...written, CLOSING]);
}

const TOOLS_END = Buffer.from(`,"cache_control":${JSON.stringify(CACHE_POINT)}}`);
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

/**
 * Drops messages that become empty; sets cache points at the ends of the last two user messages: the second was the last
 * of the request before, so what that wrote is found however much has come since.
 */
function messagesOf(messages: WireMessage[], request: Pick<Place, 'origin' | 'searches'>): Anthropic.MessageParam[] {
  const results = resultsIn(messages);
  const sent: Anthropic.MessageParam[] = [];
  const ends: UserBlock[] = [];
  for (const message of messages) {
    if (message.role === 'assistant') {
      const isLast = message === messages.at(-1);
      const content = assistantBlocks(message.content, { ...request, isLast, results });
      if (content.length > 0) sent.push({ role: 'assistant', content });
      continue;
    }
    const content = userBlocks(message.content);
    ends.push(...content.slice(-1));
    if (content.length > 0) sent.push({ role: 'user', content });
  }
  for (const end of ends.slice(-2)) end.cache_control = CACHE_POINT;
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

type ServerBlock = Extract<Part, { type: 'server' }>['block'];

interface Place {
  origin: Origin;
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
  const words = serverWords(block, results);
  return words === null ? [] : [{ type: 'text', text: words }];
}

/** Thinking goes back verbatim, and only to the provider that has signed it. */
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
    if (part.type === 'thinking') {
      const signature = sentBackOf(place.origin, part.signature);
      if (signature !== null) blocks.push({ type: 'thinking', thinking: part.text, signature });
    }
    if (part.type === 'redacted_thinking') {
      const data = sentBackOf(place.origin, part.data);
      if (data !== null) blocks.push({ type: 'redacted_thinking', data });
    }
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

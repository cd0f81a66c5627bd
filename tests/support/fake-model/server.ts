/**
 * A scripted double of the Messages API over real HTTP, and of the two protocols of OpenAI-compatible endpoints, which
 * serve the same scripts; it records every request.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type OpenAI from 'openai';
import { deliver, type Latency } from './delivery.ts';
import { chat } from './dialects/chat.ts';
import type { Dialect, Reply } from './dialects/dialect.ts';
import { messages } from './dialects/messages.ts';
import { responses } from './dialects/responses.ts';
import { readRequest, refusalOf, type Seen, type WireBody } from './request.ts';
import type { Rule, Script } from './script.ts';
import { type Chunk, inputOf } from './stream.ts';

/** Times are milliseconds since the epoch, with fractions. */
export interface RecordedRequest {
  /** From 0, in order of arrival. */
  index: number;
  headers: IncomingHttpHeaders;
  /** In the words of the Messages API. */
  body: WireBody;
  /** As it came. */
  sent: object;
  path: string;
  seen: Seen;
  /** Name of the rule or step that answered; null where none did. */
  rule: string | null;
  /** Why the request was refused although the script did not say so. */
  problem: string | null;
  status: number;
  receivedAt: number;
  /** When the last byte was written, or the connection broke. */
  endedAt: number | null;
  /** When the client went away before the end. */
  closedAt: number | null;
  /** Id of the message that answered; null where none did. */
  responseId: string | null;
  /** Whether a whole response was sent. */
  completed: boolean;
  /** Input tokens of all classes by the count of what answers; 0 where nothing does. */
  input: number;
  /** When the beginning of the response was sent, which tells them. */
  begunAt: number | null;
}

export interface FakeModelOptions {
  port?: number;
  /** Without it any key will do; a request without a key is refused, but where it is null. */
  keys?: string[] | null;
  /** What replies take that do not say otherwise. */
  latency?: Partial<Latency>;
  /** The models that it lists; without it, it gives no list. */
  models?: string[];
  /** Makes the vectors of texts; without it, it has none. */
  embed?: (text: string) => number[];
}

export interface FakeModel {
  url: string;
  script: Script;
  requests: RecordedRequest[];
  /** The models that it lists from now on; null: it gives no list. */
  models: string[] | null;
  /** How often it was asked for them. */
  asked(): number;
  /** How many connections clients have made so far. */
  connections(): number;
  /** The first request for which the predicate holds, now or later; rejects after the time. */
  waitFor(predicate: (request: RecordedRequest) => boolean, timeoutMs?: number): Promise<RecordedRequest>;
  /** Throws when required rules were never used, or a request was refused or matched nothing. */
  expectDone(): void;
  close(): Promise<void>;
}

const WAIT_MS = 5000;
/** Under the names of both SDKs. */
const REQUEST_ID = { 'request-id': 'req_fake', 'x-request-id': 'req_fake' };
const DIALECTS: readonly Dialect[] = [messages, chat, responses];
const now = (): number => performance.timeOrigin + performance.now();

export async function startFakeModel(script: Script, options: FakeModelOptions = {}): Promise<FakeModel> {
  const fake = new Fake(script, options);
  const server = createServer((request, response) => void fake.handle(request, response));
  server.keepAliveTimeout = 60_000;
  let connections = 0;
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  // An address object, as the server listens on a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    script,
    requests: fake.requests,
    get models() {
      return fake.models;
    },
    set models(models) {
      fake.models = models;
    },
    asked: () => fake.asked,
    connections: () => connections,
    waitFor: (predicate, timeoutMs = WAIT_MS) => fake.waitFor(predicate, timeoutMs),
    expectDone: () => fake.expectDone(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

class Fake {
  readonly requests: RecordedRequest[] = [];
  models: string[] | null;
  asked = 0;
  readonly #script: Script;
  readonly #keys: Set<string> | null;
  readonly #isKeyless: boolean;
  readonly #embed: FakeModelOptions['embed'];
  readonly #latency: Latency;
  readonly #waiting = new Set<() => void>();
  /** Chunks of replies that are the same each time. */
  readonly #prepared = new Map<Dialect, Map<Rule, Chunk[]>>();
  #ids = 0;

  constructor(script: Script, { keys, latency, models, embed }: FakeModelOptions) {
    this.models = models ?? null;
    this.#script = script;
    this.#keys = keys ? new Set(keys) : null;
    this.#isKeyless = keys === null;
    this.#embed = embed;
    this.#latency = { firstTokenMs: 0, deltaMs: 0, ...latency };
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '' } = request;
    if (method === 'GET' && url === '/__requests') return sendJson(response, 200, this.requests);
    if (method === 'GET' && url.startsWith('/v1/models')) {
      this.asked += 1;
      if (this.models) return sendJson(response, 200, { data: this.models.map((id) => ({ id })), has_more: false });
    }
    const dialect = DIALECTS.find(({ path }) => url.startsWith(path));
    const isEmbedding = this.#embed !== undefined && url.startsWith('/v1/embeddings');
    if (method !== 'POST' || !(dialect || isEmbedding)) {
      return sendError(response, 404, 'not_found_error', `${method} ${url} is not served here`);
    }
    const receivedAt = now();
    let sent: object;
    try {
      // The checks of `refusalOf` come next; what is read before them tolerates anything.
      sent = JSON.parse(await textOf(request)) as object;
    } catch {
      return sendError(response, 400, 'invalid_request_error', 'The request body is not valid JSON');
    }
    if (!dialect) return sendJson(response, 200, embedded(sent, this.#embed!));
    const record = this.#record(request, dialect, sent, receivedAt);
    const gone = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished && record.endedAt === null) record.closedAt = now();
      record.endedAt ??= now();
      gone.abort();
      this.#notify();
    });
    this.#notify();
    await this.#answer(record, dialect, response, gone.signal);
  }

  async #answer(
    record: RecordedRequest,
    dialect: Dialect,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<void> {
    const refuse = (status: number, type: string, message: string, problem: string | null): void => {
      Object.assign(record, { status, problem, completed: true });
      sendJson(response, status, dialect.errorBody(type, message));
      record.endedAt = now();
    };
    const key = keyOf(record.headers);
    if (!this.#isKeyless && (!key || (this.#keys && !this.#keys.has(key)))) {
      return refuse(401, 'authentication_error', 'invalid x-api-key', key ? null : 'no key');
    }
    const refusal =
      record.body.stream === true
        ? (dialect.refusal(record.sent) ?? refusalOf(record.body))
        : 'stream: this server only streams';
    if (refusal) return refuse(400, 'invalid_request_error', refusal, refusal);
    const rule = this.#script.take(record.seen);
    if (!rule) {
      const words = `no rule of the script answers turn ${record.seen.turn} of "${record.seen.prompt.slice(0, 100)}"`;
      return refuse(400, 'invalid_request_error', words, words);
    }
    record.rule = rule.name;
    const { options } = rule;
    if (options.status !== undefined) return this.#fail(record, dialect, response, rule);
    record.input = inputOf(options);
    record.responseId = `${dialect.idPrefix}${this.#nextId()}`;
    const reply = { id: record.responseId, model: record.body.model, options };
    const start = { data: dialect.start(reply), delayMs: 0 };
    const chunks = [start, ...this.#chunks(rule, record.seen, dialect, reply)];
    const begun = (): void => void (record.begunAt ??= now());
    const completed = await deliver(response, chunks, options, this.#latency, signal, begun, dialect);
    record.completed = completed && !signal.aborted;
    record.endedAt ??= now();
    this.#notify();
  }

  #chunks(rule: Rule, seen: Seen, dialect: Dialect, reply: Reply): Chunk[] {
    const prepared = this.#prepared.get(dialect) ?? new Map<Rule, Chunk[]>();
    this.#prepared.set(dialect, prepared);
    const known = prepared.get(rule);
    if (known) return known;
    const { blocks, options } = rule;
    const made = typeof blocks === 'function' ? blocks(seen) : blocks;
    const deltaMs = options.deltaMs ?? this.#latency.deltaMs;
    const chunks = dialect.chunks(made, reply, deltaMs, () => `toolu_${this.#nextId()}`);
    const same = made === blocks && !made.some((block) => block.type === 'tool_use' && block.id === undefined);
    if (same) prepared.set(rule, chunks);
    return chunks;
  }

  /** A scripted error. */
  #fail(record: RecordedRequest, dialect: Dialect, response: ServerResponse, { options }: Rule): void {
    const { status = 500, error = { type: typeOfStatus(status), message: 'scripted' }, headers = {}, body } = options;
    record.status = status;
    record.completed = true;
    const json = JSON.stringify(dialect.errorBody(error.type, error.message));
    response.writeHead(status, { 'content-type': 'application/json', ...REQUEST_ID, ...headers });
    response.end(body ?? json);
    record.endedAt = now();
  }

  #record(request: IncomingMessage, dialect: Dialect, sent: object, receivedAt: number): RecordedRequest {
    const body = dialect.read(sent);
    const record: RecordedRequest = {
      index: this.requests.length,
      headers: request.headers,
      body,
      sent,
      path: dialect.path,
      seen: readRequest({ ...body, messages: Array.isArray(body.messages) ? body.messages : [] }),
      rule: null,
      problem: null,
      status: 200,
      receivedAt,
      endedAt: null,
      closedAt: null,
      responseId: null,
      completed: false,
      input: 0,
      begunAt: null,
    };
    this.requests.push(record);
    return record;
  }

  async waitFor(predicate: (request: RecordedRequest) => boolean, timeoutMs: number): Promise<RecordedRequest> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = this.requests.find(predicate);
        if (!found) return;
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(found);
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        reject(new Error(`no such request within ${timeoutMs} ms, of ${this.requests.length}`));
      }, timeoutMs);
      this.#waiting.add(look);
      look();
    });
  }

  expectDone(): void {
    const unused = this.#script.unused().map((name) => `never used: ${name}`);
    const problems = this.requests.flatMap(({ index, problem }) => (problem ? [`request ${index}: ${problem}`] : []));
    if (unused.length + problems.length > 0) throw new Error([...unused, ...problems].join('\n'));
  }

  #notify(): void {
    for (const look of [...this.#waiting]) look();
  }

  #nextId(): string {
    this.#ids += 1;
    return `fake${String(this.#ids).padStart(6, '0')}`;
  }
}

function keyOf(headers: IncomingHttpHeaders): string {
  const key = headers['x-api-key'];
  return typeof key === 'string' ? key : (headers.authorization ?? '').replace(/^Bearer /i, '');
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString('utf8');
}

function typeOfStatus(status: number): string {
  const types: Record<number, string> = {
    400: 'invalid_request_error',
    401: 'authentication_error',
    402: 'billing_error',
    403: 'permission_error',
    404: 'not_found_error',
    413: 'request_too_large',
    429: 'rate_limit_error',
    504: 'timeout_error',
    529: 'overloaded_error',
  };
  return types[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
}

/** The vectors of an answer of `/v1/embeddings`. */
function embedded(sent: object, embed: (text: string) => number[]): OpenAI.CreateEmbeddingResponse {
  const { input, model } = sent as OpenAI.EmbeddingCreateParams;
  const data = [input].flat().map((text, index) => ({
    object: 'embedding' as const,
    index,
    embedding: embed(String(text)),
  }));
  return { object: 'list', model, data, usage: { prompt_tokens: data.length, total_tokens: data.length } };
}

function sendError(response: ServerResponse, status: number, type: string, message: string): void {
  sendJson(response, status, { type: 'error', error: { type, message }, request_id: 'req_fake' });
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', ...REQUEST_ID });
  response.end(JSON.stringify(value));
}

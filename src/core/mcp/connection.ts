/** One connected server: what it offers, and requests to it. */
import { Client, type RequestOptions } from '@modelcontextprotocol/client';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { TriadError } from '../base/errors.ts';
import { wellFormed } from '../base/hash.ts';
import { orStopped, stopOf } from '../base/stop.ts';
import { cutAtBytes, cutAtCodePoint } from '../base/text.ts';
import {
  callResult,
  type CallResult,
  type Entry,
  type JsonObject,
  type Page,
  pageOf,
  promptIn,
  promptResult,
  type PromptResult,
  type ResourceContent,
  resourceContents,
  resourceIn,
  type ResourceTemplate,
  type ServerPrompt,
  type ServerResource,
  type ServerTool,
  templateIn,
  toolIn,
} from './answers.ts';
import { hasLostSession, lostFault, requestFault, startFault } from './faults.ts';
import { type CallOptions, InFlight } from './in-flight.ts';
import { answerServer } from './server-requests.ts';
import type { ServerLog } from './server-log.ts';
import { serverWords } from './server-words.ts';
import type { McpServerConfig } from './server-config.ts';
import type { ServerTransport } from './stdio-transport.ts';

const INSTRUCTION_BYTES = 16_384;
const NAME_BYTES = 256;
const MAX_PAGES = 50;
const MAX_ENTRIES = 500;
/** Of all entries of one list together, as JSON: they are compared, kept and told to models as a whole. */
const LIST_BYTES = 1024 * 1024;
/** Longest wait for a ping, in milliseconds. */
const PING_MS = 5000;
/** The longest that a timer takes: our own timers say when a request has had its time. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;
/** What an answer is, is looked at where it is read: one bad entry must not cost a whole list. */
const ANY_RESULT = z.looseObject({});

type List = 'tools' | 'resources' | 'resourceTemplates' | 'prompts';
const LISTS = {
  tools: 'tools/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
  prompts: 'prompts/list',
} as const satisfies Record<List, string>;

type Asked = 'tools/call' | 'resources/read' | 'prompts/get' | (typeof LISTS)[List];

export interface ConnectionParts {
  readonly server: McpServerConfig;
  /** The folder of the workspace, which the server is told. */
  readonly folder: string;
  readonly transport: ServerTransport;
  /** Of this program. */
  readonly version: string;
  /** For the handshake, in milliseconds. */
  readonly handshakeMs: number;
  readonly log: ServerLog;
  /** What the server offers has changed. */
  readonly onLists: () => void;
  /** It ended, with the end of a sentence that begins with the server; after a `close` too. */
  readonly onEnd: (ended: string) => void;
}

/** Cut where it is longer than it may be. */
export interface ServerWords {
  readonly name: string;
  readonly version: string;
  readonly instructions: string | null;
}

export class Connection {
  readonly #parts: ConnectionParts;
  readonly #client: Client;
  /** In the order in which they began. */
  readonly #calls = new Set<InFlight>();
  /** Pings that the server has not answered, each as a promise that resolves with its answer or after `PING_MS`. */
  readonly #pings = new Set<Promise<void>>();
  readonly #lists = new Map<List, readonly unknown[]>();
  #changes = 0;
  #ended: string | null = null;

  private constructor(parts: ConnectionParts) {
    this.#parts = parts;
    this.#client = new Client(
      { name: 'triad', version: parts.version },
      {
        capabilities: { elicitation: { form: {} }, roots: {}, ...(parts.server.sampling ? { sampling: {} } : {}) },
        // Schemas of strangers are not compiled into code.
        jsonSchemaValidator: {
          getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
        },
      },
    );
    answerServer(this.#client, {
      roots: [{ uri: pathToFileURL(parts.folder).href, name: basename(parts.folder) }],
      sampling: parts.server.sampling,
      calls: () => (this.#pings.size > 0 ? [] : [...this.#calls]),
      log: parts.log,
      onLimit: () => this.#skipQuestions(),
      onLists: () => {
        this.#changes += 1;
        // Of a flood nobody is told more than once.
        if (this.#lists.size === 0) return;
        this.#lists.clear();
        parts.onLists();
      },
    });
    this.#client.onerror = (error) =>
      parts.log.add(`protocol: ${cutAtCodePoint(error.message.replaceAll(/\s+/g, ' '), 500)}`);
    this.#client.onclose = () => {
      this.#ended = parts.transport.ended ?? 'was closed';
      parts.onEnd(this.#ended);
    };
  }

  /** Starts the server and shakes hands. Throws `unreachable`, `auth` where it wants a sign-in, or the signal's reason; then nothing of it is left. */
  static async open(parts: ConnectionParts, signal: AbortSignal): Promise<Connection> {
    const { server, transport, handshakeMs, log } = parts;
    if (signal.aborted) throw stopOf(signal);
    const connection = new Connection(parts);
    const time = new AbortController();
    const timer = setTimeout(() => time.abort('No answer'), handshakeMs);
    try {
      const options = { signal: AbortSignal.any([signal, time.signal]), timeout: NO_TIMEOUT_MS };
      await connection.#client.connect(transport, options);
      return connection;
    } catch (error) {
      // Before our own end of it.
      const { ended } = transport;
      await transport.close();
      if (signal.aborted) throw stopOf(signal);
      if (!time.signal.aborted) throw startFault(server.name, error, ended, log.last());
      const message = `${serverWords(server.name)} did not answer within ${handshakeMs / 1000} s of its start`;
      throw new TriadError('unreachable', message);
    } finally {
      clearTimeout(timer);
    }
  }

  get pid(): number | null {
    return this.#parts.transport.pid;
  }

  get isSandboxed(): boolean {
    return this.#parts.transport.isSandboxed;
  }

  /** What the server says of itself. */
  get words(): ServerWords {
    const { name = '', version = '' } = this.#client.getServerVersion() ?? {};
    const instructions = this.#client.getInstructions();
    const cut = instructions === undefined ? null : cutAtBytes(instructions, INSTRUCTION_BYTES);
    return { name: cutAtBytes(name, NAME_BYTES), version: cutAtBytes(version, NAME_BYTES), instructions: cut };
  }

  /** All requests throw a `TriadError`: the signal's reason, `inactive` and `limit_reached` for its time, `disconnected` where the server ended meanwhile, `provider` for an answer that is an error or no answer, `unreachable`, `auth`. */
  async call(name: string, args: JsonObject, options: CallOptions): Promise<CallResult> {
    const { span } = options;
    // The W3C trace context, under the key that the protocol reserves for it.
    const meta = span ? { _meta: { traceparent: `00-${span.traceId}-${span.spanId}-01` } } : {};
    return this.#ask('tools/call', { name, arguments: args, ...meta }, `the tool "${name}"`, callResult, options);
  }

  /** Lists are asked for once, and again when the server says that they changed. The rest of a list that is too long, and entries that do not fit, are left out; its log says which. */
  tools(signal: AbortSignal): Promise<readonly ServerTool[]> {
    return this.#list('tools', toolIn, signal);
  }

  resources(signal: AbortSignal): Promise<readonly ServerResource[]> {
    return this.#list('resources', resourceIn, signal);
  }

  resourceTemplates(signal: AbortSignal): Promise<readonly ResourceTemplate[]> {
    return this.#list('resourceTemplates', templateIn, signal);
  }

  prompts(signal: AbortSignal): Promise<readonly ServerPrompt[]> {
    return this.#list('prompts', promptIn, signal);
  }

  readResource(uri: string, signal: AbortSignal): Promise<readonly ResourceContent[]> {
    return this.#ask('resources/read', { uri }, `the resource "${uri}"`, resourceContents, { signal });
  }

  getPrompt(name: string, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<PromptResult> {
    return this.#ask('prompts/get', { name, arguments: args }, `the prompt "${name}"`, promptResult, { signal });
  }

  /** Resolves when nothing of it is left; requests that run fail. */
  async close(): Promise<void> {
    await this.#client.close();
    await this.#parts.transport.close();
  }

  async #list<T>(list: List, entryIn: (value: unknown) => Entry<T>, signal: AbortSignal): Promise<readonly T[]> {
    const known = this.#lists.get(list) as readonly T[] | undefined;
    if (known && this.#ended === null) return known;
    const capabilities = this.#client.getServerCapabilities() ?? {};
    const isOffered = capabilities[list === 'resourceTemplates' ? 'resources' : list] !== undefined;
    const changes = this.#changes;
    const entries = isOffered || this.#ended !== null ? await this.#pages(list, entryIn, signal) : [];
    if (changes === this.#changes) this.#lists.set(list, entries);
    else this.#parts.onLists();
    return entries;
  }

  async #pages<T>(list: List, entryIn: (value: unknown) => Entry<T>, signal: AbortSignal): Promise<T[]> {
    const { log } = this.#parts;
    const found = new Map<string, T>();
    let bytes = 0;
    const isFull = (): boolean => found.size === MAX_ENTRIES || bytes > LIST_BYTES;
    const take = (entry: unknown): void => {
      const name = nameOf(entry);
      const one = entryIn(entry);
      if ('fault' in one) log.add(`${list}: ${name} is left out: ${one.fault}`);
      else if (found.has(name)) log.add(`${list}: the second ${name} is left out`);
      else {
        bytes += Buffer.byteLength(JSON.stringify(one.value));
        if (bytes <= LIST_BYTES) found.set(name, one.value);
      }
    };
    let cursor: string | null = null;
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const params: JsonObject = cursor === null ? {} : { cursor };
      const read = (value: unknown): Page => pageOf(list, value);
      const page: Page = await this.#ask(LISTS[list], params, `its list of ${list}`, read, { signal });
      for (const entry of page.entries) if (!isFull()) take(entry);
      cursor = page.next;
      if (cursor === null || isFull()) break;
    }
    if (cursor !== null || isFull())
      log.add(`${list}: what follows after ${MAX_ENTRIES} entries, ${MAX_PAGES} pages or 1 MiB is left out`);
    return [...found.values()];
  }

  async #ask<T>(
    method: Asked,
    params: JsonObject,
    what: string,
    read: (value: unknown) => T,
    options: CallOptions,
  ): Promise<T> {
    const { server } = this.#parts;
    if (this.#ended !== null) throw new TriadError('unreachable', `${serverWords(server.name)} ${this.#ended}`);
    if (method === 'tools/call') await orStopped(options.signal, Promise.all(this.#pings));
    if (options.signal.aborted) throw stopOf(options.signal);
    const running = new InFlight(options, server.timeoutMs, ...this.#timeFaults(what));
    if (method === 'tools/call') this.#calls.add(running);
    try {
      const onprogress: RequestOptions['onprogress'] = (progress) => {
        running.feed();
        if (running.fault === null) options.onProgress?.(progress);
      };
      const asked = { signal: running.signal, timeout: NO_TIMEOUT_MS, onprogress };
      const answer = await this.#client.request({ method, params: { ...params } }, ANY_RESULT, asked);
      return this.#read(what, read, answer);
    } catch (error) {
      if (running.fault) throw running.fault;
      if (this.#ended !== null) throw lostFault(server.name, what, this.#ended);
      // All that follows would fail too: the next use connects anew.
      if (hasLostSession(error)) await this.close();
      throw requestFault(server.name, what, error);
    } finally {
      running.end();
      this.#calls.delete(running);
    }
  }

  /**
   * Declines questions, and holds the next call back, until the server answers a ping. The questions that it sent before
   * belong to the call that asked too much, and must not count for another call.
   */
  #skipQuestions(): void {
    const ping = this.#client
      .ping({ timeout: PING_MS })
      .catch(() => undefined)
      .then(() => void this.#pings.delete(ping));
    this.#pings.add(ping);
  }

  #read<T>(what: string, read: (value: unknown) => T, answer: unknown): T {
    try {
      // Whoever gives models what is not well-formed gets no answer from their providers.
      return read(wellFormed(answer));
    } catch (error) {
      const message = `${serverWords(this.#parts.server.name)} answered ${what} with what is no answer: ${(error as Error).message}`;
      throw new TriadError('provider', message);
    }
  }

  #timeFaults(what: string): [(ms: number) => TriadError, (ms: number) => TriadError] {
    const name = serverWords(this.#parts.server.name);
    const rest = `${what} was asked of it; whether that took effect is not known`;
    return [
      (ms) => new TriadError('inactive', `${name} gave no sign for ${ms / 1000} s while ${rest}`),
      (ms) => new TriadError('limit_reached', `${name} did not come to an end in ${ms / 1000} s when ${rest}`),
    ];
  }
}

/** By which an entry of a list is known. */
function nameOf(entry: unknown): string {
  const { name, uri, uriTemplate } = (entry ?? {}) as Record<string, unknown>;
  const found = [uri, uriTemplate, name].find((one) => typeof one === 'string');
  return found === undefined ? 'an entry without a name' : JSON.stringify(cutAtCodePoint(found, 300));
}

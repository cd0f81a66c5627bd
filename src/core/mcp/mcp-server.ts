/** One MCP server of a folder: the first request starts it, all users share it, and it ends some time after the last. */
import { errorInfo, TriadError } from '../base/errors.ts';
import { orStopped, Stopped, stopOf } from '../base/stop.ts';
import type {
  CallResult,
  JsonObject,
  PromptResult,
  ResourceContent,
  ResourceTemplate,
  ServerPrompt,
  ServerResource,
  ServerTool,
} from './answers.ts';
import type { Connection, ServerWords } from './connection.ts';
import type { CallOptions } from './in-flight.ts';
import { ServerLog } from './server-log.ts';
import { serverWords } from './server-words.ts';
import type { McpServerConfig } from './server-config.ts';

/** `idle`: not started, the next use does it · `failed`: it ended by itself or could not start; a use some time later tries again · `stopped`: by a person; only a restart starts it. */
export type McpStatus = 'idle' | 'starting' | 'ready' | 'failed' | 'stopped';

/** Without what is configured: environment and headers may hold secrets. */
export interface McpServerState {
  readonly name: string;
  readonly source: McpServerConfig['source'];
  readonly kind: McpServerConfig['transport']['kind'];
  readonly folder: string;
  readonly status: McpStatus;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Null for a server at an address, and for one that does not run. */
  readonly pid: number | null;
  /** True while it runs in the sandbox of its workspace. */
  readonly isSandboxed: boolean;
  readonly users: number;
  /** One sentence: why it failed; null in any other state. */
  readonly error: string | null;
  /** When a failed one may be tried again, in milliseconds since 1970; null in any other state. */
  readonly retryAt: number | null;
  /** What it says of itself; null before it was ready. */
  readonly words: ServerWords | null;
  /** The newest last. */
  readonly log: readonly string[];
}

export interface McpServerPorts {
  readonly connect: (
    parts: { log: ServerLog; onLists: () => void; onEnd: (ended: string) => void },
    signal: AbortSignal,
  ) => Promise<Connection>;
  readonly now: () => number;
  readonly idleMs: number;
  readonly onChange: () => void;
  /** Nobody uses it any more and it does not run: it may be forgotten. */
  readonly onRest: () => void;
}

/** From a start to an end. */
interface Life {
  readonly abort: AbortController;
  /** Null before it is ready. */
  connection: Connection | null;
  /** Why the server ended; null while it runs. */
  ended: string | null;
}

/** After the first failure, in milliseconds; twice as long after each that follows. */
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;
/** What was ready so long failed for a new reason. */
const GOOD_LIFE_MS = 60_000;

/** Requests start the server if it does not run. They throw what `Connection` throws, and `unreachable`, `conflict` and `interrupted` if it cannot start. */
export class McpServer {
  readonly config: McpServerConfig;
  readonly folder: string;
  readonly #ports: McpServerPorts;
  readonly #log = new ServerLog();
  #status: McpStatus = 'idle';
  #since: number;
  #error: string | null = null;
  #failures = 0;
  #retryAt = 0;
  #words: ServerWords | null = null;
  /** Null while it is neither starting nor ready. */
  #life: Life | null = null;
  /** The connection of the newest life; rejects where its start fails. */
  #opened: Promise<Connection> | null = null;
  /** The end of the life before: one process at a time. */
  #leaving: Promise<void> = Promise.resolve();
  #hasEnded = false;
  #users = 0;
  /** Requests that run. */
  #busy = 0;
  #idle: NodeJS.Timeout | null = null;

  constructor(config: McpServerConfig, folder: string, ports: McpServerPorts) {
    this.config = config;
    this.folder = folder;
    this.#ports = ports;
    this.#since = ports.now();
  }

  get state(): McpServerState {
    const hasFailed = this.#status === 'failed';
    return {
      name: this.config.name,
      source: this.config.source,
      kind: this.config.transport.kind,
      folder: this.folder,
      status: this.#status,
      since: this.#since,
      pid: this.#life?.connection?.pid ?? null,
      isSandboxed: this.#life?.connection?.isSandboxed ?? false,
      users: this.#users,
      error: this.#error,
      retryAt: hasFailed ? this.#retryAt : null,
      words: this.#words,
      log: this.#log.lines(),
    };
  }

  get isAtRest(): boolean {
    return this.#users === 0 && this.#life === null;
  }

  /** Counts a user until the returned function is called. */
  hold(): () => void {
    let isHeld = true;
    this.#users += 1;
    this.#rest();
    this.#ports.onChange();
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#users -= 1;
      this.#rest();
      this.#ports.onChange();
    };
  }

  tools(signal: AbortSignal): Promise<readonly ServerTool[]> {
    return this.#request(signal, (connection) => connection.tools(signal));
  }

  call(name: string, args: JsonObject, options: CallOptions): Promise<CallResult> {
    return this.#request(options.signal, (connection) => connection.call(name, args, options));
  }

  resources(signal: AbortSignal): Promise<readonly ServerResource[]> {
    return this.#request(signal, (connection) => connection.resources(signal));
  }

  resourceTemplates(signal: AbortSignal): Promise<readonly ResourceTemplate[]> {
    return this.#request(signal, (connection) => connection.resourceTemplates(signal));
  }

  readResource(uri: string, signal: AbortSignal): Promise<readonly ResourceContent[]> {
    return this.#request(signal, (connection) => connection.readResource(uri, signal));
  }

  prompts(signal: AbortSignal): Promise<readonly ServerPrompt[]> {
    return this.#request(signal, (connection) => connection.prompts(signal));
  }

  getPrompt(name: string, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<PromptResult> {
    return this.#request(signal, (connection) => connection.getPrompt(name, args, signal));
  }

  /** Ends it, and starts it anew. Throws like a first use. */
  async restart(): Promise<void> {
    await this.#end('idle');
    this.#failures = 0;
    this.#retryAt = 0;
    // A use may have started it already.
    await this.#connection();
  }

  /**
   * Resolves when nothing of it is left; it stays ended until a restart, or if `idle` until the next use. `reason`: told to
   * those that wait for its start.
   */
  stop(status: 'idle' | 'stopped' = 'stopped', reason = this.#stopped()): Promise<void> {
    return this.#end(status, reason);
  }

  /** Ends it for good: no later request starts it. Resolves when nothing of it is left. */
  end(): Promise<void> {
    this.#hasEnded = true;
    return this.#end('stopped', new Stopped('shutdown'));
  }

  /** What made it fail is over: the next use need not wait. */
  retry(): void {
    if (this.#status !== 'failed') return;
    this.#failures = 0;
    this.#retryAt = 0;
    this.#set('idle');
  }

  #stopped(): Stopped {
    return new Stopped('user', `${serverWords(this.config.name)} was stopped`);
  }

  /** Throws `unreachable` if the start fails or failed shortly before, `conflict` if a person stopped it, and the signal's reason. */
  async #request<T>(signal: AbortSignal, send: (connection: Connection) => Promise<T>): Promise<T> {
    if (signal.aborted) throw stopOf(signal);
    this.#busy += 1;
    this.#rest();
    try {
      return await send(await orStopped(signal, this.#connection()));
    } finally {
      this.#busy -= 1;
      this.#rest();
    }
  }

  #connection(): Promise<Connection> {
    if (this.#hasEnded) return Promise.reject(new Stopped('shutdown'));
    if (this.#life && this.#opened) return this.#opened;
    const name = serverWords(this.config.name);
    if (this.#status === 'stopped')
      return Promise.reject(
        new TriadError('conflict', `${name} was stopped by the person, who alone can start it again`),
      );
    const waitMs = this.#status === 'failed' ? this.#retryAt - this.#ports.now() : 0;
    if (waitMs > 0) {
      const message = `${this.#error}. It is tried again at the first use in ${Math.ceil(waitMs / 1000)} s or later`;
      return Promise.reject(new TriadError('unreachable', message));
    }
    return this.#start();
  }

  #start(): Promise<Connection> {
    const life: Life = { abort: new AbortController(), connection: null, ended: null };
    this.#life = life;
    this.#opened = this.#leaving.then(() => this.#open(life));
    // Each use is told, and the state tells it too.
    this.#opened.catch(() => undefined);
    this.#set('starting');
    return this.#opened;
  }

  async #open(life: Life): Promise<Connection> {
    try {
      const parts = {
        log: this.#log,
        onLists: this.#ports.onChange,
        onEnd: (why: string) => this.#lifeEnded(life, why),
      };
      const connection = await this.#ports.connect(parts, life.abort.signal);
      if (life.ended !== null) throw new TriadError('unreachable', `${serverWords(this.config.name)} ${life.ended}`);
      life.connection = connection;
      if (this.#life === life) {
        this.#words = connection.words;
        this.#set('ready');
      }
      return connection;
    } catch (error) {
      if (this.#life === life) this.#fail(errorInfo(error).message, false);
      throw error;
    } finally {
      this.#rest();
    }
  }

  #lifeEnded(life: Life, ended: string): void {
    life.ended = ended;
    // Before it is ready the start fails; after a stop another life may have begun.
    if (!life.connection || this.#life !== life) return;
    this.#leaving = life.connection.close().catch(() => undefined);
    const wasGood = this.#ports.now() - this.#since >= GOOD_LIFE_MS;
    this.#fail(`${serverWords(this.config.name)} ${ended}`, wasGood);
    this.#rest();
  }

  #fail(error: string, wasGood: boolean): void {
    this.#life = null;
    this.#log.add(error);
    this.#failures = wasGood ? 0 : this.#failures + 1;
    const waitMs = this.#failures === 0 ? 0 : FIRST_WAIT_MS * 2 ** (this.#failures - 1);
    this.#retryAt = this.#ports.now() + Math.min(waitMs, LONGEST_WAIT_MS);
    this.#set('failed', error);
  }

  async #end(status: 'idle' | 'stopped', reason = this.#stopped()): Promise<void> {
    const [life, opened] = [this.#life, this.#opened];
    this.#life = null;
    this.#set(status);
    if (life && opened) {
      life.abort.abort(reason);
      this.#leaving = opened.then(
        (connection) => connection.close(),
        () => undefined,
      );
    }
    await this.#leaving;
  }

  #set(status: McpStatus, error: string | null = null): void {
    this.#status = status;
    this.#error = error;
    this.#since = this.#ports.now();
    this.#ports.onChange();
  }

  /** Begins to count, or ends to count, the time until it is closed. */
  #rest(): void {
    if (this.#idle) clearTimeout(this.#idle);
    this.#idle = null;
    if (this.#users > 0 || this.#busy > 0) return;
    if (!this.#life) return this.#ports.onRest();
    const close = (): void => void this.#end('idle').then(() => this.#ports.onRest());
    this.#idle = setTimeout(close, this.#ports.idleMs).unref();
  }
}

/** One server of a folder: started by its first use, shared by all, ended some time after the last. */
import { errorInfo, TriadError } from '../base/errors.ts';
import { orStopped, Stopped, stopOf } from '../base/stop.ts';
import type { Connection, ServerWords } from './connection.ts';
import { ServerLog } from './server-log.ts';
import { serverWords } from './server-words.ts';
import type { McpServer } from './server.ts';

/** `idle`: not started, the next use does it · `failed`: it ended by itself or could not start; a use some time later tries again · `stopped`: by a person; only a restart starts it. */
export type McpStatus = 'idle' | 'starting' | 'ready' | 'failed' | 'stopped';

/** Without what is configured: environment and headers may hold secrets. */
export interface McpServerState {
  readonly name: string;
  readonly source: McpServer['source'];
  readonly kind: McpServer['transport']['kind'];
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

export interface PooledPorts {
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

export class PooledServer {
  readonly server: McpServer;
  readonly folder: string;
  readonly #ports: PooledPorts;
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
  #users = 0;
  /** Requests that run. */
  #busy = 0;
  #idle: NodeJS.Timeout | null = null;

  constructor(server: McpServer, folder: string, ports: PooledPorts) {
    this.server = server;
    this.folder = folder;
    this.#ports = ports;
    this.#since = ports.now();
  }

  get state(): McpServerState {
    const hasFailed = this.#status === 'failed';
    return {
      name: this.server.name,
      source: this.server.source,
      kind: this.server.transport.kind,
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

  /** Runs the work on the connection, which is made first where there is none. Throws `unreachable` where it fails or failed shortly before, `conflict` where a person stopped it, and the signal's reason. */
  async with<T>(signal: AbortSignal, work: (connection: Connection) => Promise<T>): Promise<T> {
    if (signal.aborted) throw stopOf(signal);
    this.#busy += 1;
    this.#rest();
    try {
      return await work(await orStopped(signal, this.#connection()));
    } finally {
      this.#busy -= 1;
      this.#rest();
    }
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

  /** What made it fail is over: the next use need not wait. */
  retry(): void {
    if (this.#status !== 'failed') return;
    this.#failures = 0;
    this.#retryAt = 0;
    this.#set('idle');
  }

  #stopped(): Stopped {
    return new Stopped('user', `${serverWords(this.server.name)} was stopped`);
  }

  #connection(): Promise<Connection> {
    if (this.#life && this.#opened) return this.#opened;
    const name = serverWords(this.server.name);
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
        onEnd: (why: string) => this.#hasEnded(life, why),
      };
      const connection = await this.#ports.connect(parts, life.abort.signal);
      if (life.ended !== null) throw new TriadError('unreachable', `${serverWords(this.server.name)} ${life.ended}`);
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

  #hasEnded(life: Life, ended: string): void {
    life.ended = ended;
    // Before it is ready the start fails; after a stop another life may have begun.
    if (!life.connection || this.#life !== life) return;
    this.#leaving = life.connection.close().catch(() => undefined);
    const wasGood = this.#ports.now() - this.#since >= GOOD_LIFE_MS;
    this.#fail(`${serverWords(this.server.name)} ${ended}`, wasGood);
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

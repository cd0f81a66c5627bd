/**
 * One connection to a SurrealDB server, signed in. The driver has no time limits, sends calls that were open at a cut
 * again and leaves promises pending for ever: here each call ends in bounded time, nothing is sent twice, and a
 * connection that has failed once is never used again.
 */
import type { RowKey } from '#contract/rows.ts';
import { RecordId, type RpcRequest, ServerError, Surreal, WebSocketEngine } from 'surrealdb';
import { WebSocket } from 'ws';
import { errorInfo, isUntrusted, TriadError } from '../../base/errors.ts';
import { askedFor } from '../../base/outgoing.ts';
import { rootOf } from '../failure.ts';
import type { Row } from '../store.ts';
import type { RemoteAddress } from './address.ts';
import { unfit } from './login.ts';
import type { Login } from './options.ts';

export interface Session {
  /** One result for each statement. Rejects with the server's error, or with a `Cut`. */
  query(sql: string, values?: Row): Promise<unknown[]>;
  /** Resolves with the error that rolled the transaction back, null if it was committed. Rejects with a `Cut`. */
  transaction(sql: string, values?: Row): Promise<Error | null>;
  readonly version: string;
  end(): void;
}

/** There was no answer: whether the server has done it is not known. */
export class Cut extends Error {}

export interface SessionOptions {
  login: Login | null;
  /** Longest time of each call, and of the connecting, in milliseconds. */
  callMs: number;
  signal?: AbortSignal | undefined;
}

/** Rejects with a `Cut` where the server cannot be reached, with `not_allowed` or `store_failed` where it refuses. */
export async function openSession(address: RemoteAddress, options: SessionOptions): Promise<Session> {
  const { login, callMs, signal } = options;
  signal?.throwIfAborted();
  const line = new Line(callMs);
  const { surreal } = line;
  const stop = () => line.end();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    await line.bounded(
      askedFor('store', () => surreal.connect(address.endpoint, { reconnect: false, versionCheck: false })),
    );
    const { version } = await line.bounded(surreal.version());
    refuseUnfit(address, version);
    await signIn(line, address, login);
    await line.bounded(surreal.use({ namespace: address.namespace, database: address.database }));
    return {
      version: version.replace(/^surrealdb-/, ''),
      query: (sql, values) => line.bounded(surreal.query<unknown[]>(sql, values)),
      transaction: async (sql, values) => {
        try {
          return rootOf(await line.bounded(surreal.query(sql, values).responses()));
        } catch (error) {
          // Refused as a whole: it has rolled back like one that failed in a statement.
          if (error instanceof ServerError) return error;
          throw error;
        }
      },
      end: () => line.end(),
    };
  } catch (error) {
    line.end();
    signal?.throwIfAborted();
    if (error instanceof Cut && isUntrusted(error.cause)) throw untrusted(address, error);
    throw error instanceof ServerError ? unfit(address, error) : error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** An id as the driver wants it in a query. */
export const recordOf = (table: string, key: RowKey): unknown =>
  new RecordId(table, typeof key === 'string' ? key : [...key]);

/** The driver on a socket that can be cut, with a limit on everything that is asked over it. */
class Line {
  readonly surreal: Surreal;
  readonly #callMs: number;
  /** Each ends one call that has no answer yet. */
  readonly #open = new Set<(cut: Cut) => void>();
  #cut: Cut | null = null;
  #socket: WebSocket | null = null;

  constructor(callMs: number) {
    this.#callMs = callMs;
    const own = (socket: WebSocket) => (this.#socket = socket);
    const end = (cause: string, error?: Error) => this.end(cause, error);
    class Socket extends WebSocket {
      constructor(url: string, protocols: string) {
        super(url, protocols, { handshakeTimeout: callMs, perMessageDeflate: false });
        this.on('error', (error) => end(error.message, error));
        this.on('close', () => end('the connection was cut'));
        own(this);
      }

      /** The driver reports a frame that it cannot read in this way. */
      dispatchEvent({ detail }: CustomEvent): boolean {
        end(`the server sent what cannot be read${detail instanceof Error ? ` (${detail.message})` : ''}`);
        return true;
      }
    }
    const engine = (...[context]: ConstructorParameters<typeof WebSocketEngine>) => new Engine(context);
    this.surreal = new Surreal({
      engines: { ws: engine, wss: engine },
      websocketImpl: Socket as unknown as typeof globalThis.WebSocket,
    });
  }

  /** Rejects with a `Cut` where the line ends first, or the time: then the line ends, too. */
  async bounded<T>(call: PromiseLike<T>): Promise<T> {
    const ended = Promise.withResolvers<never>();
    this.#open.add(ended.reject);
    if (this.#cut) ended.reject(this.#cut);
    const late = `the server did not answer within ${this.#callMs / 1000} s`;
    const timer = setTimeout(() => this.end(late), this.#callMs);
    try {
      return await Promise.race([call, ended.promise]);
    } catch (error) {
      // Errors of the driver itself mean that there was no answer. A session that has expired is signed in again.
      const isAnswer = error instanceof ServerError && !EXPIRED.test(error.message);
      throw isAnswer ? error : this.end(errorInfo(error).message);
    } finally {
      clearTimeout(timer);
      this.#open.delete(ended.reject);
    }
  }

  /** Returns the first cause. */
  end(words = 'the connection was closed', cause?: Error): Cut {
    if (this.#cut) return this.#cut;
    const cut = (this.#cut = new Cut(words, { cause }));
    for (const reject of this.#open) reject(cut);
    // A frame that is still on its way out must not be waited for.
    this.#socket?.terminate();
    this.surreal.close().catch(() => undefined);
    return cut;
  }
}

const EXPIRED = /session (has )?expired/i;

/** The driver pings without waiting for the answer: what it does not look at must not end the process. */
class Engine extends WebSocketEngine {
  override send<Method extends string, Params extends unknown[] | undefined, Result>(
    request: RpcRequest<Method, Params>,
  ): Promise<Result> {
    const answer = super.send<Method, Params, Result>(request);
    answer.catch(() => undefined);
    return answer;
  }
}

/** A name may belong to the database, to its namespace, or to the whole server: the narrowest that fits. */
async function signIn(line: Line, address: RemoteAddress, login: Login | null): Promise<void> {
  if (login === null) return;
  const { surreal } = line;
  const { namespace, database } = address;
  let refusal: unknown = null;
  const ways =
    'token' in login
      ? [() => surreal.authenticate(login.token)]
      : [{ namespace, database }, { namespace }, {}].map(
          (place) => () => surreal.signin({ ...place, username: login.user, password: login.password }),
        );
  for (const way of ways) {
    try {
      await line.bounded(way());
      return;
    } catch (error) {
      if (error instanceof Cut) throw error;
      refusal = error;
    }
  }
  const isOver = /expired/i.test(errorInfo(refusal).message);
  const who =
    'token' in login ? `the token${isOver ? ', which has expired' : ''}` : `the user ${login.user} and the password`;
  const again = 'token' in login ? '--token' : `--user ${login.user}`;
  throw new TriadError(
    'not_allowed',
    `${address.name} refuses ${who}: keep the right one with "triad config key store ${again} < FILE".`,
    { cause: refusal, detail: errorInfo(refusal).message },
  );
}

const NEEDED = 3;

function refuseUnfit({ name }: RemoteAddress, version: unknown): void {
  if (typeof version !== 'string')
    throw new TriadError(
      'store_failed',
      `What answers at ${name} is no SurrealDB: look at the address in TRIAD_STORE.`,
    );
  const major = /^surrealdb-(\d+)\./.exec(version)?.[1];
  if (major === undefined || Number(major) >= NEEDED) return;
  throw new TriadError('store_failed', `The server of the store is ${version}: Triad needs SurrealDB ${NEEDED}.`);
}

function untrusted({ name }: RemoteAddress, cause: Cut): TriadError {
  const message = `The TLS connection to the server of the store ${name} is not trusted (${cause.message.split('\n', 1)[0]!}): where its certificate is of your own, NODE_EXTRA_CA_CERTS names the file of the authority that signed it.`;
  return new TriadError('store_failed', message, { cause, detail: message });
}

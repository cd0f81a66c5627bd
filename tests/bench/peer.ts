/** Processes of the benchmark: a file that serves operations, and the parent that asks for them. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** What a process serves; inputs and results cross as JSON. */
export type Operations = Record<string, (input: never) => Promise<unknown>>;

interface Request {
  id: number;
  op: string;
  input: unknown;
}
interface Reply {
  id: number;
  value?: unknown;
  error?: string;
}

/** Serves until the parent lets go, then ends the process: an embedded engine would keep it alive. */
export function serve(operations: Operations, close: () => Promise<void>): void {
  const answer = async ({ id, op, input }: Request): Promise<void> => {
    const reply: Reply = { id };
    try {
      const operation = operations[op];
      if (!operation) throw new Error(`there is no operation ${op}`);
      // The parent's side of the same table types what it sends.
      reply.value = await operation(input as never);
    } catch (error) {
      reply.error = error instanceof Error ? (error.stack ?? error.message) : String(error);
    }
    process.send?.(reply);
  };
  process.on('message', (message) => void answer(message as Request));
  process.once('disconnect', () => void close().finally(() => process.exit(0)));
  process.send?.({ id: 0 });
}

export class Peer<O> {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #count = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on('message', (message) => {
      const { id, value, error } = message as Reply;
      const waiter = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) waiter?.resolve(value);
      else waiter?.reject(new Error(error));
    });
    child.once('exit', (code, signal) => {
      for (const waiter of this.#waiting.values()) waiter.reject(new Error(`the process ended with ${code ?? signal}`));
      this.#waiting.clear();
    });
  }

  /** Resolves when the process serves. */
  static async start<O>(file: string, args: readonly string[], execArgv: readonly string[] = []): Promise<Peer<O>> {
    const child = fork(file, args, {
      execArgv: [...execArgv],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const peer = new Peer<O>(child);
    await peer.#expect(0);
    return peer;
  }

  async ask<K extends keyof O & string>(
    op: K,
    ...[input]: O[K] extends (...input: infer I) => unknown ? I : never
  ): Promise<O[K] extends (...input: never) => Promise<infer R> ? R : never> {
    const id = ++this.#count;
    const value = this.#expect(id);
    this.#child.send({ id, op, input });
    // What the process of the same table of operations answered.
    return (await value) as O[K] extends (...input: never) => Promise<infer R> ? R : never;
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.disconnect();
    await ended;
  }

  #expect(id: number): Promise<unknown> {
    const waiter = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiter);
    return waiter.promise;
  }
}

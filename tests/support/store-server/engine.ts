/** The embedded engine as a server has it: sessions and frames, without the driver around it. */
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CborCodec, Uuid } from 'surrealdb';

interface Native {
  execute(frame: Uint8Array): Promise<Uint8Array>;
  free(): void;
}
interface NativeModule {
  SurrealNodeEngine: { connect(url: string, options: object): Promise<Native> };
}

/** The package of the engine does not export it; the file lies beside its entry. */
function nativeModule(): NativeModule {
  const folder = dirname(fileURLToPath(import.meta.resolve('@surrealdb/node')));
  const { header } = process.report.getReport() as { header: Record<string, unknown> };
  const libc = process.platform === 'linux' ? (header['glibcVersionRuntime'] ? '-gnu' : '-musl') : '';
  const name = `${process.platform}-${process.arch}${libc}`;
  const file = readdirSync(folder).find((one) => one.endsWith('.node') && one.includes(name));
  if (file === undefined) throw new Error(`There is no engine for ${name}`);
  return createRequire(import.meta.url)(join(folder, file)) as NativeModule;
}

const codec = new CborCodec({});
export const encode = (value: unknown): Buffer => Buffer.from(codec.encode(value));
export const decode = (frame: Uint8Array): unknown => codec.decode(new Uint8Array(frame));

export interface Request {
  id: string;
  method: string;
  session?: unknown;
  params?: unknown[];
}
export type Answer = { result: unknown } | { error: unknown };

export class Engine {
  readonly #native: Native;
  readonly #busy = new Set<Promise<unknown>>();
  #own: unknown = null;
  #freed = false;

  private constructor(native: Native) {
    this.#native = native;
  }

  static async open(url: string): Promise<Engine> {
    const engine = new Engine(await nativeModule().SurrealNodeEngine.connect(url, {}));
    engine.#own = await engine.attach();
    await engine.execute({ id: '0', method: 'use', session: engine.#own, params: ['triad', 'triad'] });
    return engine;
  }

  async attach(): Promise<unknown> {
    const session = new Uuid(crypto.randomUUID());
    await this.execute({ id: '0', method: 'attach', session });
    return session;
  }

  async detach(session: unknown): Promise<void> {
    if (!this.#freed) await this.execute({ id: '0', method: 'detach', session });
  }

  /** The native engine ends the process when it gets anything after it was freed. */
  async execute(request: Request): Promise<Answer> {
    if (this.#freed) throw new Error('The server is closed');
    const answer = this.#native.execute(encode(request));
    this.#busy.add(answer);
    try {
      const value = decode(await answer);
      return isError(value) ? { error: value.error } : { result: value };
    } finally {
      this.#busy.delete(answer);
    }
  }

  async query(sql: string, values: object): Promise<unknown[]> {
    const answer = await this.execute({ id: '0', method: 'query', session: this.#own, params: [sql, values] });
    if ('error' in answer) throw new Error(JSON.stringify(answer.error));
    return (answer.result as { status: string; result: unknown }[]).map(({ status, result }) => {
      if (status !== 'OK') throw new Error(String(result));
      return result;
    });
  }

  async close(): Promise<void> {
    while (this.#busy.size > 0) await Promise.allSettled(this.#busy);
    if (this.#freed) return;
    this.#freed = true;
    this.#native.free();
  }
}

const isError = (value: unknown): value is { error: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && 'error' in value;

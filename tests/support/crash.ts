/** Starts, kills and restarts the real process of `crash-host.ts`, each time on a store in a folder. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { DurableEvent } from '#contract/event.ts';
import type { LifeParts, Result } from './crash-life.ts';

const HOST = fileURLToPath(new URL('crash-host.ts', import.meta.url));
/** Each life is a process of its own: what one has compiled, the next ones take. */
const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/triad-tests', import.meta.url));
const RESUMER = fileURLToPath(new URL('crash-resumer.ts', import.meta.url));
const environment = { ...process.env, NODE_COMPILE_CACHE: COMPILED };
/** Of one process that resumes. */
const LIVES_EACH = 10;
const PATIENCE_MS = 60_000;

export interface Life extends Omit<LifeParts, 'store' | 'groupSize'> {
  data: string;
  /** Kill the process the instant after this event, or one of this type (the first, or the one of this number), is stored. */
  killAfter?: number | DurableEvent['type'] | `${DurableEvent['type']}#${number}`;
  /** Gets the process, to kill it in other ways. */
  started?: (child: ChildProcess) => void;
}

/** What was stored in the end; null when the process was killed. */
export function live({
  mode,
  data,
  url,
  folder,
  killAfter,
  settings = '',
  files = '',
  grant,
  started,
}: Life): Promise<Result | null> {
  const args = [HOST, mode, data, url, folder, ...(killAfter === undefined ? [] : [String(killAfter)])];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PATIENCE_MS,
    env: {
      ...environment,
      CRASH_HOST_SETTINGS: settings,
      CRASH_HOST_FILES: files,
      CRASH_HOST_GRANT: grant === undefined ? '' : JSON.stringify(grant),
    },
  });
  started?.(child);
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.on('close', (code, signal) => {
      if (signal === 'SIGKILL') resolve(null);
      else if (code === 0) resolve(JSON.parse(out) as Result);
      else reject(new Error(`the host ended with ${signal ?? code}: ${err}`));
    });
  });
}

/** What a killed process has left, and where its model is. */
export type Left = Pick<Life, 'data' | 'url' | 'folder'>;
export type Resumed = { ok: true; result: Result } | { ok: false; why: string };

/** Goes on with what killed processes have left, one after the other, without a process of its own for each. */
export class Resumer {
  #child: ChildProcess | null = null;
  #served = 0;

  async resume(left: Left): Promise<Result> {
    // The engine frees little of a store that was closed.
    if (this.#served % LIVES_EACH === 0) this.end();
    this.#served += 1;
    const child = (this.#child ??= fork(RESUMER, { env: environment, serialization: 'advanced' }));
    const resumed = await new Promise<Resumed>((resolve, reject) => {
      const gone = (code: number | null): void => reject(new Error(`the resumer ended with ${code}`));
      child.once('exit', gone);
      child.once('message', (answer) => {
        child.off('exit', gone);
        resolve(answer as Resumed);
      });
      child.send(left);
    });
    if (!resumed.ok) throw new Error(resumed.why);
    return resumed.result;
  }

  end(): void {
    this.#child?.kill('SIGKILL');
    this.#child = null;
  }
}

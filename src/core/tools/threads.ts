/** Threads for what could stop the program. Starting one takes longer than most of their work: whoever has done its work waits for more. */
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';

/** Most that wait, and how long, in milliseconds: a model calls the next tool within seconds. */
const MAX_WAITING = 2;
const WAIT_MS = 30_000;

export class Threads {
  readonly #file: () => URL;
  readonly #heapMb: number;
  readonly #waitMs: number;
  readonly #waiting = new Map<Worker, NodeJS.Timeout>();

  /** `file`: of a thread that takes one task after the other as messages. */
  constructor(file: () => URL, heapMb: number, waitMs = WAIT_MS) {
    this.#file = file;
    this.#heapMb = heapMb;
    this.#waitMs = waitMs;
  }

  /** The one that began to wait last, or a new one. The caller terminates it, or keeps it. */
  take(): Worker {
    const found = [...this.#waiting].at(-1);
    if (found === undefined) return this.#start();
    const [worker, timer] = found;
    clearTimeout(timer);
    this.#waiting.delete(worker);
    worker.ref();
    return worker;
  }

  /** Lets it wait for the next task. Only where it has done all that it was asked, and holds nothing of it. */
  keep(worker: Worker): void {
    if (this.#waiting.size >= MAX_WAITING) return void worker.terminate();
    // Nobody waits for it: the program may end.
    worker.unref();
    const timer = setTimeout(() => {
      // Before it has ended, which takes a moment: nobody is given it any more.
      this.#waiting.delete(worker);
      void worker.terminate();
    }, this.#waitMs).unref();
    this.#waiting.set(worker, timer);
  }

  #start(): Worker {
    const worker = new Worker(this.#file(), {
      env: compiled(),
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: this.#heapMb },
    });
    // Also while it waits, when nobody else listens.
    worker.on('error', () => {});
    worker.on('exit', () => {
      clearTimeout(this.#waiting.get(worker));
      this.#waiting.delete(worker);
    });
    return worker;
  }
}

/** A thread does not share what its process has compiled unless it is told where that is kept: then it starts in half the time. */
export function compiled(): { NODE_COMPILE_CACHE?: string } {
  const folder = getCompileCacheDir();
  // Its last part is Node's own: one for each version.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

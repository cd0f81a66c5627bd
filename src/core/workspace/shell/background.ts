/** Commands of a run that go on after the call that started them. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { TriadError } from '../../base/errors.ts';
import { linkedController, Stopped } from '../../base/stop.ts';
import { textOf, wholeEnd } from './output.ts';
import { runShell, type ShellCommand, type ShellResult } from './shell-process.ts';

export interface BackgroundCommand {
  id: string;
  command: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  isRunning: boolean;
  /** As in `ShellResult`; null while it runs, and where it could not be started. */
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  timedOut: boolean;
  /** Ended before its time. */
  isStopped: boolean;
  /** Why it could not be started or followed. */
  failure: string | null;
  /** Of output so far. */
  bytes: number;
  /** Control files that were put back at its end. */
  putBack: readonly string[];
}

export interface NewOutput {
  text: string;
  /** Output right before it, which tells whether it starts within a key. */
  before: string;
  /** For the next read. */
  cursor: number;
  /** Bytes that are there beyond the cursor. */
  more: number;
  /** Bytes of output that are not kept. */
  unkept: number;
  isRunning: boolean;
}

/** How the name of the file with a command's output ends. */
export const OUTPUT = '.txt';
/** Enough for what went wrong; the output is in the file. */
const RESULT_BYTES = 2048;

/** Length of `before`: that of the longest private key. */
const BEFORE_BYTES = 20_000;

type Asked = Omit<ShellCommand, 'file' | 'signal' | 'onOutput' | 'resultBytes'>;

interface Entry {
  state: BackgroundCommand;
  file: string;
  stop: (reason: Stopped) => void;
  done: Promise<void>;
}

export class BackgroundCommands {
  readonly #folder: string;
  readonly #limit: number;
  readonly #signal: AbortSignal;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();
  #hasEnded = false;

  /** `folder`: gets the outputs, one file a command. `limit`: how many run at a time. `signal`: the run's; its abort ends them all. */
  constructor(folder: string, limit: number, signal: AbortSignal, now: () => number) {
    this.#folder = folder;
    this.#limit = limit;
    this.#signal = signal;
    this.#now = now;
  }

  /**
   * The id of the command that now starts. `earlier`: how many ids were given before the program was killed and the run
   * resumed. `ended` is called when it has ended, and resolves with the control files that were put back. Throws
   * `limit_reached` where too many run, `conflict` when the run has ended.
   */
  start(asked: Asked, earlier = 0, ended: () => Promise<readonly string[]> = () => Promise.resolve([])): string {
    if (this.#hasEnded || this.#signal.aborted)
      throw new TriadError('conflict', 'The run has ended: nothing starts any more');
    const running = this.list().filter(({ isRunning }) => isRunning).length;
    if (running >= this.#limit)
      throw new TriadError('limit_reached', `${running} commands run in the background already: end one first`);
    const id = `command-${earlier + this.#entries.size + 1}`;
    const file = join(this.#folder, `${id}${OUTPUT}`);
    const state: BackgroundCommand = {
      id,
      command: asked.command,
      startedAt: this.#now(),
      isRunning: true,
      exitCode: null,
      signal: null,
      timedOut: false,
      isStopped: false,
      failure: null,
      bytes: 0,
      putBack: [],
    };
    const { controller, unlink } = linkedController(this.#signal);
    const onOutput = (_: string, bytes: number): void => void (state.bytes = bytes);
    const done = runShell({ ...asked, file, resultBytes: RESULT_BYTES, signal: controller.signal, onOutput })
      .then((result) => Object.assign(state, endOf(result)))
      .catch((error: unknown) => void (state.failure = error instanceof Error ? error.message : String(error)))
      .then(ended)
      .then((putBack) => {
        state.putBack = putBack;
        state.isRunning = false;
        unlink();
      });
    this.#entries.set(id, { state, file, stop: (reason) => controller.abort(reason), done });
    return id;
  }

  /** In order of start. */
  list(): BackgroundCommand[] {
    return [...this.#entries.values()].map(({ state }) => ({ ...state }));
  }

  /** What came since a cursor (0: the beginning), at most so many bytes. Throws `not_found` for an unknown id. */
  async read(id: string, cursor: number, maxBytes: number): Promise<NewOutput> {
    const { state, file } = this.#entry(id);
    const { isRunning } = state;
    const start = Math.max(0, cursor - BEFORE_BYTES);
    const [{ bytes, size }, before] = await Promise.all([
      readAt(file, cursor, maxBytes),
      readAt(file, start, cursor - start),
    ]);
    // The rest of a character may be still to come, or behind the limit.
    const isLast = !isRunning && cursor + bytes.length >= size;
    const whole = isLast ? bytes : wholeEnd(bytes);
    const next = cursor + whole.length;
    const unkept = isRunning ? 0 : Math.max(0, state.bytes - size);
    return {
      text: textOf(whole),
      before: textOf(before.bytes),
      cursor: next,
      more: Math.max(0, size - next),
      unkept,
      isRunning,
    };
  }

  /** Resolves when nothing of the command is left. Throws `not_found` for an unknown id. */
  async kill(id: string): Promise<BackgroundCommand> {
    const { state, stop, done } = this.#entry(id);
    stop(new Stopped('lead', 'Ended by the agent'));
    await done;
    return { ...state };
  }

  /** To be called when the run ends: ends them all. Resolves with those that still ran, when nothing of them is left. */
  async end(): Promise<BackgroundCommand[]> {
    this.#hasEnded = true;
    const running = [...this.#entries.values()].filter(({ state }) => state.isRunning);
    for (const { stop } of running) stop(new Stopped('parent'));
    await Promise.all(running.map(({ done }) => done));
    return running.map(({ state }) => ({ ...state }));
  }

  #entry(id: string): Entry {
    const entry = this.#entries.get(id);
    if (!entry)
      throw new TriadError(
        'not_found',
        `There is no command ${id} in the background (one that ran when the program was interrupted has ended)`,
      );
    return entry;
  }
}

function endOf({ exitCode, signal, timedOut, stopped, output }: ShellResult): Partial<BackgroundCommand> {
  return { exitCode, signal, timedOut, isStopped: stopped !== null, bytes: output.bytes };
}

/** Nothing where there is no file yet. */
async function readAt(path: string, cursor: number, maxBytes: number): Promise<{ bytes: Uint8Array; size: number }> {
  const handle = await open(path, 'r').catch(() => null);
  if (!handle) return { bytes: new Uint8Array(), size: 0 };
  try {
    const { size } = await handle.stat();
    const buffer = new Uint8Array(Math.max(0, Math.min(maxBytes, size - cursor)));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, cursor);
    return { bytes: buffer.subarray(0, bytesRead), size };
  } finally {
    await handle.close();
  }
}

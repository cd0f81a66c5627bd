/** The world of a command, held in memory: what it wrote, a terminal that answers, and a Ctrl-C to press. */
import { PassThrough, Readable, type Writable } from 'node:stream';
import { tmpdir } from 'node:os';
import type { Client } from '#contract/rpc.ts';
import { main } from '#hosts/cli/program.ts';
import { brokenOutput, Interruption } from '#hosts/cli/terminal/failure.ts';
import type { Io } from '#hosts/cli/terminal/io.ts';
import { createScreen } from '#hosts/cli/terminal/screen.ts';
import { plainStyle } from '#hosts/cli/terminal/style.ts';
import type { Terminal } from '#hosts/cli/terminal/terminal.ts';

export interface MemoryIo extends Io {
  out(): string;
  err(): string;
  /** How often a runtime was opened, and whether each was closed again. */
  readonly opened: { closed: boolean }[];
  /** Presses Ctrl-C. */
  interrupt(): void;
  fail(error: Error): void;
  /** Runs a command line, and resolves with its exit code when all of its output is there. */
  run(args: readonly string[], changes?: Partial<Io>): Promise<number>;
}

export interface Setup {
  client: Client;
  terminal?: Terminal | null;
  stdin?: string | null;
  /** In the place of a standard output that takes everything. */
  stdout?: Writable;
  webRoot?: string;
  env?: Io['env'];
  /** Default: the folder for temporary files. */
  folder?: string;
}

export function memoryIo({
  client,
  terminal = null,
  stdin = null,
  stdout,
  webRoot = '/does/not/exist',
  env = {},
  folder = tmpdir(),
}: Setup): MemoryIo {
  const [out, err] = [collector(), collector()];
  const controller = new AbortController();
  const failure = new AbortController();
  const opened: { closed: boolean }[] = [];
  const io: Io = {
    env,
    webRoot,
    folder,
    stdin: stdin === null ? Object.assign(new PassThrough(), { isTTY: true }) : Readable.from([stdin]),
    screen: createScreen(stdout ?? out.stream, err.stream, {}, (error) => controller.abort(brokenOutput(error))),
    signal: controller.signal,
    openTerminal: async () => terminal,
    connect: async () => {
      const state = { closed: false };
      opened.push(state);
      const close = async () => void (state.closed = true);
      return { client, owner: true, lost: failure.signal, close };
    },
  };
  return {
    ...io,
    out: out.text,
    err: err.text,
    opened,
    interrupt: () => controller.abort(new Interruption('SIGINT')),
    fail: (error) => failure.abort(error),
    run: async (args, changes) => {
      const code = await main(args, { ...io, ...changes });
      await io.screen.flush();
      return code;
    },
  };
}

/** Runs command lines over this client, each with an output of its own. */
export function commandLine(client: Client, setup: Omit<Setup, 'client'> = {}) {
  return async (...args: string[]) => {
    const io = memoryIo({ client, ...setup });
    const code = await io.run(args);
    return { code, out: io.out(), err: io.err() };
  };
}

function collector() {
  const stream = new PassThrough();
  let text = '';
  stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { stream, text: () => text };
}

/** A person who types these lines, one for each time that one is read. */
export function typing(
  lines: (string | null)[],
  edit: Terminal['edit'] = null,
  rows = Infinity,
): Terminal & { shown(): string; dropped: readonly number[] } {
  let shown = '';
  const dropped: number[] = [];
  const ask: Terminal['ask'] = async (question, signal) => {
    signal.throwIfAborted();
    shown += question;
    const line = lines.shift();
    if (line !== undefined) return line;
    // Nobody types: only the end of the question ends the wait.
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  };
  return {
    style: plainStyle,
    write: (text) => void (shown += text),
    ask,
    askHidden: ask,
    discardTyped: async (signal) => {
      signal.throwIfAborted();
      dropped.push(shown.length);
    },
    fits: (text) => text.split('\n').length < rows,
    edit,
    editFile: null,
    close: () => undefined,
    shown: () => shown,
    dropped,
  };
}

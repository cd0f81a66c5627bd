/** The terminal that the person sits at, opened by itself so that answers never come from, or go to, a pipe. */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { ReadStream, WriteStream } from 'node:tty';
import { discardTyped } from './discard-typed.ts';
import { Interruption } from './failure.ts';
import { type Style, styleFor } from './style.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface Terminal {
  readonly style: Style;
  write(text: string): void;
  /** One line without its end; null when the terminal was closed. Rejects when the signal aborts. */
  ask(question: string, signal: AbortSignal): Promise<string | null>;
  /** Likewise, and nothing of it stands on the screen. */
  askHidden(question: string, signal: AbortSignal): Promise<string | null>;
  /**
   * Drops what was typed before all that was written stood on the screen, and goes on while somebody types: a key that was
   * pressed before a question was shown is no answer to it. Rejects when the signal aborts.
   */
  discardTyped(signal: AbortSignal): Promise<void>;
  /** Whether a text stands whole on the screen, with a line for an answer. */
  fits(text: string): boolean;
  /** The text after editing in the person's own editor; null where there is none, or it failed. */
  edit: ((text: string, signal: AbortSignal) => Promise<string | null>) | null;
  /** The same on a file itself; resolves with whether the editor ended well. */
  editFile: ((file: string, signal: AbortSignal) => Promise<boolean>) | null;
  close(): void;
}

type OnInterrupt = (signal: 'SIGINT' | 'SIGHUP') => void;

/** `onInterrupt`: while a line is read, Ctrl-C comes as a key; and a terminal that has gone answers nothing. */
export async function openTerminal(env: Environment, onInterrupt: OnInterrupt): Promise<Terminal | null> {
  const device = process.platform === 'win32' ? ['\\\\.\\CONIN$', '\\\\.\\CONOUT$'] : ['/dev/tty', '/dev/tty'];
  let fds: [number, number];
  try {
    fds = [openSync(device[0]!, 'r+'), openSync(device[1]!, 'r+')];
  } catch {
    return null;
  }
  // A tenth of a start, of which most have no terminal.
  const { default: widthOf } = await import('string-width');
  const input = new ReadStream(fds[0]);
  const output = new WriteStream(fds[1]);
  const editor = env['VISUAL'] || env['EDITOR'];
  input.on('error', () => undefined);
  output.on('error', () => undefined);
  return {
    style: styleFor(true, env),
    write: (text) => void output.write(text),
    ask: (question, signal) => readLine(input, output, question, signal, onInterrupt),
    askHidden: async (question, signal) => {
      const swallowed = new Writable({ write: (_typed, _encoding, taken) => taken() });
      // The reader ends the terminal's echo, so that a fast answer to the question is hidden too.
      const line = readLine(input, swallowed, '', signal, onInterrupt).finally(() => output.write('\n'));
      output.write(question);
      return line;
    },
    discardTyped: (signal) => discardTyped(input, output, signal, () => onInterrupt('SIGINT')),
    fits: (text) => linesOn(text, output.columns, widthOf) < output.rows,
    edit: editor && process.platform !== 'win32' ? (text, signal) => editText(editor, text, signal) : null,
    editFile: editor && process.platform !== 'win32' ? (file, signal) => runEditor(editor, file, signal) : null,
    close: () => {
      input.destroy();
      output.destroy();
    },
  };
}

function readLine(
  input: ReadStream,
  output: Writable,
  question: string,
  signal: AbortSignal,
  onInterrupt: OnInterrupt,
): Promise<string | null> {
  signal.throwIfAborted();
  let gone = input.destroyed || input.readableEnded;
  const leave = () => (gone = true);
  for (const event of ['error', 'end', 'close']) input.once(event, leave);
  const reader = createInterface({ input, output, terminal: true, historySize: 0 });
  // A terminal that hung up fails once more when the reader closes; the close itself is the answer.
  reader.on('error', () => undefined);
  return new Promise<string | null>((resolve, reject) => {
    const stop = () => {
      output.write('\n');
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', stop, { once: true });
    reader.once('close', () => {
      signal.removeEventListener('abort', stop);
      // Typed by a person, the end of the input is an answer; a terminal that was closed gives none.
      if (!gone) return resolve(null);
      onInterrupt('SIGHUP');
      reject(new Interruption('SIGHUP'));
    });
    reader.on('SIGINT', () => onInterrupt('SIGINT'));
    reader.question(question, resolve);
  }).finally(() => {
    for (const event of ['error', 'end', 'close']) input.off(event, leave);
    reader.close();
  });
}

/** Lines that a text takes on a screen of so many columns. */
function linesOn(text: string, columns: number, widthOf: (line: string) => number): number {
  return text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / Math.max(1, columns))), 0);
}

/** Runs the editor on a file of its own, on the same terminal; the engine goes on meanwhile. */
async function editText(editor: string, text: string, signal: AbortSignal): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), 'triad-'));
  const file = join(folder, 'prompt.md');
  try {
    await writeFile(file, text, { mode: 0o600 });
    if (!(await runEditor(editor, file, signal))) return null;
    return (await readFile(file, 'utf8')).replace(/\r?\n$/, '');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Resolves with whether it ended well. */
async function runEditor(editor: string, file: string, signal: AbortSignal): Promise<boolean> {
  const terminal = openSync('/dev/tty', 'r+');
  try {
    // `EDITOR` is a command line ("code --wait"), so a shell reads it; the file's name comes as its argument.
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'editor', file], {
      stdio: [terminal, terminal, terminal],
      signal,
    });
    const code = await new Promise<number | null>((resolve) => {
      child.once('error', () => resolve(null));
      child.once('close', resolve);
    });
    return code === 0;
  } finally {
    closeSync(terminal);
  }
}

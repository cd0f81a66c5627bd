/** Where a command writes: data to one stream, notes for the person to the other, in the right order on one terminal. */
import { fstatSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { redact } from '#core/base/redact.ts';
import { type Style, styleFor } from './style.ts';
import { harmless } from './visible.ts';

type Stream = Writable & { isTTY?: boolean; columns?: number; fd?: number };

export interface Screen {
  /** Data, exactly as given; small pieces leave together. */
  data(text: string): void;
  /** A line for the person. */
  note(line: string): void;
  /** Whether data goes to a terminal, where control characters would act. */
  readonly isTerminal: boolean;
  /** Cells of the data's terminal; infinite where it is none. */
  readonly width: number;
  readonly dataStyle: Style;
  readonly noteStyle: Style;
  /** Keeps everything back that would land on a terminal, while a question stands there. */
  hold(): void;
  release(): void;
  /** Characters or bytes of data that nobody has read yet. */
  readonly backlog: number;
  /** Resolves when everything has left the process, or cannot any more and that was told. */
  flush(): Promise<void>;
}

/** The data as it is for a pipe or a file; for a terminal without control characters that would command it. */
export function dataText({ isTerminal }: Screen, text: string): string {
  return isTerminal ? harmless(text) : text;
}

/** `onBroken` is told once why data cannot be written any more. */
export function createScreen(
  out: Stream,
  err: Stream,
  env: Readonly<Record<string, string | undefined>>,
  onBroken: (error: Error) => void,
): Screen {
  const streams = writersTo(out, err, onBroken);
  let held: (() => void)[] | null = null;
  const unlessHeld = (stream: Stream, write: (text: string) => void) => (text: string) => {
    if (held !== null && stream.isTTY) held.push(() => write(text));
    else write(text);
  };
  return {
    data: unlessHeld(out, streams.data),
    note: unlessHeld(err, streams.note),
    isTerminal: out.isTTY === true,
    get width() {
      return out.isTTY === true ? (out.columns ?? 80) : Infinity;
    },
    dataStyle: styleFor(out.isTTY === true, env),
    noteStyle: styleFor(err.isTTY === true, env),
    hold: () => {
      streams.send();
      held ??= [];
    },
    release: () => {
      const writes = held ?? [];
      held = null;
      for (const write of writes) write();
    },
    get backlog() {
      return out.writableLength;
    },
    flush: async () => {
      streams.send();
      await Promise.all([drained(out), drained(err)]);
      // A stream calls back before it tells its error.
      if (out.errored) streams.fail(out.errored);
    },
  };
}

function writersTo(out: Stream, err: Stream, onBroken: (error: Error) => void) {
  const together = (out.isTTY === true && err.isTTY === true) || sameFile(out, err);
  let waiting = '';
  let scheduled = false;
  let midLine = false;
  let broken = false;
  const fail = (error: Error) => {
    if (!broken) onBroken(error);
    broken = true;
  };
  out.on('error', fail);
  // Notes that cannot be written are lost: there is nowhere left to say so.
  err.on('error', () => undefined);

  const send = () => {
    scheduled = false;
    const text = waiting;
    waiting = '';
    if (text !== '' && !broken) out.write(text);
  };
  const data = (text: string) => {
    if (text === '' || broken) return;
    waiting += text;
    midLine = !text.endsWith('\n');
    if (!scheduled) setImmediate(send);
    scheduled = true;
  };
  const note = (line: string) => {
    if (out.isTTY || together) send();
    const interrupts = midLine && together;
    if (interrupts) midLine = false;
    err.write(`${interrupts ? '\n' : ''}${redact(line)}\n`);
  };
  return { send, data, note, fail };
}

/** Whether both write into one pipe or file, as after `2>&1`. */
function sameFile(out: Stream, err: Stream): boolean {
  if (out.fd === undefined || err.fd === undefined) return false;
  try {
    const [one, other] = [fstatSync(out.fd), fstatSync(err.fd)];
    // Some systems number no pipes.
    return one.ino !== 0 && one.ino === other.ino && one.dev === other.dev;
  } catch {
    return false;
  }
}

function drained(stream: Stream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || !stream.writable) return resolve();
    stream.write('', () => resolve());
  });
}

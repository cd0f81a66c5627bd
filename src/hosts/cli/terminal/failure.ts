/** Failures of commands: the exit code, and one line for the person. */
import { codeOf, TriadError } from '#core/base/errors.ts';
import { visible } from './visible.ts';

/** A fault of the command line: exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

export const EXIT = { ok: 0, failure: 1, usage: 2, interrupt: 130 } as const;

/** Exit codes of signals: 128 plus the number of the signal, as in shells. */
const SIGNAL_CODES: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** Cause of an interruption: a signal, a closed reader of the output, or an output that cannot be written. */
type Cause = NodeJS.Signals | 'EPIPE' | 'unwritable';

/** The stop of a command from outside. */
export class Interruption extends Error {
  readonly by: Cause;
  readonly exitCode: number;
  constructor(by: Cause, cause?: unknown) {
    const why = by === 'unwritable' ? `the output cannot be written (${codeOf(cause) ?? String(cause)})` : null;
    super(why ?? (by === 'EPIPE' ? 'nobody reads the output any more' : `stopped by ${by}`));
    this.name = 'Interruption';
    this.by = by;
    this.exitCode = SIGNAL_CODES[by] ?? (by === 'EPIPE' ? EXIT.interrupt : EXIT.failure);
  }
}

/** Returns the interruption for a failed write: the reader has closed the pipe, or another error. */
export function brokenOutput(error: unknown): Interruption {
  return new Interruption(codeOf(error) === 'EPIPE' ? 'EPIPE' : 'unwritable', error);
}

/** Names and ids come from the command line here, so an unknown one is bad usage. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage;
  if (error instanceof Interruption) return error.exitCode;
  if (error instanceof TriadError) {
    if (error.code === 'bad_input' || error.code === 'not_found') return EXIT.usage;
    if (error.code === 'cancelled') return EXIT.interrupt;
  }
  return EXIT.failure;
}

/** Returns true for an error of the runtime with one of these codes. */
export function hasCode(error: unknown, ...codes: TriadError['code'][]): boolean {
  return error instanceof TriadError && codes.includes(error.code);
}

/** Returns one line for the terminal, for any thrown value. */
export function lineOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return visible(text.replace(/\s*\n\s*/g, ' ').trim()) || 'failed without a reason';
}

/** Formats a message of commander about a fault of the command line as one line. */
export function faultLine(text: string): string {
  const plain = text.replace(/^error: /, '').trim();
  return `triad: ${plain.replace(/\s*\n\s*/g, ' ')}`;
}

/** How a command fails: the exit code and the one line that a person reads. */
import { codeOf, TriadError } from '#core/base/errors.ts';
import { visible } from './visible.ts';

/** What was typed does not make sense: exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

export const EXIT = { ok: 0, failure: 1, usage: 2, interrupt: 130 } as const;

/** 128 and the number of the signal, as shells say it. */
const SIGNAL_CODES: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** A signal, a reader of the output that went away, or an output that cannot be written. */
type Cause = NodeJS.Signals | 'EPIPE' | 'unwritable';

/** What stopped a command from outside. */
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

/** Why nothing can be written any more: who reads it has gone, or anything else. */
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

/** Whether the runtime failed with one of these codes. */
export function hasCode(error: unknown, ...codes: TriadError['code'][]): boolean {
  return error instanceof TriadError && codes.includes(error.code);
}

/** One line that a terminal can show, whatever was thrown. */
export function lineOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return visible(text.replace(/\s*\n\s*/g, ' ').trim()) || 'failed without a reason';
}

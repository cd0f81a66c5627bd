/** Runs one command line to its exit code; whatever fails becomes one line for the person. */
import { CommanderError } from 'commander';
import { ownVersion } from '../../version.ts';
import { EXIT, exitCodeOf, Interruption, lineOf } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { createProgram } from '../program.ts';

/** `argv` without the interpreter and the script. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  let code: number = EXIT.ok;
  try {
    const words = argv.length === 0 ? ['app'] : [...argv];
    await createProgram(io, await ownVersion(), (result) => (code = result)).parseAsync(words, {
      from: 'user',
    });
    return code;
  } catch (error) {
    // Commander has printed its own line, or the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (io.signal.reason instanceof Interruption) return io.signal.reason.exitCode;
    io.screen.note(`triad: ${lineOf(error)}`);
    return exitCodeOf(error);
  }
}

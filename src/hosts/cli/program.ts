/** The command line as a commander program. Each file of `commands/` contains the description and the code of one command. */
import { Command, CommanderError } from 'commander';
import { ownVersion } from '../version.ts';
import { addAcp } from './commands/acp.ts';
import { addAgents } from './commands/agents.ts';
import { addApp } from './commands/app.ts';
import { addBackup } from './commands/backup.ts';
import { addChanges } from './commands/changes.ts';
import { addCheck } from './commands/check.ts';
import { addComplete } from './commands/complete.ts';
import { addCompletion } from './commands/completion.ts';
import { addConfig } from './commands/config.ts';
import { addDoctor } from './commands/doctor.ts';
import { addMcp } from './commands/mcp.ts';
import { addPermissions } from './commands/permissions.ts';
import { addRestore } from './commands/restore.ts';
import { addRun } from './commands/run.ts';
import { addServe } from './commands/serve.ts';
import { addSessions } from './commands/sessions.ts';
import { addTrust } from './commands/trust.ts';
import { EXIT, exitCodeOf, faultLine, hasCode, Interruption, lineOf } from './terminal/failure.ts';
import type { Exit, Io } from './terminal/io.ts';

/**
 * Runs one command line and resolves with its exit code. Prints a failure as one line, and never rejects. `argv` excludes
 * the interpreter and the script. An empty one runs `app`.
 */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  let code: number = EXIT.ok;
  try {
    const words = argv.length === 0 ? ['app'] : [...argv];
    const program = createProgram(io, await ownVersion(), (result) => (code = result));
    await program.parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    // Commander has printed its own line, or the requested help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    const stopped = io.signal.reason instanceof Interruption ? io.signal.reason : null;
    // A failure because of a stop is not reported, except that the history could not be stored.
    if (stopped === null || hasCode(error, 'store_failed')) io.screen.note(`triad: ${lineOf(error)}`);
    return stopped?.exitCode ?? exitCodeOf(error);
  }
}

/** Creates the program, without starting or loading the code of a command. Help, completion and the reference use it too. */
export function createProgram(io: Io, version: string, exit: Exit): Command {
  const program = new Command('triad')
    .description('One lead agent works for you and starts up to three sub-agents with your approval.')
    .version(version)
    .exitOverride()
    // The help of a command shows how to use it; a list of commands shows only names.
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({
      writeOut: (text) => io.screen.data(text),
      writeErr: (text) => io.screen.note(text.trimEnd()),
      outputError: (text, write) => write(faultLine(text)),
    });
  addRun(program, io, exit);
  addAcp(program, io, exit);
  addServe(program, io, exit);
  addApp(program, io, exit);
  addAgents(program, io, exit);
  addTrust(program, io, exit);
  addSessions(program, io, exit);
  addChanges(program, io);
  addConfig(program, io, exit);
  addPermissions(program, io);
  addMcp(program, io, exit);
  addBackup(program, io, exit);
  addRestore(program, io, exit);
  addCheck(program, io, exit);
  addDoctor(program, io, exit);
  addCompletion(program, io);
  addComplete(program, io);
  return program;
}

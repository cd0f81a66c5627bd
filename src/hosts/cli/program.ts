/** The command line as a commander program; the module of a command is loaded when it is called. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { ownVersion } from '../version.ts';
import { EXIT, exitCodeOf, hasCode, Interruption, lineOf, UsageError } from './terminal/failure.ts';
import type { Io } from './terminal/io.ts';
import { approve, type Done, faultLine, json, withClient } from './program/parts.ts';
import { addAgents, addTrust } from './program/agents.ts';
import { addChanges } from './program/changes.ts';
import { addCompletion } from './program/completion.ts';
import { addMcp } from './program/mcp.ts';
import { addPermissions } from './program/permissions.ts';
import { addSessions } from './program/sessions.ts';

/**
 * Runs one command line and resolves with its exit code; prints a failure as one line, and never rejects. `argv` comes
 * without the interpreter and the script; without any word it means `app`.
 */
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
    const stopped = io.signal.reason instanceof Interruption ? io.signal.reason : null;
    // What fails because of a stop is no news; that what happened could not be kept is.
    if (stopped === null || hasCode(error, 'store_failed')) io.screen.note(`triad: ${lineOf(error)}`);
    return stopped?.exitCode ?? exitCodeOf(error);
  }
}

/** `done` gets the exit code of the command that ran. */
function createProgram(io: Io, version: string, done: Done): Command {
  const { screen } = io;
  const program = new Command('triad')
    .description('One lead agent works for you and may lead up to three others; nothing starts without your yes.')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => screen.data(text),
      writeErr: (text) => screen.note(text.trimEnd()),
      outputError: (text, write) => write(faultLine(text)),
    });
  addRun(program, io, done);
  addAcp(program, io, done);
  addServe(program, io, done);
  addAgents(group(program, 'agents', 'agent definitions'), io, done);
  addTrust(program, io, done);
  addSessions(group(program, 'sessions', 'conversations and their workflows'), io, done);
  addChanges(program, io, done);
  addConfig(program, io, done);
  addPermissions(group(program, 'permissions', 'rules and grants: what is asked about'), io, done);
  addMcp(group(program, 'mcp', 'MCP servers: what they offer, adding, signing in'), io, done);
  addBackup(program, io, done);
  addDoctor(program, io, done);
  addCompletion(program, io, done);
  return program;
}

function addRun(program: Command, io: Io, done: Done): void {
  program
    .command('run')
    .description('one workflow; prints the answer as it streams')
    .argument('[prompt]', 'what the lead should do; "-" reads it from the standard input')
    .option('--agent <name>', 'the lead of a new conversation')
    .option('--provider <name>', 'the provider that the lead asks, for this prompt')
    .option('--model <id>', 'the model of the lead, for this prompt')
    .option('--cwd <folder>', 'the folder to work in (default: this one)')
    .addOption(approve())
    .addOption(new Option('--json', 'print one event per line'))
    .option('--conversation <id>', 'go on in this conversation')
    .action(async (prompt: string | undefined, options: object) =>
      done(await (await import('./commands/run.ts')).run(io, prompt, options)),
    );
}

function addAcp(program: Command, io: Io, done: Done): void {
  program
    .command('acp')
    .description('an agent for editors that speak the Agent Client Protocol, over standard input and output')
    .action(async () => done(await (await import('./commands/acp.ts')).acp(io)));
}

function addServe(program: Command, io: Io, done: Done): void {
  program
    .command('serve')
    .description('the app in a browser on this machine; prints its URL')
    .option('--port <number>', 'the port (0: any free one)', portNumber)
    .option('--open', 'open the browser')
    .addOption(new Option('--sign-out', 'sign out all browsers, now, and serve nothing').conflicts(['port', 'open']))
    .action(async ({ signOut, ...options }: { signOut?: boolean }) => {
      const commands = await import('./commands/serve.ts');
      done(await (signOut ? commands.signOut(io) : commands.serveApp(io, options)));
    });
  program
    .command('app')
    .description('the desktop app, or the browser where there is none; also without a command')
    .action(async () => done(await (await import('./commands/serve.ts')).openApp(io)));
}

function addConfig(program: Command, io: Io, done: Done): void {
  const config = group(program, 'config', 'settings, by dotted path');
  config
    .command('get')
    .description('one setting, a group of them, or all; "*" marks those that are not the default')
    .argument('[path]', 'also agents.NAME.model, compositions.NAME.control_flow, …')
    .option('--show-origin', 'where each value comes from: a file and line, the environment, or the default')
    .addOption(json())
    .action(async (path: string | undefined, options: object) => {
      const { getSetting } = await import('./commands/config.ts');
      done(await withClient(io, (client) => getSetting(io, client, path, options)));
    });
  config
    .command('set')
    .description('change one setting; takes effect for what starts from now on')
    .argument('<path>', 'as "triad config get" shows it')
    .argument('[value]', 'without it the default comes back')
    .option('--project', 'also in the file of an agent that the project has, and you trust')
    .action(async (path: string, value: string | undefined, options: { project?: boolean }) => {
      const { setSetting } = await import('./commands/config.ts');
      done(await withClient(io, (client) => setSetting(io, client, { path, value, ...options })));
    });
  config
    .command('edit')
    .description('open a file of settings in your editor ($VISUAL, $EDITOR), and check it afterwards')
    .argument('[what]', 'agents.NAME, compositions.NAME, project or prices (default: your settings)')
    .action(async (what: string | undefined) =>
      done(await (await import('./commands/config-edit.ts')).editConfig(io, what)),
    );
  config
    .command('prices')
    .description('what each model costs, by which list, and which models in use have no price')
    .addOption(json())
    .action(async (options: object) => {
      const { showPrices } = await import('./commands/config.ts');
      done(await withClient(io, (client) => showPrices(io, client, options)));
    });
  config
    .command('key')
    .description('keep a key, from the standard input, where no file shows it')
    .argument('<of>', 'the name of a provider, web_search, telemetry (headers for the collector), or store')
    .option('--remove', 'forget it')
    .option('--user <name>', 'whose password it is (of the store)')
    .option('--token', 'it is a token (of the store)')
    .action(async (of: string, options: object) => {
      if (of === 'store') return (await import('./commands/store-login.ts')).setStoreLogin(io, options);
      const { keepKey } = await import('./commands/keys.ts');
      done(await withClient(io, (client) => keepKey(io, client, of, options)));
    });
  config
    .command('validate')
    .description('check settings, prices, agents, compositions and servers, and what they name of each other')
    .addOption(json())
    .action(async (options: object) =>
      done(await (await import('./commands/validate/validate.ts')).validateAll(io, options)),
    );
}

function addBackup(program: Command, io: Io, done: Done): void {
  program
    .command('backup')
    .description('a verified copy of the history and the sessions, also while the app runs')
    .argument('[dir]', 'a new folder (default: one in backups/ of the data folder)')
    .addOption(json())
    .action(async (folder: string | undefined, options: object) =>
      done(await (await import('./commands/backup.ts')).backUp(io, folder, options)),
    );
  program
    .command('restore')
    .description('put a backup in the place of what is there now, which is set aside')
    .argument('<dir>', 'the folder that "triad backup" printed')
    .addOption(json())
    .action(async (folder: string, options: object) =>
      done(await (await import('./commands/backup.ts')).restoreBackup(io, folder, options)),
    );
}

function addDoctor(program: Command, io: Io, done: Done): void {
  program
    .command('doctor')
    .description('what works on this machine and what does not, and what to do about it')
    .option('--full', 'look at the whole history too, and say what of it is missing')
    .addOption(json())
    .action(async (options: object) => done(await (await import('./commands/doctor/doctor.ts')).doctor(io, options)));
}

/** Commands under one word, which does nothing by itself. */
function group(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .allowExcessArguments()
    .action((_options: object, command: Command) => {
      const known = command.commands.map((one) => one.name()).join(', ');
      const [word] = command.args;
      throw new UsageError(
        `${word === undefined ? `${name} needs a command` : `unknown command '${name} ${word}'`}: ${known}`,
      );
    });
}

function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError('A port is a number from 0 to 65535.');
  return port;
}

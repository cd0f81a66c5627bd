/** The commands and their options; each one's work is loaded only when it is called. */
import { Command, InvalidArgumentError, Option } from 'commander';
import type { Client } from '#contract/rpc.ts';
import { EXIT, UsageError } from './failure.ts';
import type { Io } from './io.ts';

type Done = (code: number) => void;

/** `done` gets the exit code of the command that ran. */
export function createProgram(io: Io, version: string, done: Done): Command {
  const { screen } = io;
  const program = new Command('triad')
    .description(
      'One lead agent works for you and may lead up to three others; nothing starts without your yes.',
    )
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => screen.data(text),
      writeErr: (text) => screen.note(text.trimEnd()),
      outputError: (text, write) =>
        write(
          `triad: ${text
            .replace(/^error: /, '')
            .trim()
            .replace(/\s*\n\s*/g, ' ')}`,
        ),
    });
  addRun(program, io, done);
  addServe(program, io, done);
  addAgents(program, io, done);
  addSessions(program, io, done);
  return program;
}

const approve = () =>
  new Option('--approve <who>', 'who answers questions (default: ask with a terminal, else none)').choices([
    'ask',
    'all',
    'none',
  ]);
const json = () => new Option('--json', 'print JSON');

function addRun(program: Command, io: Io, done: Done): void {
  program
    .command('run')
    .description('one workflow; prints the answer as it streams')
    .argument('[prompt]', 'what the lead should do; "-" reads it from the standard input')
    .option('--agent <name>', 'the lead of a new conversation')
    .option('--cwd <folder>', 'the folder to work in (default: this one)')
    .addOption(approve())
    .addOption(new Option('--json', 'print one event per line'))
    .option('--conversation <id>', 'go on in this conversation')
    .action(async (prompt: string | undefined, options: object) =>
      done(await (await import('./run.ts')).run(io, prompt, options)),
    );
}

function addServe(program: Command, io: Io, done: Done): void {
  program
    .command('serve')
    .description('the app in a browser on this machine; prints its URL')
    .option('--port <number>', 'the port (0: any free one)', portNumber)
    .option('--open', 'open the browser')
    .action(async (options: object) => done(await (await import('./serve.ts')).serveApp(io, options)));
  program
    .command('app')
    .description('the desktop app, or the browser where there is none; also without a command')
    .action(async () => done(await (await import('./serve.ts')).openApp(io)));
}

function addAgents(program: Command, io: Io, done: Done): void {
  const agents = group(program, 'agents', 'agent definitions');
  agents
    .command('list')
    .description('all agents by name')
    .addOption(json())
    .action(async (options: object) => {
      const { listAgents } = await import('./agents.ts');
      done(await withRuntime(io, (client) => listAgents(io, client, options)));
    });
}

function addSessions(program: Command, io: Io, done: Done): void {
  const sessions = group(program, 'sessions', 'conversations and their workflows');
  sessions
    .command('list')
    .description('newest first')
    .option('--limit <number>', 'at most so many', positiveNumber)
    .addOption(json())
    .action(async (options: object) => {
      const { listSessions } = await import('./sessions.ts');
      done(await withRuntime(io, (client) => listSessions(io, client, options)));
    });
  sessions
    .command('show')
    .description('prompts, answers and sub-agents')
    .argument('<id>')
    .addOption(json())
    .action(async (id: string, options: object) => {
      const { showSession } = await import('./sessions.ts');
      done(await withRuntime(io, (client) => showSession(io, client, id, options)));
    });
  sessions
    .command('trace')
    .description('the tree of runs with their times, tokens, outcomes and approvals')
    .argument('<id>')
    .addOption(json())
    .action(async (id: string, options: object) => {
      const { traceSession } = await import('./sessions.ts');
      done(await withRuntime(io, (client) => traceSession(io, client, id, options)));
    });
  sessions
    .command('resume')
    .description('go on with the newest interrupted workflow')
    .argument('<id>')
    .addOption(approve())
    .addOption(new Option('--json', 'print one event per line'))
    .action(async (id: string, options: object) =>
      done(await (await import('./resume.ts')).resumeSession(io, id, options)),
    );
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

async function withRuntime(io: Io, work: (client: Client) => Promise<void>): Promise<number> {
  const { runtime, close } = await io.openRuntime({ works: false });
  try {
    await work(runtime);
    return EXIT.ok;
  } finally {
    await close();
  }
}

function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('A port is a number from 0 to 65535.');
  return port;
}

function positiveNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('This is a whole number above 0.');
  return Number(text);
}

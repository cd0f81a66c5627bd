/** The commands under `triad mcp`. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Io } from '../terminal/io.ts';
import { type Done, faultLine, json, withClient, withLink } from './parts.ts';

interface Given {
  dir?: string;
  json?: boolean;
}

const DIR = ['--dir <folder>', 'the workspace (default: this folder)'] as const;
const NAME = ['<name>', 'of the server, as "triad mcp list" shows it'] as const;

export function addMcp(mcp: Command, io: Io, done: Done): void {
  const inFolder = ({ dir, ...options }: Given) => ({ ...options, folder: resolve(io.folder, dir ?? '.') });
  addReading(mcp, io, done, inFolder);
  addWriting(mcp, io, done, inFolder);
  addSigning(mcp, io, done, inFolder);
  mcp
    .command('prompt')
    .description('a prompt that a server offers, with its arguments filled in')
    .argument(...NAME)
    .argument('<prompt>', 'as "triad mcp test" shows it')
    .argument('[arguments...]', 'KEY=VALUE for each')
    .option(...DIR)
    .action(async (name: string, prompt: string, words: string[], options: Given) => {
      const { showPrompt } = await import('../commands/mcp/prompt.ts');
      done(await withClient(io, (client) => showPrompt(io, client, { name, prompt, words }, inFolder(options))));
    });
}

type InFolder = (options: Given) => { folder: string; json?: boolean };

function addReading(mcp: Command, io: Io, done: Done, inFolder: InFolder): void {
  mcp
    .command('list')
    .description('yours and those of the folder: which can be used, and how many tools each has')
    .option(...DIR)
    .addOption(json())
    .action(async (options: Given) => {
      const { listServers } = await import('../commands/mcp/list.ts');
      done(await withClient(io, (client) => listServers(io, client, inFolder(options))));
    });
  mcp
    .command('show')
    .description('one of them: how it is set up, and all that it offers; starts nothing')
    .argument(...NAME)
    .option(...DIR)
    .addOption(json())
    .action(async (name: string, options: Given) => {
      const { showServer } = await import('../commands/mcp/list.ts');
      done(await withClient(io, (client) => showServer(io, client, name, inFolder(options))));
    });
  mcp
    .command('test')
    .description('start one, or all that can be used, and ask what they offer; exit code 1 where one does not answer')
    .argument('[name]', NAME[1])
    .option(...DIR)
    .addOption(json())
    .action(async (name: string | undefined, options: Given) => {
      const { testServers } = await import('../commands/mcp/test.ts');
      done(await withLink(io, (link) => testServers(io, link, name, inFolder(options))));
    });
  mcp
    .command('accept')
    .description('agree to tools that have changed or are new: shows them as they were and as they are')
    .argument(...NAME)
    .argument('[tools...]', 'only these (default: all that changed or are new)')
    .option(...DIR)
    .addOption(json())
    .action(async (name: string, tools: string[], options: Given) => {
      const { acceptTools } = await import('../commands/mcp/accept.ts');
      done(await withClient(io, (client) => acceptTools(io, client, { name, tools }, inFolder(options))));
    });
}

const each = (value: string, before: string[] = []) => [...before, value];

function addWriting(mcp: Command, io: Io, done: Done, inFolder: InFolder): void {
  mcp
    .command('add')
    .description('write one into your settings, and test it; it is there for all folders')
    .configureOutput({
      outputError: (text, write) => {
        const hint = text.includes('unknown option')
          ? ': what starts the server, with its options, stands behind "--"'
          : '';
        write(`${faultLine(text)}${hint}`);
      },
    })
    .usage('NAME [options] (--url URL | -- COMMAND ARGS…)')
    .argument('<name>', 'a name of your choice: letters, digits, "-" and "_"')
    .argument('[command...]', 'what starts it, behind "--"')
    .option('--url <url>', 'the address of one that runs elsewhere')
    .option('--env <K=V>', 'a variable that it gets; kept as a secret where the name says that it is one', each)
    .option('--secret <K[=V]>', 'a variable that is kept with the keys; without a value it is asked for', each)
    .option('--header <"K: V">', 'a header that is sent to the address; as with --env', each)
    .option('--cwd <folder>', 'where it runs (default: the folder of the run that uses it)')
    .option('--replace', 'in the place of one of yours with the same name')
    .option(...DIR)
    .addOption(json())
    .action(async (name: string, command: string[], options: Given) => {
      const { addServer } = await import('../commands/mcp/add.ts');
      done(await addServer(io, { ...inFolder(options), name, command }, (work) => withLink(io, work)));
    });
  mcp
    .command('remove')
    .description('take one out of your settings, with its secrets')
    .argument(...NAME)
    .option(...DIR)
    .action(async (name: string, options: Given) => {
      const { removeServer } = await import('../commands/mcp/change.ts');
      done(await withClient(io, (client) => removeServer(io, client, name, inFolder(options))));
    });
  for (const [word, enabled, description] of [
    ['enable', true, 'use one again that was switched off'],
    ['disable', false, 'keep one in your settings and start it no more'],
  ] as const)
    mcp
      .command(word)
      .description(description)
      .argument(...NAME)
      .option(...DIR)
      .addOption(json())
      .action(async (name: string, options: Given) => {
        const { enableServer } = await import('../commands/mcp/change.ts');
        done(await withClient(io, (client) => enableServer(io, client, { name, enabled }, inFolder(options))));
      });
}

function addSigning(mcp: Command, io: Io, done: Done, inFolder: InFolder): void {
  mcp
    .command('login')
    .description('sign in to one at an address: prints the URL to open, and waits')
    .argument(...NAME)
    .option(...DIR)
    .action(async (name: string, options: Given) => {
      const { logIn } = await import('../commands/mcp/sign-in.ts');
      done(await withClient(io, (client) => logIn(io, client, name, inFolder(options))));
    });
  mcp
    .command('logout')
    .description('forget what signing in gave')
    .argument(...NAME)
    .option(...DIR)
    .action(async (name: string, options: Given) => {
      const { logOut } = await import('../commands/mcp/sign-in.ts');
      done(await withClient(io, (client) => logOut(io, client, name, inFolder(options))));
    });
}

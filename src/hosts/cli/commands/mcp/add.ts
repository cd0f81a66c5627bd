/** `triad mcp add`: adds a server to the person's settings and its secrets to the key store, and tests it. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { isSecretName } from '#core/base/child-environment.ts';
import { nameKeys } from '#core/base/redact.ts';
import { withLink } from '../../follow/link.ts';
import { EXIT, faultLine, hasCode, UsageError } from '../../terminal/failure.ts';
import type { Exit, Io } from '../../terminal/io.ts';
import { readInput } from '../../terminal/read-input.ts';
import { dir, json } from '../parameters.ts';

interface Options {
  url?: string;
  env?: string[];
  secret?: string[];
  header?: string[];
  cwd?: string;
  replace?: boolean;
  dir?: string;
  json?: boolean;
}

export function addMcpAdd(mcp: Command, io: Io, exit: Exit): void {
  mcp
    .command('add')
    .description('add a server to your settings, for all folders, and test it')
    .configureOutput({
      outputError: (text, write) => {
        const hint = text.includes('unknown option')
          ? ': what starts the server, with its options, stands behind "--"'
          : '';
        write(`${faultLine(text)}${hint}`);
      },
    })
    .usage('NAME [options] (--url URL | -- COMMAND ARGS…)')
    .argument('<name>', 'name of your choice: letters, digits, "-" and "_"')
    .argument('[command...]', 'command that starts the server, after "--"')
    .option('--url <url>', 'address of a server that runs elsewhere')
    .option(
      '--env <K=V>',
      'environment variable of the server; stored with your keys if its name is that of a secret',
      collect,
    )
    .option(
      '--secret <K[=V]>',
      'environment variable that is stored with your keys; without a value, you are asked for it',
      collect,
    )
    .option(
      '--header <"K: V">',
      'HTTP header for the address; stored with your keys if its name is that of a secret',
      collect,
    )
    .option(
      '--cwd <folder>',
      'folder where the server starts (default: that of the run; for npx, uvx and docker an empty folder)',
    )
    .option('--replace', 'replace your server of the same name')
    .addOption(dir())
    .addOption(json())
    .action(async (name: string, command: string[], options: Options) =>
      exit(await addServer(io, name, command, options)),
    );
}

const collect = (value: string, values: string[] = []) => [...values, value];

/** Adds the server. Resolves with exit code 1 if it does not answer; it stays in the settings. */
async function addServer(io: Io, name: string, command: readonly string[], options: Options): Promise<number> {
  const { McpServerName } = await import('#contract/agent.ts');
  const { serverOf } = await import('./given-server.ts');
  const { testLines } = await import('../../render/mcp-text.ts');
  const { screen } = io;
  const { replace = false, json } = options;
  const folder = resolve(io.folder, options.dir ?? '.');
  const named = McpServerName.safeParse(name);
  if (!named.success) throw new UsageError(`"${name}" cannot name an MCP server: it ${named.error.issues[0]?.message}`);
  const { entry, secrets, open } = serverOf({ ...options, command }, io.folder);
  for (const secret of await findSecretArguments(command.slice(1)))
    screen.note(
      `The arguments contain a secret (${secret}): the settings store it as text, and other programs can read it. If the server reads a variable, use --secret NAME instead.`,
    );
  // Asked before anything is connected: a person may take their time.
  const answers = await readSecrets(io, open);
  return withLink(io, async (link) => {
    const all = { ...secrets, ...answers };
    await link
      .ask((client) => client.request('mcp.add', { name, entry, secrets: all, replace }))
      .catch((error: unknown) => {
        if (!hasCode(error, 'conflict')) throw error;
        throw new UsageError(
          `Your settings have an MCP server "${name}" already: --replace puts this one in its place`,
        );
      });
    const kept = Object.keys(all);
    if (kept.length > 0 && !json) screen.note(`Kept with your keys, not in the settings: ${kept.join(', ')}`);
    const test = await link.ask((client) => client.request('mcp.test', { folder, name }));
    if (json) screen.data(`${JSON.stringify(test, null, 2)}\n`);
    else for (const line of testLines(test, screen.width)) screen.data(`${line}\n`);
    if (test.error === null) return EXIT.ok;
    screen.note(
      `${name} is in your settings, but does not work yet: put it right with --replace, or try "triad mcp test ${name}"`,
    );
    return EXIT.failure;
  });
}

/** Returns the names of known keys, and of options with the name of a secret and a value, such as `--api-key=KEY`. */
async function findSecretArguments(args: readonly string[]): Promise<string[]> {
  const options = args.flatMap((arg, index) => {
    const [, name = '', value = args[index + 1] ?? ''] = /^(--?\w[\w-]*)(?:=(.*))?$/s.exec(arg) ?? [];
    const isPath = /[/\\]|\.\w{1,5}$/.test(value);
    const isValue = value !== '' && !value.startsWith('-') && !value.includes('${');
    return isValue && !isPath && isSecretName(name.replaceAll('-', '_')) ? [name] : [];
  });
  return options.length > 0 ? options : nameKeys(args.join('\n'));
}

/** Values of secrets by name: from the terminal without an echo or, where the input is none, a line of it for each. */
async function readSecrets(io: Io, names: readonly string[]): Promise<Record<string, string>> {
  if (names.length === 0) return {};
  const values = io.stdin.isTTY ? await promptSecrets(io, names) : await readPipedSecrets(io, names);
  return Object.fromEntries(
    names.map((name, index) => {
      const value = values[index] ?? '';
      if (value === '')
        throw new UsageError(`The secret ${name} is empty: give it as --secret ${name}=VALUE, or pipe it in`);
      return [name, value];
    }),
  );
}

async function readPipedSecrets({ stdin }: Io, names: readonly string[]): Promise<string[]> {
  const text = (await readInput({ stdin })).replace(/\r?\n$/, '');
  // One may have several lines, such as a certificate.
  return names.length === 1 ? [text] : text.split(/\r?\n/);
}

async function promptSecrets(io: Io, names: readonly string[]): Promise<string[]> {
  const terminal = await io.openTerminal();
  if (terminal === null) throw new UsageError('There is no terminal to ask for the secret on: pipe it in');
  const values: string[] = [];
  try {
    for (const name of names) values.push((await terminal.askHidden(`${name} (not shown): `, io.signal)) ?? '');
  } finally {
    terminal.close();
  }
  return values;
}

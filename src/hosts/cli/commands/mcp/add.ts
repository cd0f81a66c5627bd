/** `triad mcp add`: a server into the person's settings, its secrets into the key store, and a test at once. */
import { text as readText } from 'node:stream/consumers';
import { McpServerName } from '#contract/agent.ts';
import { isSecretName } from '#core/base/child-environment.ts';
import { nameKeys } from '#core/base/redact.ts';
import type { Link } from '../../follow/link.ts';
import { testLines } from '../../render/mcp-text.ts';
import { EXIT, hasCode, UsageError } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { type GivenServer, serverOf } from './given-server.ts';
import { answered } from './test.ts';

export interface AddOptions extends GivenServer {
  name: string;
  folder: string;
  replace?: boolean;
  json?: boolean;
}

/** `withLink`: runs its work with a connection. Exit code 1 where the server does not answer: it is kept. */
export async function addServer(
  io: Io,
  { name, folder, replace = false, json, ...given }: AddOptions,
  withLink: (work: (link: Link) => Promise<number>) => Promise<number>,
): Promise<number> {
  const { screen } = io;
  const named = McpServerName.safeParse(name);
  if (!named.success) throw new UsageError(`"${name}" cannot name an MCP server: it ${named.error.issues[0]?.message}`);
  const { entry, secrets, open } = serverOf(given, io.folder);
  for (const secret of await findSecretArguments(given.command.slice(1)))
    screen.note(
      `The arguments contain a secret (${secret}): the settings store it as text, and other programs can read it. If the server reads a variable, use --secret NAME instead.`,
    );
  // Asked before anything is connected: a person may take their time.
  const answers = await askedFor(io, open);
  return withLink(async (link) => {
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
    if (answered(test)) return EXIT.ok;
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
async function askedFor(io: Io, names: readonly string[]): Promise<Record<string, string>> {
  if (names.length === 0) return {};
  const values = io.stdin.isTTY ? await typed(io, names) : await piped(io, names);
  return Object.fromEntries(
    names.map((name, index) => {
      const value = values[index] ?? '';
      if (value === '')
        throw new UsageError(`The secret ${name} is empty: give it as --secret ${name}=VALUE, or pipe it in`);
      return [name, value];
    }),
  );
}

async function piped({ stdin }: Io, names: readonly string[]): Promise<string[]> {
  const text = (await readText(stdin)).replace(/\r?\n$/, '');
  // One may have several lines, such as a certificate.
  return names.length === 1 ? [text] : text.split(/\r?\n/);
}

async function typed(io: Io, names: readonly string[]): Promise<string[]> {
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

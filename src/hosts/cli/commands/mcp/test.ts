/** `triad mcp test`: starts servers, and lists what they offer. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { McpTest } from '#contract/mcp/mcp-methods.ts';
import { type Link, withLink } from '../../follow/link.ts';
import { EXIT } from '../../terminal/failure.ts';
import type { Exit, Io } from '../../terminal/io.ts';
import { dir, json, serverArgument } from '../parameters.ts';

interface Options {
  dir?: string;
  json?: boolean;
}

export function addMcpTest(mcp: Command, io: Io, exit: Exit): void {
  mcp
    .command('test')
    .description(
      'start a server, or all that can be used, and list what they offer; exit code 1 if one does not answer',
    )
    .addArgument(serverArgument('[name]'))
    .addOption(dir())
    .addOption(json())
    .action(async (name: string | undefined, options: Options) =>
      exit(await withLink(io, (link) => testServers(io, link, name, options))),
    );
}

/** Tests one server, or all that can be used in parallel. Resolves with exit code 1 if one does not answer. */
async function testServers(io: Io, link: Link, name: string | undefined, options: Options): Promise<number> {
  const { screen } = io;
  const folder = resolve(io.folder, options.dir ?? '.');
  const tests = await link.ask(async (client) => {
    const names = name === undefined ? usableNames(await client.request('mcp.list', { folder })) : [name];
    return Promise.all(names.map((one) => client.request('mcp.test', { folder, name: one })));
  });
  const { testLines } = await import('../../render/mcp-text.ts');
  if (options.json) screen.data(`${JSON.stringify(tests, null, 2)}\n`);
  else for (const line of tests.flatMap((test) => testLines(test, screen.width))) screen.data(`${line}\n`);
  if (tests.length === 0) screen.note('There is no MCP server here that can be used: see "triad mcp list"');
  return tests.every(({ error }) => error === null) ? EXIT.ok : EXIT.failure;
}

const usableNames = (servers: readonly McpTest['server'][]): string[] =>
  servers.filter(({ state }) => state === 'usable').map(({ name }) => name);

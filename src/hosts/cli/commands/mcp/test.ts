/** `triad mcp test`: servers are started and asked what they offer. */
import type { McpTest } from '#contract/mcp/mcp-methods.ts';
import { testLines } from '../../render/mcp-text.ts';
import type { Link } from '../../follow/link.ts';
import { EXIT } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import type { InFolder } from './list.ts';

/** Without a name all that can be used, at the same time. Exit code 1 where one does not answer. */
export async function testServers(
  { screen }: Io,
  link: Link,
  name: string | undefined,
  { folder, json }: InFolder,
): Promise<number> {
  const tests = await link.ask(async (client) => {
    const names = name === undefined ? usable(await client.request('mcp.list', { folder })) : [name];
    return Promise.all(names.map((one) => client.request('mcp.test', { folder, name: one })));
  });
  if (json) screen.data(`${JSON.stringify(tests, null, 2)}\n`);
  else for (const line of tests.flatMap((test) => testLines(test, screen.width))) screen.data(`${line}\n`);
  if (tests.length === 0) screen.note('There is no MCP server here that can be used: see "triad mcp list"');
  return tests.every(answered) ? EXIT.ok : EXIT.failure;
}

export const answered = ({ error }: McpTest): boolean => error === null;

const usable = (servers: readonly McpTest['server'][]): string[] =>
  servers.filter(({ state }) => state === 'usable').map(({ name }) => name);

// An MCP server on its page, mounted without a browser.
import { expect, it } from 'vitest';
import type { McpProcess, McpServerView } from '#contract/mcp/mcp-methods.ts';
import { McpFolder } from '#lib/settings/mcp/mcp-folder.svelte.ts';
import McpServer from '#lib/settings/mcp/mcp-server.svelte';
import { mountInApp, useDocument } from '../../support/dom.ts';
import { FakeConnection } from '../../support/fake-connection.ts';

useDocument();

const NOW = '2026-01-02T03:04:05.000Z';

async function mountServer(parts: Partial<McpServerView>, status: McpProcess['status'] | null = null) {
  const processRow: Omit<McpProcess, 'status'> = {
    since: NOW,
    pid: null,
    isSandboxed: true,
    users: 0,
    error: 'It ended with exit code 3',
    retryAt: NOW,
    words: null,
    log: [],
  };
  const server: McpServerView = {
    name: 'one',
    source: 'user',
    file: '/home/config.toml',
    kind: 'stdio',
    runs: 'node x',
    state: 'usable',
    fault: null,
    permissions: [],
    sampling: false,
    signIn: 'none',
    process: status === null ? null : { ...processRow, status },
    heardAt: null,
    tools: [],
    ...parts,
  };
  const connection = new FakeConnection();
  connection.status = 'closed';
  for (const method of ['mcp.accept', 'mcp.stop', 'mcp.restart', 'mcp.enable'] as const)
    connection.on(method, () => server);
  connection.on('mcp.list', () => [server]);
  const callbacks: string[] = [];
  const props = {
    servers: new McpFolder(connection, '/project'),
    server,
    onremove: () => void callbacks.push('remove'),
    ontrust: () => void callbacks.push('trust'),
  };
  const page = await mountInApp(McpServer, props, { clock: { now: Date.parse(NOW) } });
  const calls = () => connection.calls.filter(({ method }) => method !== 'mcp.list');
  return { page, calls, callbacks };
}

it('shows the failure of a server and the time of the next attempt, and starts the server', async () => {
  const { page, calls } = await mountServer({}, 'failed');
  expect(page.text).toMatch(/failed.*It ended with exit code 3\. *The next use tries it again/);
  await page.press('Start: one');
  expect(calls()).toEqual([{ method: 'mcp.restart', input: { folder: '/project', name: 'one' } }]);
});

it('shows that a server runs in the sandbox, stops it, and switches it off', async () => {
  const { page, calls } = await mountServer({}, 'ready');
  expect(page.text).toContain('in the sandbox');
  await page.press('Stop: one');
  await page.press('Switch off: one');
  expect(calls().map(({ method }) => method)).toEqual(['mcp.stop', 'mcp.enable']);
});

it('offers trust for the server of a project, and no start', async () => {
  const { page, callbacks } = await mountServer({ state: 'untrusted', source: 'project' });
  expect(page.text).toContain('not trusted');
  expect(page.buttons).toEqual(['Look at it']);
  await page.press('Look at it');
  expect(callbacks).toEqual(['trust']);
});

it('agrees only to new and changed tools, with the shown hashes', async () => {
  const tool = (name: string, state: 'known' | 'new') => ({
    name: `mcp__one__${name}`,
    tool: name,
    description: 'Reads.',
    inputSchema: {},
    permissions: [],
    hash: `hash of ${name}`,
    state,
    before: null,
    offered: true,
  });
  const { page, calls } = await mountServer({ tools: [tool('old', 'known'), tool('fresh', 'new')] }, 'ready');
  expect(page.text).toContain('1 tool is new.');
  await page.press('Agree to the changes');
  const tools = [{ tool: 'fresh', hash: 'hash of fresh' }];
  expect(calls()).toEqual([{ method: 'mcp.accept', input: { folder: '/project', name: 'one', tools } }]);
});

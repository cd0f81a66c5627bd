/** The MCP servers of a folder on the screen: always as new as the last change, and one thing at a time with each. */
import { describe, expect, it, vi } from 'vitest';
import type { McpServerView } from '#contract/mcp/mcp-methods.ts';
import { RequestError } from '#lib/words/request-error.ts';
import { McpFolder } from '#lib/settings/mcp/mcp-folder.svelte.ts';
import { FakeConnection } from '../../support/fake-connection.ts';

function serverOf(parts: Partial<McpServerView> = {}): McpServerView {
  return {
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
    process: null,
    heardAt: null,
    tools: [],
    ...parts,
  };
}

/** Lists what `now` says; each list waits for `answer`. */
function connected() {
  const connection = new FakeConnection();
  const now = { servers: [serverOf()] };
  const waiting: (() => void)[] = [];
  connection.on('mcp.list', async () => {
    const found = now.servers;
    await new Promise<void>((resolve) => waiting.push(resolve));
    return found;
  });
  const lists = (): number => connection.calls.filter(({ method }) => method === 'mcp.list').length;
  const answer = async (): Promise<void> => {
    await vi.waitFor(() => expect(waiting).not.toEqual([]));
    waiting.shift()!();
    await Promise.resolve();
  };
  return { connection, now, lists, answer };
}

describe('McpFolder', () => {
  it('lists again after a change, and only once for several changes during a load', async () => {
    const { connection, now, lists, answer } = connected();
    const folder = new McpFolder(connection, '/project');
    await answer();
    await vi.waitFor(() => expect(folder.servers).toHaveLength(1));
    const [subscription] = connection.subscriptions;
    expect(subscription).toMatchObject({ topic: 'mcp', input: { folder: '/project' } });
    subscription!.send({ changed: true });
    await vi.waitFor(() => expect(lists()).toBe(2));
    now.servers = [];
    for (let n = 0; n < 5; n += 1) subscription!.send({ changed: true });
    await answer();
    await answer();
    await vi.waitFor(() => expect(folder.servers).toEqual([]));
    expect(lists()).toBe(3);
    folder.close();
    expect(connection.subscriptions).toEqual([]);
  });

  it('runs one action at a time for each server, and keeps the reason of a failed action', async () => {
    const { connection, answer } = connected();
    const folder = new McpFolder(connection, '/project');
    await answer();
    let fail = (_error: Error): void => undefined;
    connection.on('mcp.stop', () => new Promise((_, reject) => (fail = reject)));
    const stopped = folder.stop('one');
    expect(folder.busy.get('one')).toBe('stop');
    expect(await folder.restart('one')).toBe(false);
    fail(new RequestError('not_allowed', 'It may not be used'));
    await answer();
    expect(await stopped).toBe(false);
    expect(folder.busy.size).toBe(0);
    expect(folder.failures.get('one')?.message).toBe('It may not be used');
    expect(connection.calls.map(({ method }) => method)).not.toContain('mcp.restart');
    connection.on('mcp.enable', () => serverOf());
    const enabled = folder.enable('one', true);
    await answer();
    expect(await enabled).toBe(true);
    expect(folder.failures.size).toBe(0);
    folder.close();
  });

  it('drops the sign-in address once the person has signed in', async () => {
    const { connection, now, answer } = connected();
    now.servers = [serverOf({ signIn: 'out' })];
    connection.on('mcp.login', () => ({ url: 'https://example.com/sign-in' }));
    const folder = new McpFolder(connection, '/project');
    await answer();
    const begun = folder.signIn('one');
    await answer();
    await begun;
    expect(folder.signIns.get('one')).toBe('https://example.com/sign-in');
    now.servers = [serverOf({ signIn: 'in' })];
    connection.subscriptions[0]!.send({ changed: true });
    await answer();
    await vi.waitFor(() => expect(folder.signIns.size).toBe(0));
    folder.close();
  });
});

/** Start, close and restart of a shared MCP server. The test controls its connections. */
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import type { Connection } from '#core/mcp/connection.ts';
import { McpServer } from '#core/mcp/mcp-server.ts';
import { eventually } from '../../support/eventually.ts';
import { liar, never } from './support.ts';

const IDLE_MS = 20;

/** Creates a server whose time is `clock.now`. Each function in `crashes` ends the connection with the same index. */
function createServer() {
  const clock = { now: 0 };
  const crashes: ((reason: string) => void)[] = [];
  const closedPids: number[] = [];
  const call = vi.fn<() => Promise<void>>();
  const server = new McpServer(liar(), '/', {
    connect: async ({ onEnd }) => {
      const pid = crashes.push(onEnd);
      const close = async () => void closedPids.push(pid);
      return { pid, words: null, close, call, tools: async () => [] } as unknown as Connection;
    },
    now: () => clock.now,
    idleMs: IDLE_MS,
    onChange: () => undefined,
    onRest: () => undefined,
  });
  /** Sends a request, which starts the server if it does not run. */
  const getPid = async () => {
    await server.tools(never);
    return server.state.pid;
  };
  return { server, clock, crashes, closedPids, call, getPid };
}

test('a server without users is closed after a time, unless a new use or a running request comes before', async () => {
  const { server, closedPids, call, getPid } = createServer();
  const [releaseFirst, releaseSecond] = [server.hold(), server.hold()];
  expect(await getPid()).toBe(1);
  releaseFirst();
  releaseFirst();
  await wait(3 * IDLE_MS);
  expect(closedPids).toEqual([]);
  releaseSecond();
  const releaseThird = server.hold();
  const answer = Promise.withResolvers<void>();
  call.mockReturnValue(answer.promise);
  const pendingCall = server.call('work', {}, { signal: never });
  releaseThird();
  await wait(3 * IDLE_MS);
  expect(closedPids).toEqual([]);
  answer.resolve();
  await pendingCall;
  await eventually(() => expect(closedPids).toEqual([1]));
  expect(server.state).toMatchObject({ status: 'idle', pid: null, users: 0, error: null });
  expect(await getPid()).toBe(2);
});

test('a crash soon after the start delays the next start; a later crash does not', async () => {
  const { server, clock, crashes, getPid } = createServer();
  server.hold();
  expect(await getPid()).toBe(1);
  crashes[0]!('was ended by SIGKILL');
  await expect(getPid()).rejects.toMatchObject({ code: 'unreachable' });
  clock.now = 1000;
  expect(await getPid()).toBe(2);
  clock.now = 61_000;
  crashes[1]!('was ended by SIGKILL');
  expect(server.state).toMatchObject({
    status: 'failed',
    pid: null,
    since: 61_000,
    error: 'The MCP server "liar" was ended by SIGKILL',
  });
  expect(await getPid()).toBe(3);
});

test('a restart opens a new connection at once for a used, failed or stopped server', async () => {
  const { server, crashes, closedPids, getPid } = createServer();
  server.hold();
  expect(await getPid()).toBe(1);
  await server.restart();
  expect([closedPids, await getPid()]).toEqual([[1], 2]);
  crashes[1]!('ended with exit code 3');
  await server.restart();
  expect(await getPid()).toBe(3);
  await server.stop();
  await expect(getPid()).rejects.toMatchObject({ code: 'conflict' });
  await server.restart();
  expect(await getPid()).toBe(4);
});

/** The life of a shared MCP server, with connections that the test controls. */
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Connection } from '#core/mcp/connection.ts';
import { PooledServer } from '#core/mcp/pooled-server.ts';
import { eventually } from '../../support/eventually.ts';
import { liar, never } from './support.ts';

const IDLE_MS = 20;

/** A server whose clock stands at `clock.now`; `ends` end its connections as a crash does, in the order of their starts. */
function createServer() {
  const clock = { now: 0 };
  const ends: ((reason: string) => void)[] = [];
  const closed: number[] = [];
  const server = new PooledServer(liar(), '/', {
    connect: async ({ onEnd }) => {
      const pid = ends.push(onEnd);
      return { pid, words: null, close: async () => void closed.push(pid) } as unknown as Connection;
    },
    now: () => clock.now,
    idleMs: IDLE_MS,
    onChange: () => undefined,
    onRest: () => undefined,
  });
  const getPid = () => server.with(never, async ({ pid }) => pid);
  return { server, clock, ends, closed, getPid };
}

test('a server without users is closed after a time, unless a new use or a running request comes before', async () => {
  const { server, closed, getPid } = createServer();
  const [first, second] = [server.hold(), server.hold()];
  expect(await getPid()).toBe(1);
  first();
  first();
  await wait(3 * IDLE_MS);
  expect(closed).toEqual([]);
  second();
  const third = server.hold();
  const call = Promise.withResolvers<void>();
  const calling = server.with(never, () => call.promise);
  third();
  await wait(3 * IDLE_MS);
  expect(closed).toEqual([]);
  call.resolve();
  await calling;
  await eventually(() => expect(closed).toEqual([1]));
  expect(server.state).toMatchObject({ status: 'idle', pid: null, users: 0, error: null });
  expect(await getPid()).toBe(2);
});

test('a crash soon after the start delays the next one; a crash after a long life does not', async () => {
  const { server, clock, ends, getPid } = createServer();
  server.hold();
  expect(await getPid()).toBe(1);
  ends[0]!('was ended by SIGKILL');
  await expect(getPid()).rejects.toMatchObject({ code: 'unreachable' });
  clock.now = 1000;
  expect(await getPid()).toBe(2);
  clock.now = 61_000;
  ends[1]!('was ended by SIGKILL');
  expect(server.state).toMatchObject({
    status: 'failed',
    pid: null,
    since: 61_000,
    error: 'The MCP server "liar" was ended by SIGKILL',
  });
  expect(await getPid()).toBe(3);
});

test('a restart starts a new connection at once, in use, failed or stopped', async () => {
  const { server, ends, closed, getPid } = createServer();
  server.hold();
  expect(await getPid()).toBe(1);
  await server.restart();
  expect([closed, await getPid()]).toEqual([[1], 2]);
  ends[1]!('ended with exit code 3');
  await server.restart();
  expect(await getPid()).toBe(3);
  await server.stop();
  await expect(getPid()).rejects.toMatchObject({ code: 'conflict' });
  await server.restart();
  expect(await getPid()).toBe(4);
});

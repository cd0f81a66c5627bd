/** When the process that does the work changes, tabs are sent away with the code for a restart, and served by the next. */
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import type { WebSocket } from 'ws';
import { memoryClient } from '../support/memory-client.ts';
import { openSite } from '../support/web-site.ts';

test('tabs are closed with the restart code and reconnect to the new client', async () => {
  const site = await openSite(memoryClient({ 'agents.list': () => [] }));
  onTestFinished(() => site.close());
  const browser = await site.enter();
  // What the browser opens is one of `ws`.
  const open = async () => (await browser.enter()).socket as unknown as WebSocket;
  const ask = async (socket: WebSocket): Promise<unknown> => {
    socket.send(JSON.stringify({ kind: 'request', id: 1, method: 'agents.list', input: {} }));
    const [data] = (await once(socket, 'message')) as [Buffer];
    return JSON.parse(data.toString());
  };
  const before = await open();
  expect(await ask(before)).toEqual({ kind: 'reply', id: 1, reply: { ok: true, value: [] } });

  const closed = once(before, 'close');
  site.server.use(null);
  expect((await closed)[0]).toBe(1012);
  const early = browser.socket() as unknown as WebSocket;
  const [error] = (await once(early, 'error')) as [Error];
  expect(error.message).toContain('503');

  const next = memoryClient({ 'agents.list': () => Promise.reject(new Error('of the next')) });
  site.server.use(next);
  const after = await open();
  expect(await ask(after)).toMatchObject({ reply: { ok: false, error: { code: 'internal' } } });
  expect(next.requests).toHaveLength(1);
  after.close();
});

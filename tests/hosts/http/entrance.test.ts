/** What is answered over HTTP: the app's files and nothing else, under the right name of the host, from the right origin. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { memoryClient } from '../support/memory-client.ts';
import { openSite, type Site } from '../support/web-site.ts';

let site: Site;
beforeEach(async () => {
  site = await openSite(memoryClient());
});
afterEach(() => site.close());

test('the app is there for anybody, sets no cookie and asks for none', async () => {
  for (const path of ['/', '/sign-in', '/chat/1', '/_app/immutable/entry.js']) {
    const { status, headers } = await site.get(path, { cookie: 'triad=1' });
    expect([status, headers['set-cookie']], path).toEqual([200, undefined]);
  }
});

test('a foreign host name is refused', async () => {
  const { port } = site.server;
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    '127.0.0.1',
    `127.0.0.1:${port + 1}`,
    `127.0.0.1.evil.example:${port}`,
  ]) {
    expect((await site.get('/', { host })).status, host).toBe(403);
  }
  for (const host of [`localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`]) {
    expect((await site.get('/', { host })).status, host).toBe(200);
  }
});

test('anything but reading needs our own origin, and is not offered even then', async () => {
  const origin = `http://127.0.0.1:${site.server.port}`;
  expect((await site.get('/', {}, 'POST')).status).toBe(403);
  expect((await site.get('/', { origin: 'http://evil.example' }, 'POST')).status).toBe(403);
  expect((await site.get('/', { origin: 'null' }, 'DELETE')).status).toBe(403);
  expect((await site.get('/', { origin }, 'POST')).status).toBe(405);
});

test('no other address of this machine is listened on', async () => {
  const { port, url } = site.server;
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sign-in#[\w-]{43}$/);
  const others = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  for (const { address } of others.filter(({ address }) => address !== '127.0.0.1')) {
    await expect(reach(address, port), address).rejects.toThrow();
  }
});

async function reach(host: string, port: number): Promise<void> {
  const socket = connect({ host, port });
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}

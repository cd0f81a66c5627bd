/** Who is let in: the holder of the one-time URL, under the right name of the host, from the right origin. */
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

test('the printed URL sets a cookie that scripts and other sites cannot use, and leads to the app', async () => {
  const path = site.server.url.slice(site.server.url.indexOf('/?'));
  const entry = await site.get(path);
  expect(entry.status).toBe(303);
  expect(entry.headers.location).toBe('/');
  expect(entry.headers['set-cookie']?.[0]).toMatch(/^triad_session_\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
  const cookie = entry.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const page = await site.get('/', { cookie });
  expect([page.status, page.text.includes('the app')]).toEqual([200, true]);
});

test('the token works once; the browser that used it may come back with it', async () => {
  const path = site.server.url.slice(site.server.url.indexOf('/?'));
  const cookie = await site.enter();
  const stranger = await site.get(path);
  expect(stranger.status).toBe(401);
  expect(stranger.headers['set-cookie']).toBeUndefined();
  const again = await site.get(path, { cookie });
  expect([again.status, again.headers['set-cookie']]).toEqual([303, undefined]);
});

test('a HEAD request of a link preview does not spend the token', async () => {
  const path = site.server.url.slice(site.server.url.indexOf('/?'));
  expect((await site.get(path, {}, 'HEAD')).status).toBe(401);
  expect((await site.get(path)).status).toBe(303);
});

test('without the cookie, or with a wrong one, nothing is served but the way in', async () => {
  const cookie = await site.enter();
  for (const wrong of [undefined, `${cookie}x`, cookie.replace('=', '=x'), 'triad_session_1=x']) {
    const answer = await site.get('/_app/immutable/entry.js', wrong === undefined ? {} : { cookie: wrong });
    expect(answer.status).toBe(401);
    expect(answer.text).toContain('printed in its terminal');
    expect(answer.text).not.toContain('export');
  }
});

test('a foreign host name is refused, with the cookie too', async () => {
  const cookie = await site.enter();
  const { port } = site.server;
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    '127.0.0.1',
    `127.0.0.1:${port + 1}`,
    `127.0.0.1.evil.example:${port}`,
  ]) {
    expect((await site.get('/', { host, cookie })).status, host).toBe(403);
  }
  for (const host of [`localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`]) {
    expect((await site.get('/', { host, cookie })).status, host).toBe(200);
  }
});

test('anything but reading needs our own origin, and is not offered even then', async () => {
  const cookie = await site.enter();
  const origin = `http://127.0.0.1:${site.server.port}`;
  expect((await site.get('/', { cookie }, 'POST')).status).toBe(403);
  expect((await site.get('/', { cookie, origin: 'http://evil.example' }, 'POST')).status).toBe(403);
  expect((await site.get('/', { cookie, origin: 'null' }, 'DELETE')).status).toBe(403);
  expect((await site.get('/', { cookie, origin }, 'POST')).status).toBe(405);
});

test('no other address of this machine is listened on', async () => {
  const { port, url } = site.server;
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}$/);
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

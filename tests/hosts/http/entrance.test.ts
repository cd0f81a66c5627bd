/** What is answered over HTTP: the app's files and nothing else, under the right name of the host, from the right origin. */
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { memoryClient } from '../support/memory-client.ts';
import { readAppOrigin, TestBrowser } from '../../support/test-browser.ts';
import { openSite, type Site } from '../support/web-site.ts';

let site: Site;
beforeEach(async () => {
  site = await openSite(memoryClient());
});
afterEach(() => site.close());

test('serves the app to every browser, without cookies', async () => {
  for (const path of ['/', '/sign-in', '/sign-in/clear', '/chat/1', '/_app/immutable/entry.js']) {
    const { status, headers } = await site.get(path, { cookie: 'triad=1' });
    expect([status, headers['set-cookie'], headers['clear-site-data']], path).toEqual([200, undefined, undefined]);
  }
});

test('rejects a foreign host name', async () => {
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

test('rejects every method except reading, also from its own origin', async () => {
  const origin = `http://127.0.0.1:${site.server.port}`;
  expect((await site.get('/', {}, 'POST')).status).toBe(403);
  expect((await site.get('/', { origin: 'http://evil.example' }, 'POST')).status).toBe(403);
  expect((await site.get('/', { origin: 'null' }, 'DELETE')).status).toBe(403);
  expect((await site.get('/', { origin }, 'POST')).status).toBe(405);
});

test('listens on loopback addresses only, and fails if another program uses the port on one of them', async () => {
  const { port, url } = site.server;
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sign-in#[\w-]{43}$/);
  const others = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  for (const { address } of others.filter(({ internal }) => !internal)) {
    await expect(reach(address, port), address).rejects.toThrow();
  }
  const hasIpv6 = others.some(({ address }) => address === '::1');
  if (!hasIpv6) return;
  await reach('::1', port);
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '::1', resolve));
  const taken = (other.address() as AddressInfo).port;
  await expect(openSite(memoryClient(), { port: taken })).rejects.toThrow(`Port ${taken} is in use`);
  other.close();
});

test('serves the app at its own random host name, and at no other name below localhost', async () => {
  const named = await openSite(memoryClient(), { label: '0123456789abcdef0123' });
  const { port, origin, url } = named.server;
  expect(origin).toBe(`http://0123456789abcdef0123.localhost:${port}`);
  for (const host of [new URL(origin).host, `127.0.0.1:${port}`, `localhost:${port}`])
    expect((await named.get('/', { host })).status, host).toBe(200);
  for (const host of ['0123456789abcdef0124.localhost', 'x.0123456789abcdef0123.localhost', 'x.localhost'])
    expect((await named.get('/', { host: `${host}:${port}` })).status, host).toBe(403);
  const signIn = new URL(url);
  expect(signIn.host).toMatch(new RegExp(`^[0-9a-f]{20}\\.${new URL(origin).host}$`));
  expect(await readAppOrigin(url)).toBe(origin);
  // No other path, and no socket, at the host of the sign-in page.
  expect((await named.get('/', { host: signIn.host })).status).toBe(404);
  expect((await new TestBrowser(signIn.origin).enter(signIn.hash.slice(1))).refusal).toBeNull();
  const browser = await TestBrowser.signedIn(url);
  expect(browser.origin).toBe(origin);
  expect((await browser.enter()).refusal).toBeUndefined();
  await named.close();
});

test('clears a browser for the sign-in page only, until the token is used', async () => {
  const { url } = site.server;
  const { origin } = new URL(url);
  const clearing = async (from: string) => {
    const { headers } = await site.get('/sign-in/clear', { origin: from });
    return headers['clear-site-data'];
  };
  expect(await clearing(origin)).toBe('"storage", "cache"');
  for (const other of [site.server.origin, 'null', 'http://evil.example', `${origin}0`])
    expect(await clearing(other), other).toBeUndefined();
  await TestBrowser.signedIn(url);
  expect(await clearing(origin)).toBeUndefined();
  expect((await site.get('/sign-in/clear', { origin })).headers['access-control-allow-origin']).toBe(origin);
});

test('clears no browser at a host name where browsers have signed in', async () => {
  const label = '0123456789abcdef0123';
  const clearing = async (at: Site) => {
    const { origin } = new URL(at.server.url);
    const { host } = new URL(at.server.origin);
    return (await at.get('/sign-in/clear', { host, origin })).headers['clear-site-data'];
  };
  const first = await openSite(memoryClient(), { label });
  const { port } = first.server;
  expect(await clearing(first)).toBe('"storage", "cache"');
  await first.enter();
  const data = await mkdtemp(join(tmpdir(), 'triad-browsers-'));
  await cp(first.data, data, { recursive: true });
  await first.close();

  const again = await openSite(memoryClient(), { label, port, data });
  expect(await clearing(again)).toBeUndefined();
  await again.close();
  // Another program can have served an address without a random name in between.
  const plain = await openSite(memoryClient(), { port, data });
  await plain.enter();
  await plain.close();
  const plainAgain = await openSite(memoryClient(), { port, data });
  expect(await clearing(plainAgain)).toBe('"storage", "cache"');
  await plainAgain.close();
  await rm(data, { recursive: true });
});

async function reach(host: string, port: number): Promise<void> {
  const socket = connect({ host, port });
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}

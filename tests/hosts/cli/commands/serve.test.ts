/** `triad serve` and `triad` alone: one URL on stdout, and an end when it is asked for. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TriadError } from '#core/base/errors.ts';
import { main } from '#hosts/cli/program.ts';
import { browserCommand } from '#hosts/http/open-browser.ts';
import { TestBrowser } from '../../../support/test-browser.ts';
import { memoryClient } from '../../support/memory-client.ts';
import { type MemoryIo, memoryIo } from '../../support/memory-io.ts';

const URL_LINE = /^http:\/\/127\.0\.0\.1:(\d+)\/sign-in#[\w-]{43}\n$/;
let webRoot: string;
let env: Record<string, string>;
beforeAll(async () => {
  webRoot = await mkdtemp(join(tmpdir(), 'triad-build-'));
  await writeFile(join(webRoot, 'index.html'), '<html></html>');
  env = { TRIAD_HOME: join(webRoot, 'home') };
});
afterAll(() => rm(webRoot, { recursive: true }));

async function stopped(io: MemoryIo, running: Promise<number>): Promise<number> {
  await expect.poll(() => io.out()).toMatch(URL_LINE);
  io.interrupt();
  return running;
}

test('stdout has the URL only; Ctrl-C ends it and closes everything', async () => {
  const io = memoryIo({ client: memoryClient(), webRoot, env });
  const running = main(['serve', '--port', '0', '--open'], io);
  await expect.poll(() => io.out()).toMatch(URL_LINE);
  expect((await fetch(io.out().trim())).status).toBe(200);
  expect(await stopped(io, running)).toBe(130);
  expect(io.opened).toEqual([{ closed: true }]);
  await expect(fetch(io.out().trim())).rejects.toThrow('fetch failed');
});

test('signing out needs no program that serves, ends the tabs of one that does, and says how many', async () => {
  const idle = memoryIo({ client: memoryClient(), env });
  expect(await main(['serve', '--sign-out'], idle)).toBe(0);
  await expect.poll(() => idle.out()).toMatch(/^No browser was signed in\. /);
  const io = memoryIo({ client: memoryClient(), webRoot, env });
  const running = main(['serve', '--port', '0'], io);
  await expect.poll(() => io.out()).toMatch(URL_LINE);
  const browser = await TestBrowser.signedIn(io.out().trim());
  const { socket } = await browser.enter();
  const closed = new Promise((resolve) => socket.addEventListener('close', resolve, { once: true }));
  const other = memoryIo({ client: memoryClient(), env });
  expect(await main(['serve', '--sign-out'], other)).toBe(0);
  await expect.poll(() => other.out()).toMatch(/^1 browser signed out\. /);
  expect(other.opened).toEqual([]);
  await closed;
  expect((await browser.enter()).refusal).toBe('stranger');
  expect(await stopped(io, running)).toBe(130);
});

test('a port in use is one clear line and exit code 1; without a wish another port is taken', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const io = memoryIo({ client: memoryClient(), webRoot, env });
  expect(await main(['serve', '--port', String(port)], io)).toBe(1);
  await expect.poll(() => io.err()).toBe(`triad: Port ${port} is in use: choose another with --port\n`);
  expect([io.out(), io.opened]).toEqual(['', [{ closed: true }]]);
  other.close();
});

test('two without a port run beside each other', async () => {
  const [one, two] = [
    memoryIo({ client: memoryClient(), webRoot, env }),
    memoryIo({ client: memoryClient(), webRoot, env }),
  ];
  const first = main(['serve'], one);
  await expect.poll(() => one.out()).toMatch(URL_LINE);
  const second = main(['serve'], two);
  await expect.poll(() => two.out()).toMatch(URL_LINE);
  expect(URL_LINE.exec(one.out())?.[1]).not.toBe(URL_LINE.exec(two.out())?.[1]);
  expect([await stopped(one, first), await stopped(two, second)]).toEqual([130, 130]);
});

test('without a command it says why there is no desktop, in one line, and serves', async () => {
  // A machine that has a runtime must not open it here.
  const noDesktop = { ...env, ELECTRON_OVERRIDE_DIST_PATH: '/does/not/exist' };
  const io = memoryIo({ client: memoryClient(), webRoot, env: noDesktop });
  expect(await stopped(io, main([], io))).toBe(130);
  expect(io.err()).toMatch(/^No desktop runtime here: .*; serving to the browser\.\n/);
});

test('an app that was not built is said so', async () => {
  const io = memoryIo({ client: memoryClient(), env });
  expect(await main(['serve', '--port', '0'], io)).toBe(1);
  await expect.poll(() => io.err()).toBe('triad: The app is not built: run "npm run build" first\n');
});

test('a history that cannot be written ends it with the reason', async () => {
  const io = memoryIo({ client: memoryClient(), webRoot, env });
  const running = main(['serve', '--port', '0'], io);
  await expect.poll(() => io.out()).toMatch(URL_LINE);
  io.fail(new TriadError('store_failed', 'The disk is full'));
  expect(await running).toBe(1);
  await expect.poll(() => io.err()).toContain('triad: The disk is full\n');
});

test('a browser is opened where there is a screen', () => {
  expect(browserCommand('http://x', {}, 'linux')).toBeNull();
  expect(browserCommand('http://x', { WAYLAND_DISPLAY: 'wayland-0' }, 'linux')).toEqual(['xdg-open', 'http://x']);
  expect(browserCommand('http://x', { DISPLAY: ':0' }, 'linux')).toEqual(['xdg-open', 'http://x']);
  expect(browserCommand('http://x', {}, 'darwin')).toEqual(['open', 'http://x']);
  expect(browserCommand('http://x', {}, 'win32')).toEqual(['cmd', '/c', 'start', '', 'http://x']);
});

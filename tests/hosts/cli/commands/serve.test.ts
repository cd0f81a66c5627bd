/** `triad serve` and `triad` alone: one URL on stdout, and an end when it is asked for. */
import { access, chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { promises as dns } from 'node:dns';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { TriadError } from '#core/base/errors.ts';
import { browserCommand, openBrowser } from '#hosts/http/open-browser.ts';
import { eventually } from '../../../support/eventually.ts';
import { readAppOrigin, TestBrowser } from '../../../support/test-browser.ts';
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
// Independent of the resolver of this system.
beforeEach(() => resolveLocalNames());

async function stopped(io: MemoryIo, running: Promise<number>): Promise<number> {
  await expect.poll(() => io.out()).toMatch(URL_LINE);
  io.interrupt();
  return running;
}

test('prints only the URL to stdout, and Ctrl-C closes everything', async () => {
  const io = memoryIo({ client: memoryClient(), webRoot, env });
  const running = io.run(['serve', '--port', '0']);
  await expect.poll(() => io.out()).toMatch(URL_LINE);
  expect((await fetch(io.out().trim())).status).toBe(200);
  expect(await stopped(io, running)).toBe(130);
  expect(io.opened).toEqual([{ closed: true }]);
  await expect(fetch(io.out().trim())).rejects.toThrow('fetch failed');
});

test.runIf(process.platform === 'linux')('reports in one line that no browser can be opened', async () => {
  const io = memoryIo({ client: memoryClient(), webRoot, env });
  const running = io.run(['serve', '--port', '0', '--open']);
  await expect.poll(() => io.err()).toContain('\nNo browser was opened here: open the URL above in one.\n');
  expect(await stopped(io, running)).toBe(130);
});

test('--sign-out works without a server, signs out the browsers of a running one, and prints how many', async () => {
  const idle = memoryIo({ client: memoryClient(), env });
  expect(await idle.run(['serve', '--sign-out'])).toBe(0);
  await expect.poll(() => idle.out()).toMatch(/^No browser was signed in\. /);
  const io = memoryIo({ client: memoryClient(), webRoot, env });
  const running = io.run(['serve', '--port', '0']);
  await expect.poll(() => io.out()).toMatch(URL_LINE);
  const browser = await TestBrowser.signedIn(io.out().trim());
  const { socket } = await browser.enter();
  const closed = new Promise((resolve) => socket.addEventListener('close', resolve, { once: true }));
  const other = memoryIo({ client: memoryClient(), env });
  expect(await other.run(['serve', '--sign-out'])).toBe(0);
  await expect.poll(() => other.out()).toMatch(/^1 browser signed out\. /);
  expect(other.opened).toEqual([]);
  await closed;
  expect((await browser.enter()).refusal).toBe('stranger');
  expect(await stopped(io, running)).toBe(130);
});

test('rejects a given port that is in use in one clear line with exit code 1', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const io = memoryIo({ client: memoryClient(), webRoot, env });
  expect(await io.run(['serve', '--port', String(port)])).toBe(1);
  await expect.poll(() => io.err()).toBe(`triad: Port ${port} is in use: choose another with --port\n`);
  expect([io.out(), io.opened]).toEqual(['', [{ closed: true }]]);
  other.close();
});

test('two servers without a given port run beside each other', async () => {
  const [one, two] = [
    memoryIo({ client: memoryClient(), webRoot, env }),
    memoryIo({ client: memoryClient(), webRoot, env }),
  ];
  const first = one.run(['serve']);
  await expect.poll(() => one.out()).toMatch(URL_LINE);
  const second = two.run(['serve']);
  await expect.poll(() => two.out()).toMatch(URL_LINE);
  expect(URL_LINE.exec(one.out())?.[1]).not.toBe(URL_LINE.exec(two.out())?.[1]);
  expect([await stopped(one, first), await stopped(two, second)]).toEqual([130, 130]);
});

/** Makes the system's resolver return these addresses for names below `localhost`, for one test. */
function resolveLocalNames(...addresses: string[]): void {
  const { lookup } = dns;
  onTestFinished(() => void Object.assign(dns, { lookup }));
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  Object.assign(dns, { lookup: () => (found.length > 0 ? Promise.resolve(found) : Promise.reject(new Error('none'))) });
}

/** Starts `triad serve` and stops it; resolves with the origin of the app and what it wrote. */
async function serveOnce(home: string, ...words: string[]): Promise<{ origin: string; notes: string }> {
  const io = memoryIo({ client: memoryClient(), webRoot, env: { TRIAD_HOME: home } });
  const running = io.run(['serve', ...words]);
  await expect.poll(() => io.out()).toContain('/sign-in#');
  const origin = await readAppOrigin(io.out().trim());
  io.interrupt();
  expect(await running).toBe(130);
  return { origin, notes: io.err() };
}

const newHome = () => mkdtemp(join(webRoot, 'home-'));

test('serves at a stored random name where the system resolves such names to loopback addresses only', async () => {
  const home = await newHome();
  resolveLocalNames('127.0.0.1', '::1');
  const first = await serveOnce(home, '--port', '0');
  expect(first.origin).toMatch(/^http:\/\/[0-9a-f]{20}\.localhost:\d+$/);
  const label = new URL(first.origin).hostname;
  expect(first.notes).toContain(`A browser that is signed in opens ${first.origin}\n`);
  expect(new URL((await serveOnce(home, '--port', '0')).origin).hostname).toBe(label);
  expect(new URL((await serveOnce(await newHome(), '--port', '0')).origin).hostname).not.toBe(label);
  const file = join(home, 'browsers', 'origin.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  for (const addresses of [['127.0.0.1', '10.0.0.1'], ['192.0.2.1'], []]) {
    resolveLocalNames(...addresses);
    const { origin } = await serveOnce(home, '--port', '0');
    expect(new URL(origin).hostname, String(addresses)).toBe('127.0.0.1');
  }
});

test('serves 127.0.0.1 at a stored random port, and at another one if that is in use', async () => {
  resolveLocalNames();
  const home = await newHome();
  const { origin } = await serveOnce(home);
  expect((await serveOnce(home)).origin).toBe(origin);
  const port = Number(new URL(origin).port);
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
  const moved = await serveOnce(home);
  other.close();
  expect(moved.origin).not.toBe(origin);
  expect(moved.notes).toContain(`Port ${port} is in use, perhaps by another "triad serve"`);
  expect(moved.notes).toContain(`: Triad uses port ${new URL(moved.origin).port}, `);
  expect((await serveOnce(home)).origin, 'the port that another program had is not used again').toBe(moved.origin);
});

test.runIf(process.getuid !== undefined)('refuses a stored origin that other users may write', async () => {
  resolveLocalNames();
  const home = await newHome();
  await serveOnce(home);
  await chmod(join(home, 'browsers', 'origin.json'), 0o666);
  const io = memoryIo({ client: memoryClient(), webRoot, env: { TRIAD_HOME: home } });
  expect(await io.run(['serve'])).toBe(1);
  await expect.poll(() => io.err()).toContain('Others may write');
});

test('without a command, reports in one line why there is no desktop, and serves', async () => {
  // A machine that has a runtime must not open it here.
  const noDesktop = { ...env, ELECTRON_OVERRIDE_DIST_PATH: '/does/not/exist' };
  const io = memoryIo({ client: memoryClient(), webRoot, env: noDesktop });
  expect(await stopped(io, io.run([]))).toBe(130);
  expect(io.err()).toMatch(/^No desktop runtime here: .*; serving to the browser\.\n/);
});

test('reports that the app is not built', async () => {
  const io = memoryIo({ client: memoryClient(), env });
  expect(await io.run(['serve', '--port', '0'])).toBe(1);
  await expect.poll(() => io.err()).toBe('triad: The app is not built: run "npm run build" first\n');
});

test('prints when the disk is full and when the work continues, and goes on serving', async () => {
  const client = memoryClient();
  const io = memoryIo({ client, webRoot, env });
  const running = io.run(['serve', '--port', '0']);
  await expect.poll(() => client.subscribers.map(({ topic }) => topic)).toContain('attention');
  const none = { questions: [], asleep: [], running: [] };
  const diskFull = { code: 'store_unwritable' as const, message: 'The disk of /data is full: free some space' };
  for (const state of [none, { ...none, diskFull }, { ...none, diskFull }, none]) client.emit('attention', state);
  expect(
    io
      .err()
      .split('\n')
      .filter((line) => line.startsWith('triad:')),
  ).toEqual([
    'triad: The disk of /data is full: free some space.',
    'triad: There is space again, and the work continues.',
  ]);
  expect(await stopped(io, running)).toBe(130);
});

test('a history that cannot be written ends the server with the reason', async () => {
  const io = memoryIo({ client: memoryClient(), webRoot, env });
  const running = io.run(['serve', '--port', '0']);
  await expect.poll(() => io.out()).toMatch(URL_LINE);
  io.fail(new TriadError('store_failed', 'The disk is full'));
  expect(await running).toBe(1);
  await expect.poll(() => io.err()).toContain('triad: The disk is full\n');
});

test('continues with its own runtime when the owner exits', async () => {
  const io = memoryIo({ client: memoryClient(), webRoot, env });
  const loss = new AbortController();
  const connections = [{ owner: false, lost: loss.signal }];
  const connect: typeof io.connect = async (options) => ({ ...(await io.connect(options)), ...connections.shift() });
  const exitCode = io.run(['serve', '--port', '0'], { connect });
  await expect.poll(() => io.out()).toMatch(URL_LINE);
  loss.abort(new TriadError('disconnected', 'The owner has ended'));
  await expect.poll(() => io.err()).toContain('The owner has ended: this one does it now.\n');
  expect(await stopped(io, exitCode)).toBe(130);
  expect(io.opened).toEqual([{ closed: true }, { closed: true }]);
});

test('opens a browser only where a screen is available', () => {
  expect(browserCommand('/x', {}, 'linux')).toBeNull();
  expect(browserCommand('/x', { WAYLAND_DISPLAY: 'wayland-0' }, 'linux')).toEqual(['xdg-open', '/x']);
  expect(browserCommand('/x', { DISPLAY: ':0' }, 'linux')).toEqual(['xdg-open', '/x']);
  expect(browserCommand('/x', {}, 'darwin')).toEqual(['open', '/x']);
  expect(browserCommand('/x', {}, 'win32')).toEqual(['rundll32', 'url.dll,FileProtocolHandler', '/x']);
});

/** A program in the place of the browser, which waits: what others can see of it is written down by the test. */
async function withBrowser(): Promise<MemoryIo & { file: () => Promise<string>; pid: () => Promise<string> }> {
  const bin = await mkdtemp(join(tmpdir(), 'triad-browser-'));
  const note = join(bin, 'note');
  const script = `#!/bin/sh\nprintf '%s\\n%s' "$$" "$1" > ${note}.new; mv ${note}.new ${note}; while :; do sleep 1; done\n`;
  await writeFile(join(bin, 'xdg-open'), script, { mode: 0o755 });
  const secrets = {
    ANTHROPIC_API_KEY: 'sk-secret',
    TRIAD_X: 'sk-secret',
    GITHUB_TOKEN: 'sk-secret',
    MY_PASSWORD: 'sk-secret',
  };
  const display = { DISPLAY: ':0', LANG: 'C.UTF-8', PATH: `${bin}:${process.env['PATH']}` };
  const missing = { ELECTRON_OVERRIDE_DIST_PATH: '/does/not/exist' };
  const home = { TRIAD_HOME: join(bin, 'home') };
  const io = memoryIo({ client: memoryClient(), webRoot, env: { ...secrets, ...display, ...missing, ...home } });
  const told = async () => (await eventually(() => readFile(note, 'utf8'))).split('\n');
  const pid = async () => (await told())[0] ?? '';
  onTestFinished(async () => {
    process.kill(Number(await pid()), 'SIGKILL');
    await rm(bin, { recursive: true, force: true });
  });
  return { ...io, pid, file: async () => (await told())[1] ?? '' };
}

const gone = (path: string) =>
  access(path).then(
    () => false,
    () => true,
  );

test.runIf(process.platform === 'linux').each([['serve', '--open', '--port', '0'], ['app']])(
  'gives the browser a private file, and shows the token to no other process: %s',
  async (...words) => {
    const io = await withBrowser();
    const running = io.run(words);
    const file = await io.file();
    await expect.poll(() => io.out()).toMatch(URL_LINE);
    const url = io.out().trim();
    const token = new URL(url).hash.slice(1);
    expect(await readFile(file, 'utf8')).toContain(`content="0; url=${url}"`);
    expect([(await stat(file)).mode & 0o777, (await stat(dirname(file))).mode & 0o777]).toEqual([0o600, 0o700]);
    // What every user of this machine can read of every process.
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
    expect(lines.filter((line) => line.includes(file)).length, 'they are seen').toBeGreaterThan(0);
    expect(lines.filter((line) => line.includes(token))).toEqual([]);
    const environment = await readFile(`/proc/${await io.pid()}/environ`, 'utf8');
    expect(environment).toContain('LANG=C.UTF-8');
    expect(environment).not.toContain('sk-secret');
    await TestBrowser.signedIn(url);
    await expect.poll(() => gone(file)).toBe(true);
    expect(await stopped(io, running)).toBe(130);
  },
);

test.runIf(process.platform === 'linux')(
  'removes the file of the browser at the end, and where no browser can start',
  async () => {
    const io = await withBrowser();
    const running = io.run(['serve', '--open', '--port', '0']);
    const file = await io.file();
    expect(await stopped(io, running)).toBe(130);
    expect(await gone(file)).toBe(true);
    const served = { url: 'http://127.0.0.1:1/', port: 1, signedIn: Promise.withResolvers<void>().promise };
    expect(await openBrowser(served, webRoot, { DISPLAY: ':0', PATH: '/does/not/exist' })).toBeNull();
    expect(await readdir(join(webRoot, 'open'))).toEqual([]);
  },
);

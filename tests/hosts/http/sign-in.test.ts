/** How a browser gets in, and every way that was tried to get in without its key. */
import type { webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { chmod, readdir, stat, utimes } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { WebSocket } from 'ws';
import { type Entry, ENTRY_CLOSE, statement } from '#contract/entry.ts';
import { TestBrowser } from '../../support/test-browser.ts';
import { type MemoryClient, memoryClient } from '../support/memory-client.ts';
import { openSite, type Site } from '../support/web-site.ts';

let client: MemoryClient;
let site: Site;
beforeEach(async () => {
  client = memoryClient({ 'agents.list': () => [] });
  site = await open();
});

async function open(options: Parameters<typeof openSite>[1] = {}): Promise<Site> {
  const opened = await openSite(client, options);
  onTestFinished(() => opened.close());
  return opened;
}

const getOrigin = ({ server }: Site) => server.origin;
const tokenOf = ({ server }: Site) => new URL(server.url).hash.slice(1);
const ASK = { kind: 'request', id: 1, method: 'agents.list', input: {} };

/** A socket on which the test says what it likes after the challenge; `code` is that of its close. */
async function stranger(at: Site) {
  // What the browser opens is one of `ws`.
  const socket = new TestBrowser(getOrigin(at)).socket() as unknown as WebSocket;
  const [data] = (await once(socket, 'message')) as [Buffer];
  const { nonce } = JSON.parse(data.toString()) as { nonce: string };
  const code = (once(socket, 'close') as Promise<[number]>).then(([closed]) => closed);
  const say = (...frames: unknown[]) => {
    for (const frame of frames) socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
    return code;
  };
  return { socket, nonce, say, code };
}

/** What the browser's page would answer to this nonce, were it at `origin`. */
async function proofFor(browser: TestBrowser, nonce: string, kind: Entry['kind'] = 'enter', origin = browser.origin) {
  const key = (await browser.keys.current()) ?? (await browser.keys.staged());
  if (key === null) throw new Error('The browser has no key');
  // The type of the page's library, which tests of the hosts are checked without.
  const privateKey = key.privateKey as webcrypto.CryptoKey;
  const signing = { name: 'ECDSA', hash: 'SHA-256' };
  const signature = await crypto.subtle.sign(signing, privateKey, statement(kind, origin, nonce));
  return { kind, key: key.publicKey, signature: Buffer.from(signature).toString('base64url') };
}

const closeOf = (socket: EventTarget) =>
  new Promise<number>((resolve) => {
    socket.addEventListener('close', (event) => resolve((event as CloseEvent).code), { once: true });
  });

test('the printed URL signs a browser in; its key opens every later tab, also after a restart', async () => {
  const browser = await TestBrowser.signedIn(site.server.url);
  expect((await browser.enter()).refusal).toBeUndefined();
  await site.server.close();
  const again = await open({ data: site.data, port: site.server.port });
  expect(getOrigin(again)).toBe(browser.origin);
  expect((await browser.enter()).refusal).toBeUndefined();
});

test('the token works once, and a guessed token is rejected', async () => {
  const { origin } = site.server;
  expect((await new TestBrowser(origin).enter('x'.repeat(43))).refusal).toBe('token');
  const browser = await TestBrowser.signedIn(site.server.url);
  expect((await new TestBrowser(origin).enter(tokenOf(site))).refusal).toBe('token');
  // The browser that used it may open the URL again: its page then tries its key.
  const visitor = browser.visitor(tokenOf(site));
  expect(await visitor.enter(browser.socket())).toEqual({ admitted: false, refusal: null });
  expect(await visitor.enter(browser.socket())).toEqual({ admitted: true });
});

test('rejects a browser without a key, or with the key of a failed sign-in', async () => {
  const browser = new TestBrowser(getOrigin(site));
  expect((await browser.enter()).refusal).toBe('stranger');
  await browser.enter('no token');
  // It has the key of the sign-in that failed.
  expect((await browser.enter()).refusal).toBe('stranger');
});

test('a browser that cannot store a key does not use up the token', async () => {
  const browser = new TestBrowser(getOrigin(site));
  browser.keys.stage = () => Promise.reject(new Error('no IndexedDB'));
  expect((await browser.enter(tokenOf(site))).refusal).toBe('storage');
  expect((await new TestBrowser(getOrigin(site)).enter(tokenOf(site))).refusal).toBeUndefined();
});

test('a page that closes before the answer loses neither token nor key', async () => {
  const origin = getOrigin(site);
  const hasty = new TestBrowser(origin);
  const adopt = hasty.keys.adopt.bind(hasty.keys);
  hasty.keys.adopt = () => Promise.reject(new Error('the page is gone'));
  await hasty.enter(tokenOf(site));
  hasty.keys.adopt = adopt;
  expect((await hasty.enter(tokenOf(site))).refusal).toBeUndefined();
  expect((await hasty.enter()).refusal).toBeUndefined();
  expect([await hasty.keys.staged(), await readdir(join(site.data, 'browsers'))]).toEqual([null, [expect.any(String)]]);
});

test('an overheard answer is rejected on another socket', async () => {
  const browser = await TestBrowser.signedIn(site.server.url);
  const first = await stranger(site);
  const heard = await proofFor(browser, first.nonce);
  first.socket.send(JSON.stringify(heard));
  await once(first.socket, 'message');
  expect(await (await stranger(site)).say(heard)).toBe(ENTRY_CLOSE.stranger);
});

test('a signature for another purpose, another nonce or of another key is refused', async () => {
  const browser = await TestBrowser.signedIn(site.server.url);
  const other = await stranger(site);
  expect(await other.say({ ...(await proofFor(browser, other.nonce, 'sign-out-others')), kind: 'enter' })).toBe(4401);
  expect(await (await stranger(site)).say(await proofFor(browser, 'x'))).toBe(4401);
  const mine = new TestBrowser(getOrigin(site));
  await mine.enter('no token');
  const forged = await stranger(site);
  const { key } = await proofFor(browser, forged.nonce);
  expect(await forged.say({ ...(await proofFor(mine, forged.nonce)), key })).toBe(4401);
});

test('a request before or together with the entry never reaches the runtime', async () => {
  const cookies = { kind: 'enter', key: '', signature: '' };
  for (const said of [[ASK], ['not json'], [cookies], [Buffer.from([1])], [{ kind: 'admitted' }, ASK]])
    expect(await (await stranger(site)).say(...said)).toBe(ENTRY_CLOSE.stranger);
  const browser = await TestBrowser.signedIn(site.server.url);
  const hasty = await stranger(site);
  expect(await hasty.say(await proofFor(browser, hasty.nonce), ASK)).toBe(ENTRY_CLOSE.stranger);
  expect(client.requests).toEqual([]);
});

test('closes a silent socket, and the oldest of too many waiting sockets', async () => {
  const impatient = await open({ patienceMs: 1 });
  const silent = new TestBrowser(getOrigin(impatient)).socket();
  expect(await closeOf(silent)).toBe(ENTRY_CLOSE.late);
  const patient = await open({ patienceMs: 3_600_000 });
  const first = await stranger(patient);
  const others = await Promise.all(Array.from({ length: 32 }, () => stranger(patient)));
  expect(await first.code).toBe(ENTRY_CLOSE.late);
  const browser = await TestBrowser.signedIn(patient.server.url);
  expect((await browser.enter()).refusal).toBeUndefined();
  for (const { socket } of others) socket.terminate();
});

test('does not read a long first frame to its end', async () => {
  const { say } = await stranger(site);
  expect(await say('x'.repeat(1_000_000))).toBe(1006);
});

test('a server on another port receives nothing that lets it in', async () => {
  const browser = await TestBrowser.signedIn(site.server.url);
  // A server of somebody else, to which the browser sends all cookies of the host name that it has.
  const heard: IncomingMessage['headers'][] = [];
  const other = createServer((request, response) => {
    heard.push(request.headers);
    response.end();
  });
  onTestFinished(() => void other.close());
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const page = await site.get('/');
  const cookie = (page.headers['set-cookie'] ?? []).map((one) => one.split(';')[0]).join('; ');
  const { port } = other.address() as AddressInfo;
  await fetch(`http://127.0.0.1:${port}/`, { headers: { cookie } });
  expect(heard[0]?.cookie ?? '').toBe('');
  // Its page asks the browser to sign our nonce: it has an origin of its own, and so would the signature.
  const relayed = await stranger(site);
  const signed = await proofFor(browser, relayed.nonce, 'enter', `http://127.0.0.1:${port}`);
  expect(await relayed.say(signed)).toBe(ENTRY_CLOSE.stranger);
});

test('the key of the old port is rejected at the new port', async () => {
  const browser = await TestBrowser.signedIn(site.server.url);
  await site.server.close();
  const moved = await open({ data: site.data });
  for (const origin of [browser.origin, getOrigin(moved)]) {
    const relayed = await stranger(moved);
    expect(await relayed.say(await proofFor(browser, relayed.nonce, 'enter', origin))).toBe(ENTRY_CLOSE.stranger);
  }
});

test('a new sign-in of a browser replaces its key and keeps its other tabs open', async () => {
  const browser = await TestBrowser.signedIn(site.server.url);
  const before = new TestBrowser(browser.origin);
  const key = await browser.keys.current();
  if (key !== null) await before.keys.adopt(key);
  await site.server.close();
  const again = await open({ data: site.data, port: site.server.port });
  const tab = (await browser.enter()).socket;
  expect((await browser.enter(tokenOf(again))).refusal).toBeUndefined();
  expect((await before.enter()).refusal).toBe('stranger');
  expect((await browser.enter()).refusal).toBeUndefined();
  expect(await readdir(join(site.data, 'browsers'))).toHaveLength(1);
  // Whoever is sent away now goes after the tab was looked at.
  const other = new TestBrowser(browser.origin);
  await other.enter('no token');
  const { keys } = site;
  await keys.add((await proofFor(other, '')).key, browser.origin);
  const closed = closeOf((await other.enter()).socket);
  await keys.remove((await proofFor(other, '')).key, browser.origin);
  expect(await closed).toBe(ENTRY_CLOSE.stranger);
  expect(tab.readyState).toBe(tab.OPEN);
});

test('signing out other browsers closes their tabs and keeps the own tab', async () => {
  const other = await TestBrowser.signedIn(site.server.url);
  await site.server.close();
  const again = await open({ data: site.data, port: site.server.port });
  const browser = await TestBrowser.signedIn(again.server.url);
  const [mine, theirs] = [(await browser.enter()).socket, (await other.enter()).socket];
  const closed = closeOf(theirs);
  expect(await browser.visitor().signOutOthers(browser.socket())).toBe(1);
  expect(await closed).toBe(ENTRY_CLOSE.stranger);
  expect((await other.enter()).refusal).toBe('stranger');
  expect(mine.readyState).toBe(mine.OPEN);
  expect(await other.visitor().signOutOthers(other.socket())).toBeNull();
});

test('signing out all browsers from another program closes open tabs and rejects their keys', async () => {
  const browser = await TestBrowser.signedIn(site.server.url);
  const closed = closeOf((await browser.enter()).socket);
  expect(await site.keys.signOut()).toBe(1);
  expect(await closed).toBe(ENTRY_CLOSE.stranger);
  expect((await browser.enter()).refusal).toBe('stranger');
  expect(await site.keys.signOut()).toBe(0);
});

test('keys are in private files, and a key unused for long is rejected', async () => {
  const browser = await TestBrowser.signedIn(site.server.url);
  const folder = join(site.data, 'browsers');
  const [name = ''] = await readdir(folder);
  const file = join(folder, name);
  expect([(await stat(folder)).mode & 0o777, (await stat(file)).mode & 0o777]).toEqual([0o700, 0o600]);
  await chmod(folder, 0o777);
  await expect(open({ data: site.data })).rejects.toMatchObject({ code: 'not_allowed' });
  await chmod(folder, 0o700);
  const then = new Date(Date.now() - 60_000);
  await utimes(file, then, then);
  await browser.enter();
  expect((await stat(file)).mtimeMs).toBeGreaterThan(then.getTime() + 30_000);
  await utimes(file, 0, 0);
  expect((await browser.enter()).refusal).toBe('stranger');
  expect(await readdir(folder)).toEqual([]);
});

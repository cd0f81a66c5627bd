/** How a browser gets in, in real browsers: the printed URL, the key that stays, and what a browser without one is told. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { WebSocket } from 'ws';
import { openBrowser } from '#hosts/http/open-browser.ts';
import { CLI } from '../../tests/support/program.ts';
import { expectAlsoAccessible } from '../support/accessible.ts';
import { type Host, startHost } from '../support/host.ts';
import { startProcess } from '../support/process.ts';
import type { SharedHosts } from '../support/shared-hosts.ts';
import { expect, fullSpec, inFullRun, test as base } from '../support/test.ts';

interface Machine {
  home: string;
  host(port?: number): Promise<Host>;
  /** A browser of its own, with one tab. */
  person(): Promise<{ context: BrowserContext; page: Page }>;
}

const test = base.extend<{ machine: Machine }>({
  machine: async ({ browser, hosts }: { browser: Browser; hosts: SharedHosts }, use) => {
    const home = await mkdtemp(join(tmpdir(), 'triad-e2e-sign-in-'));
    const ends: (() => Promise<unknown>)[] = [() => rm(home, { recursive: true, force: true, maxRetries: 3 })];
    await use({
      home,
      host: async (port = 0) => {
        const options = { home, workspace: home, port };
        // A home that is opened again needs a process of its own: the database keeps its lock as long as its process lives.
        const host = await (inFullRun() ? startHost(options) : hosts.open(options));
        ends.push(() => host.stop());
        return host;
      },
      person: async () => {
        const context = await browser.newContext();
        ends.push(() => context.close());
        return { context, page: await context.newPage() };
      },
    });
    for (const end of ends.reverse()) await end();
  },
});

const app = (page: Page) => page.getByRole('heading', { name: 'Welcome to Triad' });
const refused = (page: Page) => page.getByRole('alert').filter({ hasText: 'This browser is not let in' });

/** Whether a script gets the key itself, and all that it can read. */
const scriptGets = (page: Page) =>
  page.evaluate(async () => {
    const opening = indexedDB.open('triad');
    await new Promise((resolve) => (opening.onsuccess = resolve));
    const reading = opening.result.transaction('keys').objectStore('keys').get('current');
    await new Promise((resolve) => (reading.onsuccess = resolve));
    const { privateKey } = reading.result as { privateKey: CryptoKey };
    const tries = (['pkcs8', 'jwk'] as const).map((format) =>
      crypto.subtle.exportKey(format, privateKey).then(
        () => 'exported',
        () => 'refused',
      ),
    );
    const kept = `${document.cookie}\n${JSON.stringify(localStorage)}\n${JSON.stringify(sessionStorage)}`;
    return { tries: await Promise.all(tries), kept };
  });

test(
  'the printed URL signs in one browser only once, and scripts cannot read the token or the key',
  { tag: '@browser' },
  async ({ machine }) => {
    const host = await machine.host();
    const { context, page } = await machine.person();
    await page.goto(host.url);
    await expect(app(page)).toBeVisible();
    expect(page.url(), 'the token has left the address').toBe(`${host.origin}/`);
    const found = await scriptGets(page);
    expect(found.tries).toEqual(['refused', 'refused']);
    expect(found.kept).not.toContain(new URL(host.url).hash.slice(1));
    const second = await context.newPage();
    await second.goto(`${host.origin}/settings?section=security`);
    await expect(second.getByRole('heading', { name: 'Browsers' })).toBeVisible();

    const other = await machine.person();
    await other.page.goto(host.url);
    await expect(refused(other.page)).toContainText('was used before');
    await expect(refused(other.page)).toContainText('stop Triad in its terminal (Ctrl-C), start it again');
    await other.page.goto(host.origin);
    await expect(refused(other.page)).toContainText('Open the URL that Triad printed in its terminal');
    await expectAlsoAccessible(other.page, 'a browser that is not let in');

    if (!inFullRun()) return;
    await host.stop();
    const again = await machine.host(host.port);
    await expect(app(page), 'an open tab comes back').toBeVisible();
    await page.goto(`${host.origin}/sign-in${new URL(host.url).hash}`);
    await expect(app(page), 'an old token does no harm').toBeVisible();
    const third = await other.context.newPage();
    await third.goto(again.url);
    await expect(app(third)).toBeVisible();
    await expect(app(other.page), 'a tab that was refused comes to life').toBeVisible();
  },
);

test(
  'the headers that a browser sends to another port do not sign in a client',
  fullSpec(
    [
      'tests/hosts/http/sign-in.test.ts › a server on another port receives nothing that lets it in',
      'tests/hosts/http/entrance.test.ts › serves the app to every browser, without cookies',
    ],
    { tag: '@browser' },
  ),
  async ({ machine }) => {
    const host = await machine.host();
    const { context, page } = await machine.person();
    await page.goto(host.url);
    await expect(app(page)).toBeVisible();

    const heard: IncomingHttpHeaders[] = [];
    const thief = createServer(({ headers }, response) => {
      heard.push(headers);
      response.end('<!doctype html><link rel="icon" href="data:,">');
    });
    await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve));
    const elsewhere = await context.newPage();
    await elsewhere.goto(`http://127.0.0.1:${(thief.address() as AddressInfo).port}/`);
    thief.closeAllConnections();
    thief.close();
    const headers = { ...heard[0], host: `127.0.0.1:${host.port}`, origin: host.origin };
    const socket = new WebSocket(`${host.origin.replace('http', 'ws')}/ws`, { headers });
    await once(socket, 'message');
    socket.send(JSON.stringify({ kind: 'request', id: 1, method: 'app.state', input: {} }));
    expect(((await once(socket, 'close')) as [number])[0]).toBe(4401);
  },
);

test(
  'opening the HTML file that is given to the browser instead of the URL signs in',
  fullSpec(
    'tests/hosts/cli/commands/serve.test.ts › gives the browser a private file, and shows the token to no other process: %s',
    { tag: '@browser' },
  ),
  async ({ machine }) => {
    const host = await machine.host();
    const opener = join(machine.home, 'xdg-open');
    await writeFile(opener, '#!/bin/sh\n', { mode: 0o755 });
    const { promise: signedIn } = Promise.withResolvers<void>();
    const env = { DISPLAY: ':0', PATH: `${machine.home}:${process.env['PATH']}` };
    const forget = await openBrowser({ url: host.url, port: host.port, signedIn }, machine.home, env);
    const { page } = await machine.person();
    await page.goto(pathToFileURL(join(machine.home, 'open', `${host.port}.html`)).href);
    await expect(app(page)).toBeVisible();
    expect(page.url()).toBe(`${host.origin}/`);
    await forget?.();
  },
);

test(
  'browsers can be signed out from the settings and from the terminal',
  fullSpec(
    [
      'tests/hosts/http/sign-in.test.ts › signing out other browsers closes their tabs and keeps the own tab',
      'tests/hosts/cli/commands/serve.test.ts › --sign-out works without a server, signs out the browsers of a running one, and prints how many',
    ],
    { tag: '@browser' },
  ),
  async ({ machine }) => {
    const host = await machine.host();
    const [one, two] = [await machine.person(), await machine.person()];
    await one.page.goto(host.url);
    await expect(app(one.page)).toBeVisible();
    await host.stop();
    const again = await machine.host(host.port);
    await two.page.goto(again.url);
    await expect(app(two.page)).toBeVisible();

    await two.page.goto(`${host.origin}/settings?section=security`);
    await two.page.getByRole('button', { name: 'Sign out other browsers' }).click();
    await expect(two.page.getByText('1 other browser signed out')).toBeVisible();
    await expect(refused(one.page)).toContainText('signed out');

    const command = () =>
      startProcess({
        args: [CLI, 'serve', '--sign-out'],
        folder: machine.home,
        env: { TRIAD_HOME: machine.home },
        stdio: 'pipe',
      });
    const first = command();
    expect(await text(first.stdout!)).toMatch(/^1 browser signed out\. /);
    await expect(refused(two.page)).toBeVisible();
    await again.stop();
    const last = command();
    const exit = once(last, 'exit');
    expect(await text(last.stdout!)).toMatch(/^No browser was signed in\. /);
    expect(await exit).toEqual([0, null]);
  },
);

test(
  'a browser without storage gets an error message, and the URL can still be used',
  fullSpec('tests/hosts/http/sign-in.test.ts › a browser that cannot store a key does not use up the token', {
    tag: '@browser',
  }),
  async ({ machine }) => {
    const host = await machine.host();
    const [without, next] = [await machine.person(), await machine.person()];
    await without.page.addInitScript(() => {
      Object.defineProperty(window, 'indexedDB', { value: undefined });
    });
    await without.page.goto(host.url);
    await expect(refused(without.page)).toContainText('Leave the private window');
    await next.page.goto(host.url);
    await expect(app(next.page)).toBeVisible();
  },
);

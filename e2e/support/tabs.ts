/**
 * The tab of a worker's browser, swept between two tests: a new context costs more than most tests do. What a test does
 * to the tab itself, its stores and cookies is undone here, and where that cannot be done the test asks for a context of
 * its own. Only the cache stays, with the app's files in it.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { Complaints } from './complaints.ts';

const VIEWPORT = { width: 1280, height: 720 };

export interface Tab {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Leaves the app. */
  leave(): Promise<void>;
}

export class Tabs {
  readonly #browser: Browser;
  readonly #park: Server;
  #free: { context: BrowserContext; page: Page } | null = null;
  /** Whose complaints the tab makes. */
  #complaints = new Complaints();

  private constructor(browser: Browser, park: Server) {
    this.#browser = browser;
    this.#park = park;
  }

  static async open(browser: Browser): Promise<Tabs> {
    const park = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'cache-control': 'no-store' });
      response.end('<!doctype html><link rel="icon" href="data:," /><title>Between two tests</title>');
    });
    await new Promise<void>((resolve) => park.listen(0, '127.0.0.1', resolve));
    return new Tabs(browser, park);
  }

  /** Where the tab waits: of the same site as the hosts, so it keeps its process. */
  get #parking(): string {
    // It listens on a port.
    return `http://127.0.0.1:${(this.#park.address() as AddressInfo).port}/`;
  }

  /** A second app of the same test has a context of its own, too. */
  async take(complaints: Complaints, ownContext: boolean): Promise<Tab> {
    if (ownContext) return this.#own(complaints);
    const { context, page } = this.#free ?? (await this.#make());
    this.#free = null;
    this.#complaints = complaints;
    return {
      context,
      page,
      leave: async () => {
        this.#complaints = new Complaints();
        const kept =
          this.#free === null && !page.isClosed() && (await sweep(context, page, this.#parking).catch(() => false));
        if (kept) this.#free = { context, page };
        else await context.close();
      },
    };
  }

  async close(): Promise<void> {
    await this.#free?.context.close();
    this.#park.closeAllConnections();
    await new Promise((resolve) => this.#park.close(resolve));
  }

  async #make(): Promise<{ context: BrowserContext; page: Page }> {
    const context = await this.#browser.newContext({ viewport: VIEWPORT });
    await Complaints.watch(context, () => this.#complaints);
    return { context, page: await context.newPage() };
  }

  async #own(complaints: Complaints): Promise<Tab> {
    const context = await this.#browser.newContext({ viewport: VIEWPORT });
    await Complaints.watch(context, () => complaints);
    return { context, page: await context.newPage(), leave: () => context.close() };
  }
}

/** False where something of the test may be left. */
async function sweep(context: BrowserContext, page: Page, parking: string): Promise<boolean> {
  for (const other of context.pages()) if (other !== page) await other.close();
  const { origin } = new URL(page.url());
  // No command from outside empties this one; what the app would still write as it leaves is not written.
  await page.evaluate(() => {
    sessionStorage.clear();
    Storage.prototype.setItem = () => undefined;
  });
  await page.goto(parking);
  const session = await context.newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  await session.send('Page.resetNavigationHistory');
  await session.detach();
  await context.clearCookies();
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'no-preference', contrast: 'no-preference' });
  await page.setViewportSize(VIEWPORT);
  return context.pages().length === 1;
}

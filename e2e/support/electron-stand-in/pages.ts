/**
 * The test's end of the windows: pages of the browser that the test worker has anyway, with the app's answers and guards
 * in their way. Everything that the app would do to a page it asks for here.
 */
import type { BrowserContext, CDPSession, Page, Request, Route } from '@playwright/test';
import { DISPATCH, preloadScript } from './page-world.ts';
import type { Wire } from '../wire.ts';

const BINDING = '__electron_stand_in__';

/** `window`: a number of the app's own. */
export interface WindowToOpen {
  window: number;
  url: string;
  /** The script that runs before every document, and what it finds as its `process`. */
  preload: { code: string; process: object };
  width: number;
  height: number;
}

/** What a page asks for. */
export interface PageRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  /** Of a frame of a window that would go there; null: something for a page. */
  navigation: { window: number; top: boolean } | null;
}

/** Null: nothing is there. */
export type PageReply = { status: number; headers: Record<string, string>; body?: Buffer } | null;

/** What a page says to the process, by the functions that its preload has. */
export interface PageCall {
  window: number;
  /** Of the page. */
  url: string;
  /** Whether the page itself says it, not a frame within it. */
  top: boolean;
  call: [kind: 'document' | 'in-page' | 'input' | 'send', ...values: unknown[]];
}

export class Pages {
  readonly #context: BrowserContext;
  readonly #wire: Wire;
  readonly #windows = new Map<number, WindowPage>();
  readonly #first = Promise.withResolvers<Page>();
  readonly #ready: Promise<unknown>;
  #making = 0;
  /** Pages that a page has opened, and how many of them the app has refused. */
  readonly #opened: Page[] = [];
  #refused = 0;

  /** Made before the app can ask for anything. */
  constructor(context: BrowserContext, wire: Wire) {
    this.#context = context;
    this.#wire = wire;
    context.on('page', this.#watch);
    // Nothing of the first page is missed.
    this.#ready = context.route('**/*', this.#route);
    wire.on('open window', (options: WindowToOpen) => this.#open(options));
    wire.on('to page', ({ window, message }: { window: number; message: unknown }) => this.#of(window)?.send(message));
    wire.on('reload', (window: number) => this.#of(window)?.page.reload());
    wire.on('to front', (window: number) => this.#of(window)?.page.bringToFront());
  }

  /** The page of the first window, as soon as it is there. */
  get first(): Promise<Page> {
    return this.#first.promise;
  }

  /** The windows of an app that has ended go with it. */
  async close(): Promise<void> {
    this.#context.off('page', this.#watch);
    // A page that closes meanwhile has no routes to remove.
    await this.#context.unroute('**/*', this.#route).catch(() => undefined);
    for (const { page } of this.#windows.values()) await page.close();
  }

  #of(window: number): WindowPage | undefined {
    return this.#windows.get(window);
  }

  async #open({ window, url, preload, width, height }: WindowToOpen): Promise<void> {
    await this.#ready;
    // A window that is there goes on with the page that it has.
    const known = this.#of(window);
    if (known) return void (await known.page.goto(url));
    this.#making += 1;
    const page = await this.#context.newPage().finally(() => (this.#making -= 1));
    const session = await this.#context.newCDPSession(page);
    const opened = new WindowPage(page, session, (call) => this.#wire.tell('page', { window, ...call }));
    this.#windows.set(window, opened);
    page.on('crash', () => this.#wire.tell('page crashed', window));
    page.on('close', () => {
      this.#windows.delete(window);
      this.#wire.tell('page closed', window);
    });
    session.on('Page.windowOpen', ({ url: wanted }) => void this.#asksToOpen(window, wanted));
    await session.send('Page.enable');
    await opened.attach(preload);
    await page.setViewportSize({ width, height });
    this.#first.resolve(page);
    await page.goto(url);
  }

  async #asksToOpen(window: number, url: string): Promise<void> {
    // An app that ends meanwhile allows nothing.
    const answer = await this.#wire.ask('opens', { window, url }).catch(() => 'deny');
    if (answer === 'allow') return;
    this.#refused += 1;
    this.#closeRefused();
  }

  readonly #watch = (page: Page): void => {
    // A page that was not made here was opened by a page.
    if (this.#making > 0) return;
    this.#opened.push(page);
    this.#closeRefused();
  };

  #closeRefused(): void {
    while (this.#refused > 0 && this.#opened.length > 0) {
      this.#refused -= 1;
      this.#opened
        .shift()
        ?.close()
        .catch(() => undefined);
    }
  }

  readonly #route = async (route: Route): Promise<void> => {
    const request = route.request();
    const asked: PageRequest = {
      url: request.url(),
      method: request.method(),
      headers: request.headers(),
      navigation: this.#navigation(request),
    };
    // An app that ends meanwhile answers nothing.
    const reply = await this.#wire.ask<PageReply>('request', asked).catch(() => null);
    // A page that has gone meanwhile needs no answer.
    await (reply === null ? route.abort('blockedbyclient') : route.fulfill(reply)).catch(() => undefined);
  };

  #navigation(request: Request): PageRequest['navigation'] {
    if (!request.isNavigationRequest()) return null;
    try {
      const frame = request.frame();
      const [window] = [...this.#windows].find(([, { page }]) => page === frame.page()) ?? [];
      return window === undefined ? null : { window, top: frame.parentFrame() === null };
    } catch {
      // The first request of a page that a page opened has no frame yet.
      return null;
    }
  }
}

/** The page of one window, and the world that its preload made in each document. */
class WindowPage {
  readonly page: Page;
  readonly #session: CDPSession;
  /** The frame of each world. */
  readonly #frames = new Map<number, string>();
  readonly #call: (call: Omit<PageCall, 'window'>) => void;
  #top = '';
  /** Of the document at the top, since its preload ran. */
  #world: number | null = null;

  constructor(page: Page, session: CDPSession, call: (call: Omit<PageCall, 'window'>) => void) {
    this.page = page;
    this.#session = session;
    this.#call = call;
  }

  /** Not over Playwright's own bindings: a page of the desktop has nothing but what its preload gives it. */
  async attach(preload: WindowToOpen['preload']): Promise<void> {
    const session = this.#session;
    session.on('Runtime.executionContextCreated', ({ context }) => {
      const { frameId } = (context.auxData ?? {}) as { frameId?: string };
      if (frameId !== undefined) this.#frames.set(context.id, frameId);
    });
    session.on('Runtime.bindingCalled', ({ name, payload, executionContextId }) => {
      if (name === BINDING) this.#called(executionContextId, JSON.parse(payload) as PageCall['call']);
    });
    await session.send('Runtime.enable');
    await session.send('Runtime.addBinding', { name: BINDING });
    await this.page.addInitScript(preloadScript(BINDING, preload));
    const { frameTree } = await session.send('Page.getFrameTree');
    this.#top = frameTree.frame.id;
  }

  /** `message`: the channel and its values. */
  send(message: unknown): void {
    if (this.#world === null) return;
    const expression = `window[Symbol.for('${DISPATCH}')](${JSON.stringify(message)})`;
    // A document that has gone meanwhile misses nothing.
    this.#session.send('Runtime.evaluate', { expression, contextId: this.#world }).catch(() => undefined);
  }

  #called(world: number, call: PageCall['call']): void {
    if (call[0] === 'document') this.#world = world;
    this.#call({ url: this.page.url(), top: this.#frames.get(world) === this.#top, call });
  }
}

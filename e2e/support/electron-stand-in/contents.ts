/** `WebContents` and the messages of its page: what comes carries the frame that sent it, what goes keeps its order. */
import { EventEmitter } from 'node:events';
import type { IpcMainEvent, WebContents, WebFrameMain } from 'electron';
import type { CDPSession, Page } from 'playwright-core';
import { DISPATCH, preloadScript } from './page-world.ts';
import type { Site } from './site.ts';

const BINDING = '__electron_stand_in__';
type OpenHandler = Parameters<WebContents['setWindowOpenHandler']>[0];
type Used = Pick<WebContents, 'getURL' | 'isDestroyed' | 'reload' | 'send' | 'setWindowOpenHandler'>;
type Sender = Pick<WebFrameMain, 'detached' | 'origin' | 'url'> & { parent: object | null };

export class StandInContents extends EventEmitter implements Used {
  readonly #site: Site;
  readonly #ipc: EventEmitter;
  #page: Page | null = null;
  #session: CDPSession | null = null;
  #destroyed = false;
  #opener: OpenHandler = () => ({ action: 'allow' });
  /** Of the document at the top, since its preload ran. */
  #world: number | null = null;
  readonly #frames = new Map<number, string>();
  #top = '';

  constructor(site: Site, ipc: EventEmitter) {
    super();
    this.#site = site;
    this.#ipc = ipc;
  }

  getURL(): string {
    return this.#page === null ? '' : this.#site.inside(this.#page.url());
  }

  isDestroyed(): boolean {
    return this.#destroyed;
  }

  setWindowOpenHandler(handler: OpenHandler): void {
    this.#opener = handler;
  }

  send(channel: string, ...values: unknown[]): void {
    if (this.#destroyed) throw new TypeError('Object has been destroyed');
    // What cannot be copied must not be sent, here as there.
    const message = JSON.stringify(structuredClone([channel, ...values]));
    if (this.#world === null) return;
    const expression = `window[Symbol.for('${DISPATCH}')](${message})`;
    // A document that has gone meanwhile misses nothing.
    this.#session?.send('Runtime.evaluate', { expression, contextId: this.#world }).catch(() => undefined);
  }

  reload(): void {
    this.#page?.reload().catch(() => undefined);
  }

  owns(page: Page): boolean {
    return this.#page === page;
  }

  /** What the app says to a window that the page wants to open. */
  asksToOpen(url: string): 'allow' | 'deny' {
    const referrer = { url: this.getURL(), policy: 'no-referrer' as const };
    const details = { url: this.#site.inside(url), frameName: '', features: '', referrer };
    return this.#opener({ ...details, disposition: 'foreground-tab' }).action;
  }

  /** Not over Playwright's own bindings: those are shared with the test, which looks at the same page. */
  async attach(page: Page, session: CDPSession, preload: string): Promise<void> {
    this.#page = page;
    this.#session = session;
    session.on('Runtime.executionContextCreated', ({ context }) => {
      const { frameId } = (context.auxData ?? {}) as { frameId?: string };
      if (frameId !== undefined) this.#frames.set(context.id, frameId);
    });
    session.on('Runtime.bindingCalled', ({ name, payload, executionContextId }) => {
      if (name === BINDING) this.#called(executionContextId, JSON.parse(payload) as [string, ...unknown[]]);
    });
    await session.send('Runtime.enable');
    await session.send('Runtime.addBinding', { name: BINDING });
    await page.addInitScript(preloadScript(BINDING, preload));
    const { frameTree } = await session.send('Page.getFrameTree');
    this.#top = frameTree.frame.id;
    page.on('crash', () => this.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 1 }));
    page.on('close', () => {
      this.#destroyed = true;
      this.emit('destroyed');
    });
  }

  /** A message as if this address had sent it, from the top of this window. */
  pretend(url: string, channel: string, value: unknown): void {
    this.#deliver({ url, origin: originOf(url), parent: null, detached: false }, channel, [value]);
  }

  #called(world: number, [kind, ...values]: [string, ...unknown[]]): void {
    if (kind === 'document') {
      this.#world = world;
      this.emit('did-navigate', {}, this.#site.inside(String(values[0])), 200, 'OK');
    } else if (kind === 'in-page') {
      this.emit('did-navigate-in-page', {}, this.#site.inside(String(values[0])), true);
    } else {
      const [channel, ...message] = values;
      const url = this.getURL();
      const atTop = this.#frames.get(world) === this.#top;
      // A frame within a page has the page's origin here: its own address would betray it anyway.
      const parent = atTop ? null : {};
      this.#deliver({ url, origin: originOf(url), parent, detached: false }, String(channel), message);
    }
  }

  #deliver(senderFrame: Sender, channel: string, values: unknown[]): void {
    // Only what a listener may look at is there.
    const event = { sender: this, senderFrame } as unknown as IpcMainEvent;
    this.#ipc.emit(channel, event, ...values);
  }
}

/** Of schemes that Node does not know too. */
function originOf(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}

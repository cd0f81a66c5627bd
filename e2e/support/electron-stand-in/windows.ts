/** `BrowserWindow` and `ipcMain`: windows are pages of the real browser, with the app's guards in their way. */
import { EventEmitter } from 'node:events';
import { readFile } from 'node:fs/promises';
import type * as Electron from 'electron';
import type { BrowserContext, Frame, Page, Request, Route } from 'playwright-core';
import type { StandInApp } from './app.ts';
import type { Chromium } from './chromium.ts';
import { StandInContents } from './contents.ts';
import type { Control } from './control.ts';
import { cancellable } from './event.ts';
import type { Site } from './site.ts';
import type { StandInSession } from './system.ts';

export interface Parts {
  app: StandInApp;
  chromium: Chromium;
  control: Control;
  protocol: Site;
  session: { defaultSession: StandInSession };
}

type Used = Pick<Electron.BrowserWindow, 'flashFrame' | 'focus' | 'isMinimized' | 'loadURL' | 'restore' | 'show'>;

export class StandInWindows {
  readonly ipcMain = new EventEmitter();
  readonly open: StandInWindow[] = [];
  focused: StandInWindow | null = null;
  readonly parts: Parts;
  #guarded: Promise<void> | null = null;
  #making = 0;
  /** Windows that pages may not open, and that are about to come. */
  denied = 0;

  constructor(parts: Parts) {
    this.parts = parts;
    const { control, session } = parts;
    const contents = () => this.open[0]!.webContents;
    control.on('look away', () => (this.focused = null));
    control.on('attach webview', () => {
      const event = cancellable({});
      contents().emit('will-attach-webview', event, {}, {});
      return !event.defaultPrevented;
    });
    control.on('permission', (permission) =>
      // Any name is asked for: the app has to know what it grants, not what it refuses.
      session.defaultSession.grants(contents(), permission),
    );
    control.on('page dies', (reason) => contents().emit('render-process-gone', {}, { reason, exitCode: 1 }));
    control.on('message from', (url) =>
      contents().pretend(url, 'triad', { kind: 'request', id: 1, method: 'app.state', input: {} }),
    );
  }

  /** Once, before the first page is loaded. */
  guard(context: BrowserContext): Promise<void> {
    return (this.#guarded ??= (async () => {
      await context.route('**/*', (route) => this.#route(route));
      context.on('page', (page) => {
        // A page that was not made here was opened by a page.
        if (this.denied === 0 || this.#making > 0) return;
        this.denied -= 1;
        page.close().catch(() => undefined);
      });
    })());
  }

  async newPage(): Promise<Page> {
    this.#making += 1;
    try {
      return await this.parts.chromium.newPage();
    } finally {
      this.#making -= 1;
    }
  }

  async #route(route: Route): Promise<void> {
    const request = route.request();
    const frame = request.isNavigationRequest() ? frameOf(request) : null;
    if (frame !== null) {
      const window = this.open.find(({ webContents }) => webContents.owns(frame.page()));
      const isMainFrame = frame.parentFrame() === null;
      if (window !== undefined && !(isMainFrame && window.takesLoad(request.url()))) {
        const url = this.parts.protocol.inside(request.url());
        const event = cancellable({ url, isMainFrame, isSameDocument: false });
        window.webContents.emit('will-frame-navigate', event);
        if (isMainFrame && !event.defaultPrevented) window.webContents.emit('will-navigate', event);
        // A page that gets no content stays where it is.
        if (event.defaultPrevented) return route.fulfill({ status: 204 });
      }
    }
    await this.parts.protocol.answer(route);
  }
}

/** Null for the first request of a page that a page opened. */
function frameOf(request: Request): Frame | null {
  try {
    return request.frame();
  } catch {
    return null;
  }
}

export class StandInWindow extends EventEmitter implements Used {
  readonly webContents: StandInContents;
  readonly #all: StandInWindows;
  readonly #options: Electron.BrowserWindowConstructorOptions;
  #page: Page | null = null;
  #loading: string | null = null;

  constructor(all: StandInWindows, options: Electron.BrowserWindowConstructorOptions) {
    super();
    const { app, control, protocol } = all.parts;
    this.#all = all;
    this.#options = options;
    this.webContents = new StandInContents(protocol, all.ipcMain);
    all.open.push(this);
    control.tell('window', options.webPreferences);
    app.emit('web-contents-created', {}, this.webContents);
    this.webContents.once('destroyed', () => {
      all.open.splice(all.open.indexOf(this), 1);
      if (all.focused === this) all.focused = all.open.at(-1) ?? null;
      this.emit('closed');
      if (all.open.length === 0) app.emit('window-all-closed');
    });
  }

  async loadURL(url: string): Promise<void> {
    const { chromium, protocol } = this.#all.parts;
    const { webPreferences, width = 800, height = 600 } = this.#options;
    const preload = await readFile(webPreferences?.preload ?? '', 'utf8');
    const context = await chromium.context();
    await this.#all.guard(context);
    const page = await this.#all.newPage();
    this.#page = page;
    const session = await context.newCDPSession(page);
    session.on('Page.windowOpen', ({ url: opened }) => {
      if (this.webContents.asksToOpen(opened) === 'deny') this.#all.denied += 1;
    });
    await session.send('Page.enable');
    await this.webContents.attach(page, session, preload);
    await page.setViewportSize({ width, height });
    this.#loading = protocol.outside(url);
    await page.goto(this.#loading);
    this.emit('ready-to-show');
  }

  /** Whether this is what the app itself loads, which it need not be asked about. */
  takesLoad(url: string): boolean {
    const own = this.#loading === url;
    if (own) this.#loading = null;
    return own;
  }

  show(): void {
    this.#all.focused = this;
  }

  focus(): void {
    this.#all.focused = this;
    this.#page?.bringToFront().catch(() => undefined);
    this.#all.parts.control.tell('focus', this.webContents.getURL());
  }

  isMinimized(): boolean {
    return false;
  }

  restore(): void {}

  flashFrame(on: boolean): void {
    this.#all.parts.control.tell('flash', on);
  }
}

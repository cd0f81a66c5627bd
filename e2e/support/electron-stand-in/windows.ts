/** `BrowserWindow` and `ipcMain`: windows are pages of a real browser, which the test has, with the app's guards in their way. */
import { EventEmitter } from 'node:events';
import { readFile } from 'node:fs/promises';
import type * as Electron from 'electron';
import type { StandInApp } from './app.ts';
import { StandInContents } from './contents.ts';
import { cancellable } from './event.ts';
import type { PageCall, PageReply, PageRequest, WindowToOpen } from './pages.ts';
import type { Site } from './site.ts';
import type { StandInSession } from './system.ts';
import type { Wire } from '../wire.ts';

interface Parts {
  app: StandInApp;
  wire: Wire;
  protocol: Site;
  session: { defaultSession: StandInSession };
}

type Used = Pick<Electron.BrowserWindow, 'flashFrame' | 'focus' | 'isMinimized' | 'loadURL' | 'restore' | 'show'>;

export class StandInWindows {
  readonly ipcMain = new EventEmitter();
  readonly open: StandInWindow[] = [];
  focused: StandInWindow | null = null;
  readonly parts: Parts;
  #count = 0;

  constructor(parts: Parts) {
    this.parts = parts;
    const { wire, session } = parts;
    const contents = () => this.open[0]!.webContents;
    wire.on('look away', () => {
      this.focused = null;
    });
    wire.on('attach webview', () => {
      const event = cancellable({});
      contents().emit('will-attach-webview', event, {}, {});
      return !event.defaultPrevented;
    });
    wire.on('session end', () => this.open[0]!.emit('session-end', {}));
    wire.on('misspelt', (params: object) => contents().emit('context-menu', {}, params));
    wire.on('permission', (permission: string) =>
      // Any name is asked for: the app has to know what it grants, not what it refuses.
      session.defaultSession.grants(contents(), permission),
    );
    wire.on('page dies', (reason: string) => contents().gone(reason));
    wire.on('page hangs', () => void contents().emit('unresponsive'));
    wire.on('page reacts', () => void contents().emit('responsive'));
    wire.on('message from', (url: string) =>
      contents().pretend(url, 'triad', { kind: 'request', id: 1, method: 'app.state', input: {} }),
    );
    // Whoever has the process of a page needs no preload.
    wire.on('frames', (frames: string) => {
      const values = JSON.parse(frames) as unknown[];
      for (const frame of values) contents().pretend(contents().getURL(), 'triad', frame);
    });
    wire.on('page', (call: PageCall) => this.#contentsOf(call.window)?.called(call));
    wire.on('page crashed', (window: number) => this.#contentsOf(window)?.gone());
    wire.on('page closed', (window: number) => this.#contentsOf(window)?.closed());
    wire.on('opens', ({ window, url }: { window: number; url: string }) => this.#contentsOf(window)?.asksToOpen(url));
    wire.on('request', (request: PageRequest) => this.#answer(request));
  }

  nextNumber(): number {
    return (this.#count += 1);
  }

  #contentsOf(number: number): StandInContents | undefined {
    return this.#windowOf(number)?.webContents;
  }

  #windowOf(number: number): StandInWindow | undefined {
    return this.open.find(({ webContents }) => webContents.window === number);
  }

  async #answer(request: PageRequest): Promise<PageReply> {
    const { url: outside, navigation } = request;
    const window = navigation === null ? undefined : this.#windowOf(navigation.window);
    if (navigation !== null && window !== undefined && !(navigation.top && window.takesLoad(outside))) {
      const url = this.parts.protocol.inside(outside);
      const event = cancellable({ url, isMainFrame: navigation.top, isSameDocument: false });
      window.webContents.emit('will-frame-navigate', event);
      if (navigation.top && !event.defaultPrevented) window.webContents.emit('will-navigate', event);
      // A page that gets no content stays where it is.
      if (event.defaultPrevented) return { status: 204, headers: {} };
    }
    const { session, protocol } = this.parts;
    return session.defaultSession.passes(protocol.inside(outside)) ? protocol.answer(request) : null;
  }
}

export class StandInWindow extends EventEmitter implements Used {
  readonly webContents: StandInContents;
  readonly #all: StandInWindows;
  readonly #options: Electron.BrowserWindowConstructorOptions;
  #loading: string | null = null;

  constructor(all: StandInWindows, options: Electron.BrowserWindowConstructorOptions) {
    super();
    const { app, wire, protocol } = all.parts;
    this.#all = all;
    this.#options = options;
    this.webContents = new StandInContents(all.nextNumber(), { wire, site: protocol, ipc: all.ipcMain });
    all.open.push(this);
    wire.tell('window', options.webPreferences);
    app.emit('web-contents-created', {}, this.webContents);
    app.emit('browser-window-created', {}, this);
    this.webContents.once('destroyed', () => {
      all.open.splice(all.open.indexOf(this), 1);
      if (all.focused === this) all.focused = all.open.at(-1) ?? null;
      this.emit('closed');
      if (all.open.length === 0) app.emit('window-all-closed');
    });
  }

  async loadURL(url: string): Promise<void> {
    const { wire, protocol } = this.#all.parts;
    const { webPreferences, width = 800, height = 600 } = this.#options;
    const { sandbox: sandboxed = true, contextIsolation: contextIsolated = true } = webPreferences ?? {};
    const preload = {
      code: await readFile(webPreferences?.preload ?? '', 'utf8'),
      process: { sandboxed, contextIsolated },
    };
    this.#loading = protocol.outside(url);
    const wanted: WindowToOpen = { window: this.webContents.window, url: this.#loading, preload, width, height };
    await wire.ask('open window', wanted);
    this.emit('ready-to-show');
  }

  /** Whether this is what the app itself loads, which it need not be asked about. */
  takesLoad(url: string): boolean {
    const own = this.#loading === url;
    if (own) this.#loading = null;
    return own;
  }

  show(): void {
    this.#focused();
  }

  #focused(): void {
    this.#all.focused = this;
    this.emit('focus');
  }

  focus(): void {
    const { wire } = this.#all.parts;
    this.#focused();
    wire.ask('to front', this.webContents.window).catch(() => undefined);
    wire.tell('focus', this.webContents.getURL());
  }

  isMinimized(): boolean {
    return false;
  }

  restore(): void {}

  flashFrame(on: boolean): void {
    this.#all.parts.wire.tell('flash', on);
  }
}

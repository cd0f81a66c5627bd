/** The windows of the app: any number of them, all alike, on one runtime. */
import { BrowserWindow, nativeTheme, type WebContents } from 'electron';
import { hashOfPlace, type LedPlace } from '#contract/attention/led-place.ts';
import { hashOfCommand, type LedCommand } from '#contract/hosts/led-command.ts';
import { ORIGIN } from './app-protocol.ts';
import { text } from './text.ts';

/** The page's own background, so that a window does not flash before the page is drawn. */
const BACKGROUND = { light: '#fcfcfb', dark: '#131416' };

export interface WindowPorts {
  /** Path of the built preload. */
  preload: string;
  /** The path that the newest window shows, at each change. */
  onPlace: (path: string) => void;
  /** Called before a new page is loaded. */
  admit: (contents: WebContents) => void;
}

export class Windows {
  readonly #ports: WindowPorts;
  /** In the order in which a person looked at them, the last one first. */
  #looked: BrowserWindow[] = [];

  constructor(ports: WindowPorts) {
    this.#ports = ports;
  }

  open(path = '/'): BrowserWindow {
    const first = BrowserWindow.getAllWindows().length === 0;
    const window = new BrowserWindow({
      width: 1280,
      height: 800,
      minWidth: 480,
      minHeight: 400,
      title: text().name,
      show: false,
      // Only a window with a name is put back where it was.
      ...(first ? { name: 'main', windowStatePersistence: true } : {}),
      backgroundColor: nativeTheme.shouldUseDarkColors ? BACKGROUND.dark : BACKGROUND.light,
      webPreferences: {
        preload: this.#ports.preload,
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        webviewTag: false,
      },
    });
    const { webContents } = window;
    window.once('ready-to-show', () => window.show());
    window.on('focus', () => (this.#looked = [window, ...this.#othersThan(window)]));
    window.once('closed', () => (this.#looked = this.#othersThan(window)));
    const note = (_event: unknown, url: string) => this.#ports.onPlace(new URL(url).pathname);
    webContents.on('did-navigate', note);
    webContents.on('did-navigate-in-page', note);
    this.#ports.admit(webContents);
    // A page that cannot be loaded shows so itself.
    window.loadURL(`${ORIGIN}${path}`).catch(() => undefined);
    return window;
  }

  /** The window that a person looked at last comes to the front; a new one where there is none. */
  show(path?: string): void {
    const window = this.#lookedAtLast();
    if (window === undefined) {
      this.open(path);
      return;
    }
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
  }

  /**
   * The same, at a workflow in the history, or at a conversation and what waits in it. An address that only ends otherwise
   * loads no page anew: nothing is lost.
   */
  lead(to: LedPlace): void {
    const path = 'workflowId' in to ? `/history/${to.workflowId}` : `/chat/${to.conversationId}`;
    this.#lead(path, hashOfPlace(to));
  }

  /** The same, for what the menu has a page do. */
  run(command: LedCommand): void {
    this.#lead('/', hashOfCommand(command));
  }

  /** `path`: of a new window, where there is none. */
  #lead(path: string, hash: string): void {
    const window = this.#lookedAtLast();
    if (window === undefined) return void this.open(`${path}${hash}`);
    this.show();
    const url = new URL(window.webContents.getURL() || ORIGIN);
    url.hash = hash;
    window.loadURL(url.href).catch(() => undefined);
  }

  /** None has the focus where a link or a notification comes from another program. */
  #lookedAtLast(): BrowserWindow | undefined {
    return this.#looked[0] ?? BrowserWindow.getAllWindows()[0];
  }

  #othersThan(window: BrowserWindow): BrowserWindow[] {
    return this.#looked.filter((one) => one !== window);
  }
}

/** The trust boundary of the desktop: a frame of the contract from the right page, or nothing. */
import { ipcMain, type IpcMainEvent, type WebContents } from 'electron';
import type { ServerFrame } from '#contract/frames.ts';
import type { Client } from '#contract/rpc.ts';
import { type FrameServer, serveFrames } from '#core/hosting/frame-server.ts';
import { ORIGIN } from './app-protocol.ts';
import { CHANNEL, LANGUAGE_CHANNEL } from './channel.ts';

/** What one page asked for; it ends with the page, however that goes. */
interface Page {
  server: FrameServer | null;
  /** What was asked before there was a runtime. */
  early: unknown[];
  /** A window that does not react gets no hints. */
  stuck: boolean;
}

export class Ipc {
  readonly #pages = new Map<WebContents, Page>();
  readonly #report: (line: string) => void;
  #client: Client | null = null;

  /** `onLanguage`: the tag of the language that a page speaks. */
  constructor(report: (line: string) => void, onLanguage: (tag: string) => void) {
    this.#report = report;
    ipcMain.on(LANGUAGE_CHANNEL, (event, tag: unknown) => {
      if (this.#pageOf(event) !== null && typeof tag === 'string') onLanguage(tag);
    });
    ipcMain.on(CHANNEL, (event, frame: unknown) => this.#receive(event, frame));
  }

  /** Lets the pages of a window in; before its first one is loaded. */
  admit(contents: WebContents): void {
    const page: Page = { server: null, early: [], stuck: false };
    this.#pages.set(contents, page);
    contents.on('did-navigate', () => end(page));
    contents.on('render-process-gone', () => end(page));
    contents.on('unresponsive', () => (page.stuck = true));
    contents.on('responsive', () => (page.stuck = false));
    contents.once('destroyed', () => {
      this.#pages.delete(contents);
      end(page);
    });
  }

  /** The runtime that answers from now on; null while there is none: every page is told, and attaches again. */
  use(client: Client | null): void {
    this.#client = client;
    for (const [contents, page] of this.#pages) {
      if (page.server !== null) {
        end(page);
        contents.send(CHANNEL, null);
      }
      for (const frame of client === null ? [] : page.early.splice(0)) this.#serve(contents, page, frame);
    }
  }

  #receive(event: IpcMainEvent, frame: unknown): void {
    const page = this.#pageOf(event);
    if (page !== null) this.#serve(event.sender, page, frame);
    else this.#report(`ipc: refused a message from ${event.senderFrame?.url ?? 'a page that is gone'}`);
  }

  /** Only the document at the top of one of our windows, and only while it is there. */
  #pageOf({ sender, senderFrame }: IpcMainEvent): Page | null {
    const trusted =
      senderFrame !== null && senderFrame.parent === null && !senderFrame.detached && senderFrame.origin === ORIGIN;
    return trusted ? (this.#pages.get(sender) ?? null) : null;
  }

  #serve(contents: WebContents, page: Page, frame: unknown): void {
    if (this.#client === null) {
      page.early.push(frame);
      return;
    }
    const server = (page.server ??= this.#serverOf(contents, page, this.#client));
    if (!server.receive(frame)) this.#report('ipc: refused a message that is no frame');
  }

  #serverOf(contents: WebContents, page: Page, client: Client): FrameServer {
    const send = (frame: ServerFrame) => {
      // Answers to a page that has gone are nobody's.
      if (page.server === server && !contents.isDestroyed()) contents.send(CHANNEL, frame);
    };
    const server = serveFrames({ send, backlog: () => (page.stuck ? Infinity : 0) }, client, this.#report);
    return server;
  }
}

function end(page: Page): void {
  const { server } = page;
  page.server = null;
  page.early = [];
  server?.close();
}

/** The trust boundary of the desktop: a frame of the contract from the right page, or nothing. */
import { ipcMain, type IpcMainEvent, type WebContents } from 'electron';
import type { ServerFrame } from '#contract/frames.ts';
import type { Client } from '#contract/rpc.ts';
import { type FrameServer, serveFrames } from '#core/host/ownership/frame-server.ts';
import type { Refusals } from './desktop/refusals.ts';
import { ORIGIN } from './app-protocol.ts';
import { CHANNEL, LANGUAGE_CHANNEL, TOLD_CHANNEL } from './channel.ts';

/** What one page asked for; it ends with the page, however that goes. */
interface Page {
  server: FrameServer | null;
  /** What was asked before there was a runtime. */
  early: unknown[];
  /** A window that does not react gets no hints. */
  stuck: boolean;
}

export interface IpcPorts {
  report: (line: string) => void;
  refusals: Pick<Refusals, 'note'>;
  /** The tag of the language that a page speaks. */
  onLanguage: (tag: string) => void;
  /** What a preload tells of its page; it may be anything. */
  onTold: (contents: WebContents, told: unknown) => void;
}

/** What a page may ask for before there is a runtime: more than any page does. */
const MOST_EARLY = 500;

export class Ipc {
  readonly #pages = new Map<WebContents, Page>();
  readonly #ports: IpcPorts;
  #client: Client | null = null;

  constructor(ports: IpcPorts) {
    this.#ports = ports;
    ipcMain.on(LANGUAGE_CHANNEL, (event, tag: unknown) => {
      if (this.#admitted(event) && typeof tag === 'string') ports.onLanguage(tag);
    });
    ipcMain.on(TOLD_CHANNEL, (event, told: unknown) => {
      if (this.#admitted(event)) ports.onTold(event.sender, told);
    });
    ipcMain.on(CHANNEL, (event, frame: unknown) => {
      const page = this.#admitted(event);
      if (page) this.#serve(event.sender, page, frame);
    });
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

  /** Only the document at the top of one of our windows, and only while it is there. */
  #admitted({ sender, senderFrame }: IpcMainEvent): Page | null {
    const trusted =
      senderFrame !== null && senderFrame.parent === null && !senderFrame.detached && senderFrame.origin === ORIGIN;
    const page = trusted ? (this.#pages.get(sender) ?? null) : null;
    if (page === null) this.#refuse(`from ${senderFrame?.url ?? 'a page that is gone'}`);
    return page;
  }

  #refuse(why: string): void {
    this.#ports.refusals.note('message', why);
  }

  #serve(contents: WebContents, page: Page, frame: unknown): void {
    if (this.#client === null) {
      if (page.early.length < MOST_EARLY) page.early.push(frame);
      else this.#refuse('before there is a runtime, after many others');
      return;
    }
    page.server ??= this.#serverOf(contents, page, this.#client);
    // It says itself what it refuses.
    page.server.receive(frame);
  }

  #serverOf(contents: WebContents, page: Page, client: Client): FrameServer {
    const send = (frame: ServerFrame) => {
      // Answers to a page that has gone are nobody's.
      if (page.server === server && !contents.isDestroyed()) contents.send(CHANNEL, frame);
    };
    const refused = (why: string) => this.#refuse(why);
    const link = { send, refused, backlog: () => (page.stuck ? Infinity : 0) };
    const server = serveFrames(link, client, this.#ports.report);
    return server;
  }
}

function end(page: Page): void {
  const { server } = page;
  page.server = null;
  page.early = [];
  server?.close();
}

/** `WebContents` and the messages of its page: what comes carries the frame that sent it, what goes keeps its order. */
import { EventEmitter } from 'node:events';
import type { IpcMainEvent, WebContents, WebFrameMain } from 'electron';
import type { PageCall } from './pages.ts';
import type { Site } from './site.ts';
import type { Wire } from '../wire.ts';

type OpenHandler = Parameters<WebContents['setWindowOpenHandler']>[0];
type Used = Pick<
  WebContents,
  | 'forcefullyCrashRenderer'
  | 'getURL'
  | 'isDestroyed'
  | 'reload'
  | 'replaceMisspelling'
  | 'send'
  | 'setWindowOpenHandler'
>;
type Sender = Pick<WebFrameMain, 'detached' | 'origin' | 'url'> & { parent: object | null };

/** What Electron calls the events of a page. */
const INPUTS: Readonly<Record<string, string>> = { keydown: 'rawKeyDown', mousedown: 'mouseDown', wheel: 'mouseWheel' };

export class StandInContents extends EventEmitter implements Used {
  /** Of the window, for the test. */
  readonly window: number;
  readonly #wire: Wire;
  readonly #site: Site;
  readonly #ipc: EventEmitter;
  #url = '';
  #destroyed = false;
  #opener: OpenHandler = () => ({ action: 'allow' });

  constructor(window: number, { wire, site, ipc }: { wire: Wire; site: Site; ipc: EventEmitter }) {
    super();
    this.window = window;
    this.#wire = wire;
    this.#site = site;
    this.#ipc = ipc;
  }

  getURL(): string {
    return this.#url;
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
    this.#wire.tell('to page', { window: this.window, message: structuredClone([channel, ...values]) });
  }

  replaceMisspelling(word: string): void {
    this.#wire.tell('replaced', word);
  }

  reload(): void {
    this.#wire.ask('reload', this.window).catch(() => undefined);
  }

  forcefullyCrashRenderer(): void {
    this.#wire.tell('page ended', this.window);
    this.gone('killed');
  }

  /** What the app says to a window that the page wants to open. */
  asksToOpen(url: string): 'allow' | 'deny' {
    const referrer = { url: this.getURL(), policy: 'no-referrer' as const };
    const details = { url: this.#site.inside(url), frameName: '', features: '', referrer };
    return this.#opener({ ...details, disposition: 'foreground-tab' }).action;
  }

  /** The process of its page has died. */
  gone(reason = 'crashed'): void {
    this.emit('render-process-gone', {}, { reason, exitCode: 1 });
  }

  closed(): void {
    this.#destroyed = true;
    this.emit('destroyed');
  }

  /** A message as if this address had sent it, from the top of this window. */
  pretend(url: string, channel: string, value: unknown): void {
    this.#deliver({ url, origin: originOf(url), parent: null, detached: false }, channel, [value]);
  }

  /** The page, or a frame within it, calls what its preload has. */
  called({ url: outside, top, call: [kind, ...values] }: PageCall): void {
    const url = (this.#url = this.#site.inside(outside));
    if (kind === 'document') this.emit('did-navigate', {}, this.#site.inside(String(values[0])), 200, 'OK');
    else if (kind === 'in-page') this.emit('did-navigate-in-page', {}, this.#site.inside(String(values[0])), true);
    else if (kind === 'input') this.emit('input-event', {}, { type: INPUTS[String(values[0])] });
    else {
      const [channel, ...message] = values;
      // A frame within a page has the page's origin here: its own address would betray it anyway.
      this.#deliver({ url, origin: originOf(url), parent: top ? null : {}, detached: false }, String(channel), message);
    }
  }

  #deliver(senderFrame: Sender, channel: string, values: unknown[]): void {
    // Only what a listener may look at is there.
    const event = { sender: this, senderFrame } as unknown as IpcMainEvent;
    this.#ipc.emit(channel, event, ...values);
  }
}

/** Of schemes that Node does not know too. */
export function originOf(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}

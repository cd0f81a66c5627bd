/** Addresses outside of the app: shown whole before anything opens, and only a press on Open opens one. */
import { BrowserWindow, dialog, shell, type WebContents } from 'electron';
import type { Refusals } from './refusals.ts';
import { text } from '../text.ts';

/** Nobody reads more of an address, and a dialog shows no more. */
const MOST_CHARS = 4000;
/** No name in the Internet is longer. */
const MOST_OF_HOST = 260;

export class OutsideLinks {
  readonly #refusals: Pick<Refusals, 'note'>;
  /** Pages about whose link the person is asked: a second one would hide the first. */
  readonly #asking = new WeakSet<WebContents>();

  constructor(refusals: Pick<Refusals, 'note'>) {
    this.#refusals = refusals;
  }

  /** Asks about what a page wants to open; never rejects. */
  async ask(contents: WebContents, wanted: string): Promise<void> {
    const address = addressOf(wanted);
    if (address === null) return this.#refusals.note('link', `to ${wanted}`);
    if (this.#asking.has(contents))
      return this.#refusals.note('link', `to ${address} while another one is asked about`);
    this.#asking.add(contents);
    try {
      if (await isWanted(contents, address)) await shell.openExternal(address);
    } catch (error) {
      this.#refusals.note('link', `to ${address}: ${String(error)}`);
    } finally {
      this.#asking.delete(contents);
    }
  }
}

/** As it would be opened, in ASCII alone; null for what never is. */
function addressOf(wanted: string): string | null {
  if (!URL.canParse(wanted)) return null;
  const { protocol, host, href, username, password } = new URL(wanted);
  const isKnown = ['http:', 'https:', 'mailto:'].includes(protocol);
  // A name before the host is there to look like another host.
  if (!isKnown || username !== '' || password !== '') return null;
  // Blanks push the end out of sight.
  return href.length <= MOST_CHARS && host.length <= MOST_OF_HOST && !/\s/.test(href) ? href : null;
}

async function isWanted(contents: WebContents, address: string): Promise<boolean> {
  const words = text().link;
  const { protocol, host } = new URL(address);
  const options = {
    type: 'question' as const,
    message: protocol === 'mailto:' ? words.mail : words.page(host),
    detail: address,
    buttons: [words.open, words.cancel],
    // Enter, Escape and closing open nothing.
    defaultId: 1,
    cancelId: 1,
    noLink: true,
  };
  const window = BrowserWindow.fromWebContents(contents);
  const { response } = await (window ? dialog.showMessageBox(window, options) : dialog.showMessageBox(options));
  return response === 0;
}

/** `triad://conversation/ID`, `triad://workflow/ID`: shows that, and does nothing else; a link that is none says so. */
import { app, dialog } from 'electron';
import type { LedPlace } from '#contract/attention/led-place.ts';
import { Id } from '#contract/ids.ts';
import { visibleText } from '#contract/visible-text.ts';
import { cutAtCodePoint } from '#core/base/text.ts';
import { text } from '../text.ts';

const SCHEME = 'triad';
/** Of a link that is shown because it leads nowhere. */
const MOST_CHARS = 200;

/** The conversation, or the workflow in the history, that a link names; null for any other text, also one with more in it. */
export function placeOfLink(link: string): LedPlace | null {
  const [, kind, named] = /^triad:\/\/(conversation|workflow)\/([^/?#]+)\/?$/i.exec(link) ?? [];
  const id = Id.safeParse(named).data;
  if (id === undefined) return null;
  return kind?.toLowerCase() === 'workflow' ? { workflowId: id } : { conversationId: id, approvalId: null };
}

/** The link among the arguments of a start; the system adds it as the last one. */
export function linkIn(args: readonly string[]): string | undefined {
  return args.findLast((one) => one.toLowerCase().startsWith(`${SCHEME}:`));
}

export class DeepLinks {
  readonly #lead: (to: LedPlace) => void;
  /** What came before there could be windows. */
  #early: string | undefined;
  #started = false;

  /** Before the app is ready: macOS hands over the link of a start as an event. */
  constructor(lead: (to: LedPlace) => void) {
    this.#lead = lead;
    app.on('open-url', (event, link) => {
      event.preventDefault();
      this.open(link);
    });
  }

  /** Once there can be windows. False: no link led anywhere, so that the app opens as usual. */
  start(args: readonly string[]): boolean {
    this.#started = true;
    // A program that is not installed would be found at an address that changes.
    if (app.isPackaged) app.setAsDefaultProtocolClient(SCHEME);
    const link = this.#early ?? linkIn(args);
    return link !== undefined && this.open(link);
  }

  /** Whether it led anywhere, or will once there can be windows. */
  open(link: string): boolean {
    if (!this.#started) {
      this.#early = link;
      return true;
    }
    const to = placeOfLink(link);
    if (to) this.#lead(to);
    else refuse(link);
    return to !== null;
  }
}

let isTelling = false;

/** One at a time: whoever sends many fills no screen. */
function refuse(link: string): void {
  if (isTelling) return;
  isTelling = true;
  const words = text().deepLink;
  const shown = visibleText(cutAtCodePoint(link, MOST_CHARS));
  dialog
    .showMessageBox({ type: 'warning', message: words.leadsNowhere, detail: `${shown}\n\n${words.expected}` })
    .catch(() => undefined)
    .finally(() => (isTelling = false));
}

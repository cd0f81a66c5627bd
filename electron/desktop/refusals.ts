/** What was refused to pages: every try counts, and is in the log; what comes in masses there as its number. */
import type { Refused, RefusedCount } from '#contract/hosts/security.ts';
import { redact } from '#core/base/redact.ts';
import { visibleText } from '#contract/visible-text.ts';

/** Lines of one kind in one stretch of time; the rest of it is one line. */
const LINES = 20;
const STRETCH_MS = 60_000;
/** Of what the page has chosen, in characters. */
const DETAIL = 300;

const NAMES: Readonly<Record<Refused, string>> = {
  message: 'a message',
  navigation: 'a navigation',
  window: 'a window',
  link: 'a link',
  webview: 'a page within a page',
  permission: 'a permission',
  device: 'a device',
  path: 'a path',
  request: 'a request',
  content: 'content',
};

interface Kind {
  count: RefusedCount;
  /** Lines of this stretch. */
  lines: number;
  /** Tries of this stretch that have no line. */
  untold: number;
}

export class Refusals {
  readonly #report: (line: string) => void;
  readonly #kinds = new Map<Refused, Kind>();
  #timer: NodeJS.Timeout | null = null;

  constructor(report: (line: string) => void) {
    this.#report = report;
  }

  /** `detail`: as it goes on behind the name of the kind; it may hold anything, in any length. */
  note(what: Refused, detail: string): void {
    const newest = lineOf(detail);
    const last = new Date().toISOString();
    const kind = this.#kinds.get(what) ?? { count: { what, count: 0, last, newest }, lines: 0, untold: 0 };
    kind.count = { what, count: kind.count.count + 1, last, newest };
    this.#kinds.set(what, kind);
    this.#timer ??= setTimeout(() => this.flush(), STRETCH_MS).unref();
    if (kind.lines === LINES) kind.untold += 1;
    else {
      kind.lines += 1;
      this.#report(`refused ${NAMES[what]} ${newest}`);
    }
  }

  /** Says how many there were that have no line, and begins anew. */
  flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    for (const [what, kind] of this.#kinds) {
      if (kind.untold > 0) this.#report(`refused ${NAMES[what]} ${kind.untold} more times`);
      kind.lines = 0;
      kind.untold = 0;
    }
  }

  /** Since the start. */
  list(): RefusedCount[] {
    return [...this.#kinds.values()].map(({ count }) => count);
  }
}

/** One line in which nothing hides. The start of a text is enough to see what was tried. */
function lineOf(detail: string): string {
  const start = redact(detail.slice(0, DETAIL).toWellFormed());
  return visibleText(start.replaceAll(/[\r\n\t]+/g, ' ')) + (detail.length > DETAIL ? '…' : '');
}

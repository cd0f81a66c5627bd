/** The last that a server said beside the protocol, and what was noticed about it. */
import { visibleText } from '#contract/visible-text.ts';
import { redact } from '../base/redact.ts';
import { cutAtCodePoint } from '../base/text.ts';

const MAX_LINES = 200;
const MAX_CHARS = 65_536;
const LINE_CHARS = 2000;

export class ServerLog {
  #lines: string[] = [];
  #chars = 0;

  /** One line, without secrets; what is longer than a line may be is cut. */
  add(line: string): void {
    const clean = redact(line);
    const text = cutAtCodePoint(clean, LINE_CHARS);
    this.#lines.push(text.length < clean.length ? `${text}…` : text);
    this.#chars += this.#lines.at(-1)!.length;
    let over = Math.max(0, this.#lines.length - MAX_LINES);
    for (let chars = this.#chars; chars > MAX_CHARS || over > 0; over -= 1) {
      const gone = this.#lines.shift()!.length;
      chars -= gone;
      this.#chars -= gone;
    }
  }

  /** The newest last, hidden characters visible. */
  lines(): string[] {
    return this.#lines.map(visibleText);
  }

  /** The newest line that says something, hidden characters visible; null where there is none. Node's report of an error ends with its version, so there it is the error. */
  last(): string | null {
    const newest = this.#lines.findLast((one) => one.trim() !== '');
    const isReport = newest !== undefined && /^Node\.js v\d/.test(newest);
    const line = (isReport ? this.#lines.findLast((one) => /^\w*Error\b.*: /.test(one)) : undefined) ?? newest;
    return line === undefined ? null : visibleText(line.trim());
  }
}

/** Cuts bytes into lines for a log; the beginning of a line that is too long is kept. Call `end` for the last. */
export function lineWriter(log: ServerLog): { write: (bytes: Buffer) => void; end: () => void } {
  const decoder = new TextDecoder();
  let rest = '';
  const take = (text: string): void => {
    const lines = (rest + text).split(/\r?\n/);
    rest = lines.pop()!.slice(0, LINE_CHARS + 1);
    // Of a flood only the newest lines would be left.
    for (const line of lines.slice(-MAX_LINES)) log.add(line);
  };
  return {
    write: (bytes) => take(decoder.decode(bytes, { stream: true })),
    end: () => {
      take(decoder.decode());
      if (rest !== '') log.add(rest);
      rest = '';
    },
  };
}

/** The lines of a text as edits are looked for in it, and how much may be done to find them. */

/** Of all lines; a break at the end begins no line. */
export interface Lines {
  /** Where each begins, and where it ends without its break, in UTF-16 code units. */
  starts: number[];
  ends: number[];
  /** Each without spaces and tabs at its ends. */
  bare: string[];
  /** The bare lines, each with a break before and behind it. */
  joined: string;
}

/** Beyond so many lines a text is not looked at line by line. */
const MAX_LINES = 100_000;

/** Null where there are too many. */
export function linesOf(text: string): Lines | null {
  const lines: Lines = { starts: [], ends: [], bare: [], joined: '' };
  for (let start = 0; start < text.length;) {
    if (lines.starts.length === MAX_LINES) return null;
    const newline = text.indexOf('\n', start);
    const after = newline < 0 ? text.length : newline;
    const end = newline > start && text[newline - 1] === '\r' ? newline - 1 : after;
    lines.starts.push(start);
    lines.ends.push(end);
    lines.bare.push(bare(text, start, end));
    start = after + 1;
  }
  lines.joined = `\n${lines.bare.join('\n')}\n`;
  return lines;
}

const SPACE = 32;
const TAB = 9;
const RETURN = 13;

function bare(text: string, start: number, end: number): string {
  const isBlank = (at: number): boolean => {
    const code = text.charCodeAt(at);
    return code === SPACE || code === TAB || code === RETURN;
  };
  let [from, to] = [start, end];
  while (from < to && isBlank(from)) from++;
  while (to > from && isBlank(to - 1)) to--;
  return text.slice(from, to);
}

/** Of a line that stands alone. */
export function bareLine(line: string): string {
  return bare(line, 0, line.length);
}

/** Places that are returned at most. */
const MAX_PLACES = 10;
/** Beyond so many nobody wants to know how many there are. */
export const MAX_COUNTED = 1000;

/** Where a piece stands in a text, also where it overlaps itself. */
export function startsOf(text: string, piece: string): { first: number[]; count: number } {
  const found = { first: [] as number[], count: 0 };
  for (let at = text.indexOf(piece); at >= 0; at = text.indexOf(piece, at + 1)) {
    found.count++;
    if (found.first.length < MAX_PLACES) found.first.push(at);
    if (found.count === MAX_COUNTED) break;
  }
  return found;
}

/** What one call may compare, in code units of text: some tens of milliseconds. */
const MAX_WORK = 4_500_000;

export class Work {
  #done = 0;
  readonly #most: number;

  constructor(most = MAX_WORK) {
    this.#most = most;
  }

  get done(): number {
    return this.#done;
  }

  /** Counts what is about to be done; false where that would be too much. */
  allows(units: number): boolean {
    if (this.#done + units > this.#most) return false;
    this.#done += units;
    return true;
  }
}

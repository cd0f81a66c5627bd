/**
 * What a command printed, as a terminal would show it: colours as classes, what is overwritten replaced, and every other
 * sequence left out, so that nothing in it is active. Pure.
 */
import { CSI, looked, PLAIN, type Look, classesOf } from './terminal-look.ts';

export interface Span {
  text: string;
  /** Class names; empty for plain text. */
  classes: string;
}

export interface Terminal {
  /** Without line ends. */
  lines: Span[][];
  /** Whether text was sent that does not show: overwritten, erased, or inside a sequence such as the address of a link. */
  isReduced: boolean;
}

/** Control sequences; strings (links, titles) with their content; other escapes; single controls. */
const CONTROLS = new RegExp(
  [
    CSI,
    String.raw`(?<string>(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\|\x9c))`,
    String.raw`\x1b[ -\/]*[0-~]`,
    String.raw`[\x00-\x08\x0a-\x1f\x7f-\x9f]`,
  ].join('|'),
  'gv',
);

/** No sequence moves further to the right: a single one must not make a line of millions of blanks. */
const MAX_COLUMN = 500;

export function terminalOf(text: string): Terminal {
  const screen = new Screen();
  let from = 0;
  for (const match of text.matchAll(CONTROLS)) {
    screen.write(text.slice(from, match.index));
    from = match.index + match[0].length;
    const { codes, final, string } = match.groups ?? {};
    if (final !== undefined) screen.control(final, codes ?? '');
    else if (string !== undefined) screen.isReduced = true;
    else screen.key(match[0]);
  }
  screen.write(text.slice(from));
  return { lines: screen.lines(), isReduced: screen.isReduced };
}

/** Lines as one text, neighbours of the same look in one span. */
export function joined(lines: readonly Span[][]): Span[] {
  const spans: Span[] = [];
  for (const [index, line] of lines.entries()) {
    if (index > 0) add(spans, '\n', spans.at(-1)?.classes ?? '');
    for (const { text, classes } of line) add(spans, text, classes);
  }
  return spans;
}

function add(spans: Span[], text: string, classes: string): void {
  const last = spans.at(-1);
  if (last && last.classes === classes) last.text += text;
  else spans.push({ text, classes });
}

interface Row {
  /** Characters, one to a column, whatever their width. */
  characters: string[];
  /** The class names of each. */
  classes: string[];
}

class Screen {
  isReduced = false;
  readonly #rows: Row[] = [{ characters: [], classes: [] }];
  #row = 0;
  #column = 0;
  #look: Look = PLAIN;
  #classes = '';

  write(text: string): void {
    const { characters, classes } = this.#here;
    for (const character of text) {
      while (characters.length < this.#column) this.#put(characters.length, ' ', '');
      const before = characters[this.#column] ?? ' ';
      if (before !== ' ' && before !== character) this.isReduced = true;
      characters[this.#column] = character;
      classes[this.#column] = this.#classes;
      this.#column += 1;
    }
  }

  /** A control character, or an escape that moves nothing. */
  key(key: string): void {
    if (key === '\n') this.#newLine();
    else if (key === '\r') this.#column = 0;
    else if (key === '\b') this.#column = Math.max(0, this.#column - 1);
  }

  control(final: string, codes: string): void {
    const count = Math.max(1, Number.parseInt(codes, 10) || 1);
    switch (final) {
      case 'm':
        this.#look = looked(this.#look, codes);
        this.#classes = classesOf(this.#look);
        return;
      case 'A':
      case 'F':
        this.#row = Math.max(0, this.#row - count);
        if (final === 'F') this.#column = 0;
        return;
      case 'B':
      case 'E':
        this.#row = Math.min(this.#rows.length - 1, this.#row + count);
        if (final === 'E') this.#column = 0;
        return;
      case 'C':
        this.#column = Math.min(Math.max(this.#column, MAX_COLUMN), this.#column + count);
        return;
      case 'D':
        this.#column = Math.max(0, this.#column - count);
        return;
      case 'G':
        this.#column = Math.min(MAX_COLUMN, count - 1);
        return;
      case 'H':
      case 'f':
        // There is no screen whose corner it could be: what comes stands below what is there.
        this.#row = this.#rows.length - 1;
        if (this.#here.characters.length > 0) this.#newLine();
        this.#column = 0;
        return;
      case 'J':
      case 'K':
        return this.#erase(final, codes);
    }
  }

  lines(): Span[][] {
    return this.#rows.map(({ characters, classes }) => {
      const spans: Span[] = [];
      for (const [at, text] of characters.entries()) add(spans, text, classes[at] ?? '');
      return spans;
    });
  }

  get #here(): Row {
    return this.#rows[this.#row]!;
  }

  #put(column: number, character: string, classes: string): void {
    this.#here.characters[column] = character;
    this.#here.classes[column] = classes;
  }

  #newLine(): void {
    this.#row += 1;
    this.#column = 0;
    if (this.#row === this.#rows.length) this.#rows.push({ characters: [], classes: [] });
  }

  /** Of a line its end, its beginning or all of it; of the screen what is below, as the rest of it may be all there is. */
  #erase(what: 'J' | 'K', codes: string): void {
    const part = Number.parseInt(codes, 10) || 0;
    if (what === 'J' && part !== 0) return;
    const { characters, classes } = this.#here;
    if (what === 'K' && part === 1) {
      const end = Math.min(this.#column + 1, characters.length);
      this.#noteLoss(characters.slice(0, end));
      for (let at = 0; at < end; at += 1) this.#put(at, ' ', '');
      return;
    }
    const from = part === 2 ? 0 : this.#column;
    const below = what === 'J' ? this.#rows.splice(this.#row + 1) : [];
    this.#noteLoss([...characters.splice(from), ...below.flatMap((row) => row.characters)]);
    classes.splice(from);
  }

  #noteLoss(characters: readonly string[]): void {
    if (characters.some((character) => character !== ' ')) this.isReduced = true;
  }
}

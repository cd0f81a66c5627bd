/**
 * Output of a command as a terminal shows it: colours as classes, overwritten text replaced. The terminal gets colours,
 * moves and erasures alone, so that nothing in the output is active and no sequence swallows the text behind it.
 */
import type { IBuffer } from '@xterm/headless';
import { classesOf } from './terminal-look.ts';

export interface Span {
  text: string;
  /** Class names; empty for plain text. */
  classes: string;
}

export interface TerminalText {
  /** Without line ends. */
  lines: Span[][];
  /** Whether text was sent that does not show: overwritten, erased, or inside a sequence such as the address of a link. */
  isReduced: boolean;
}

/** Control sequences; strings (links, titles) with their content; other escapes; single controls. */
const CONTROLS = new RegExp(
  [
    String.raw`(?:\x1b\[|\x9b)(?<sequence>[0-?]*[ -\/]*[@-~])`,
    String.raw`(?<string>(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\|\x9c))`,
    String.raw`\x1b[ -\/]*[0-~]`,
    String.raw`[\x00-\x07\x0b\x0c\x0e-\x1f\x7f-\x9f]`,
  ].join('|'),
  'gv',
);
/** Colours, moves, and changes of a line or of what is below. Of the rest of the screen, the text may be all there is. */
const ALLOWED = /^(?:[\d:;]*m|\d*[@A-GPX]|[0-2]?K|0?J)$/;
/** A move to a corner. A pipe has none, so the next text is below the text before. */
const CORNER = /[Hf]$/;

/** Most rows that a sequence can move up or down. */
const MAX_ROWS = 100;
/** A longer line is wrapped by the terminal, and joined afterwards. */
const [MIN_COLUMNS, MAX_COLUMNS] = [80, 500];
/** Bound of the memory, of which a cell takes 12 bytes. An output of more lines has 80 columns. */
const MAX_CELLS = 2_000_000;

/** Reads all of an output. Loads the terminal with the first one. */
export async function readTerminal(output: string): Promise<TerminalText> {
  let hasStrings = false;
  const text = output.replaceAll(CONTROLS, (_, sequence?: string, string?: string) => {
    hasStrings ||= string !== undefined;
    if (sequence === undefined) return '';
    return ALLOWED.test(sequence) ? `\x1b[${sequence}` : CORNER.test(sequence) ? '\n' : '';
  });
  const { default: headless } = await import('@xterm/headless');
  const parts = text.split(/[\n\r]/);
  const longest = parts.reduce((length, part) => Math.max(length, part.length), 0);
  const columns = Math.min(MAX_COLUMNS, longest, Math.floor(MAX_CELLS / parts.length));
  const terminal = new headless.Terminal({
    cols: Math.max(MIN_COLUMNS, columns),
    rows: Math.min(MAX_ROWS, parts.length),
    // Each row takes a character at least.
    scrollback: text.length,
    convertEol: true,
    allowProposedApi: true,
  });
  await new Promise<void>((resolve) => terminal.write(text, resolve));
  const lines = linesOf(terminal.buffer.active);
  terminal.dispose();
  const sent = countInk(text.replaceAll(CONTROLS, ''));
  const shown = lines.flat().reduce((count, span) => count + countInk(span.text), 0);
  return { lines, isReduced: hasStrings || shown < sent };
}

/** Returns the number of characters that are no blanks. */
function countInk(text: string): number {
  return text.replaceAll(/[\s\p{Cc}]/gu, '').length;
}

function linesOf(buffer: IBuffer): Span[][] {
  const lines: Span[][] = [];
  const cell = buffer.getNullCell();
  const cursor = buffer.baseY + buffer.cursorY;
  let end = buffer.length;
  while (end - 1 > cursor && buffer.getLine(end - 1)!.translateToString(true) === '') end--;
  for (let row = 0; row < end; row++) {
    const line = buffer.getLine(row)!;
    let left = line.translateToString(true).length;
    if (!line.isWrapped || lines.length === 0) lines.push([]);
    for (let column = 0; left > 0; column++) {
      line.getCell(column, cell);
      // The second half of a wide character.
      if (cell.getWidth() === 0) continue;
      const text = cell.getChars() || ' ';
      add(lines.at(-1)!, text, classesOf(cell));
      left -= text.length;
    }
  }
  return lines;
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

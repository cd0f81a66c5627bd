/** A text file page by page: as many whole lines as fit into what a model gets at once. */
import { type Encoding, NAME_OF } from './encoding.ts';
import { MAX_OUTPUT_BYTES } from '../long-output.ts';

/** A little less than an output may have, with room for the note at its end. */
export const MAX_BYTES = MAX_OUTPUT_BYTES - 2 * 1024;
export const MAX_LINES = 5000;
const NEWLINE = 10;

export interface Page {
  /** UTF-8. */
  bytes: Buffer;
  lines: number;
  /** Something follows the page. */
  more: boolean;
  /** The page ends within a line that is too long for it. */
  cut: boolean;
  /** Lines of the whole file, where it was read to its end. */
  total: number | null;
  /** End of the text before the page. */
  before: string;
}

/** Maximum length of `before`, in bytes: that of the longest private key. */
const BEFORE_BYTES = 20_000;

/** Reads no further than the page needs, and holds no more than the page. `chunks`: the text in UTF-8. */
export async function readPage(chunks: AsyncIterable<Buffer>, first: number, limit: number): Promise<Page> {
  const kept: Buffer[] = [];
  const skipped = new LastBytes();
  let size = 0;
  let line = 1;
  let atLineStart = true;
  for await (const chunk of chunks) {
    let start = 0;
    while (start < chunk.length) {
      if (line >= first + limit) return finish(kept, skipped, { more: true, total: null });
      const newline = chunk.indexOf(NEWLINE, start);
      const end = newline < 0 ? chunk.length : newline + 1;
      if (line >= first) {
        const room = MAX_BYTES - size;
        kept.push(Buffer.from(chunk.subarray(start, Math.min(end, start + room))));
        size += Math.min(end - start, room);
        if (end - start > room) return finish(kept, skipped, { more: true, total: null });
      } else {
        skipped.push(chunk.subarray(start, end));
      }
      atLineStart = newline >= 0;
      if (atLineStart) line++;
      start = end;
    }
  }
  return finish(kept, skipped, { more: false, total: line - (atLineStart ? 1 : 0) });
}

/** Where the page was cut within a line, that line is left for the next page, unless it is all there is. */
function finish(kept: readonly Buffer[], skipped: LastBytes, { more, total }: Pick<Page, 'more' | 'total'>): Page {
  let bytes: Buffer = Buffer.concat(kept);
  let cut = false;
  if (more && bytes.length > 0 && bytes.at(-1) !== NEWLINE) {
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    cut = end === 0;
    bytes = bytes.subarray(0, cut ? startOfLastCharacter(bytes) : end);
  }
  return { bytes, lines: countLines(bytes), more, cut, total, before: skipped.text };
}

/** Stores the last bytes of a long text. */
class LastBytes {
  #parts: Buffer[] = [];
  #size = 0;

  push(bytes: Buffer): void {
    this.#parts.push(Buffer.from(bytes.subarray(-BEFORE_BYTES)));
    this.#size += this.#parts.at(-1)!.length;
    if (this.#size > 2 * BEFORE_BYTES) this.#parts = [this.#join()];
    if (this.#parts.length === 1) this.#size = this.#parts[0]!.length;
  }

  get text(): string {
    return this.#join().toString('utf8');
  }

  #join(): Buffer {
    return Buffer.concat(this.#parts).subarray(-BEFORE_BYTES);
  }
}

/** Where a character begins that the end of the bytes may have cut. */
function startOfLastCharacter(bytes: Buffer): number {
  let end = bytes.length - 1;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return end;
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return bytes.length === 0 || bytes.at(-1) === NEWLINE ? count : count + 1;
}

/** `size`: bytes of the whole file, which is in `encoding`. */
export function render(page: Page, first: number, size: number, encoding: Encoding = 'utf-8'): string {
  const text = page.bytes.toString('utf8');
  const notes: string[] = [];
  if (size === 0) return '[The file is empty.]';
  if (page.lines === 0 && page.total !== null)
    return `[The file has ${page.total} lines: nothing from line ${first} on.]`;
  if (page.cut) {
    notes.push(
      `Line ${first} is longer than ${MAX_BYTES / 1024} KiB: only its beginning is shown. Go on with offset ${first + 1}.`,
    );
  } else if (page.more) {
    notes.push(
      `Lines ${first} to ${first + page.lines - 1} of a file of ${size} bytes. Go on with offset ${first + page.lines}.`,
    );
  }
  if (encoding !== 'utf-8') notes.push(`The file is in ${NAME_OF[encoding]}.`);
  if (text.includes('\uFFFD')) notes.push('Some bytes are no text in that encoding and are shown as \uFFFD.');
  return notes.length === 0 ? text : `${text}${text.endsWith('\n') ? '' : '\n'}[${notes.join(' ')}]`;
}

/** A text file page by page: as many whole lines as fit into what a model gets at once. */
import type { FileHandle } from 'node:fs/promises';
import { Decoding, type Encoding, endOfCharacters, NAME_OF } from './encoding.ts';
import { MAX_OUTPUT_BYTES } from '../long-output.ts';

/** A little less than an output may have, with room for the note at its end. */
export const MAX_BYTES = MAX_OUTPUT_BYTES - 2 * 1024;
export const MAX_LINES = 5000;
const CHUNK = 64 * 1024;
const NEWLINE = 10;

export interface Page {
  /** UTF-8, whatever the file is in. */
  bytes: Buffer;
  /** Of the file, as far as it was read. */
  encoding: Encoding;
  lines: number;
  /** Something follows the page. */
  more: boolean;
  /** The page ends within a line that is too long for it. */
  cut: boolean;
  /** Lines of the whole file, where it was read to its end. */
  total: number | null;
  binary: boolean;
}

/** Reads no further than the page needs, and holds no more than the page. */
export async function readPage(
  handle: FileHandle,
  { first, limit, signal }: { first: number; limit: number; signal: AbortSignal },
  decoding = new Decoding(),
): Promise<Page> {
  const buffer = Buffer.alloc(CHUNK);
  const kept: Buffer[] = [];
  let size = 0;
  let line = 1;
  let position = 0;
  let atLineStart = true;
  const finish = (rest: Rest): Page => pageOf(kept, decoding.encoding, rest);
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, CHUNK, position);
    if (bytesRead === 0) return finish({ more: false, total: line - (atLineStart ? 1 : 0) });
    const chunk = decoding.take(buffer.subarray(0, bytesRead), bytesRead < CHUNK);
    if (chunk === null) return { ...finish({ more: false, total: null }), binary: true };
    let start = 0;
    while (start < chunk.length) {
      if (line >= first + limit) return finish({ more: true, total: null });
      const newline = chunk.indexOf(NEWLINE, start);
      const end = newline < 0 ? chunk.length : newline + 1;
      if (line >= first) {
        const room = MAX_BYTES - size;
        kept.push(Buffer.from(chunk.subarray(start, Math.min(end, start + room))));
        size += Math.min(end - start, room);
        if (end - start > room) return finish({ more: true, total: null });
      }
      atLineStart = newline >= 0;
      if (atLineStart) line++;
      start = end;
    }
    position += bytesRead;
  }
}

type Rest = Pick<Page, 'more' | 'total'>;

/** Where the page was cut within a line, that line is left for the next page, unless it is all there is. */
function pageOf(kept: readonly Buffer[], encoding: Encoding, { more, total }: Rest): Page {
  let bytes: Buffer = Buffer.concat(kept);
  let cut = false;
  if (more && bytes.length > 0 && bytes.at(-1) !== NEWLINE) {
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    cut = end === 0;
    bytes = bytes.subarray(0, cut ? endOfCharacters(bytes) : end);
  }
  return { bytes, encoding, lines: countLines(bytes), more, cut, total, binary: false };
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return bytes.length === 0 || bytes.at(-1) === NEWLINE ? count : count + 1;
}

export function render(page: Page, first: number, size: number): string {
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
  if (page.encoding !== 'utf-8') notes.push(`The file is in ${NAME_OF[page.encoding]}.`);
  if (text.includes('\uFFFD')) notes.push('Some bytes are no text in that encoding and are shown as \uFFFD.');
  return notes.length === 0 ? text : `${text}${text.endsWith('\n') ? '' : '\n'}[${notes.join(' ')}]`;
}

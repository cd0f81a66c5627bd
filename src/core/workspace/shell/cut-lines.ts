/** Cuts lines of a command's output that are too long. */
import { MAX_OUTPUT_LINE_BYTES } from '#contract/limits.ts';
import { findLineEnds } from '../../base/bounded-body.ts';

/** Follows the beginning of a long line. Redaction knows a key that `[` cuts off. */
const CUT_NOTE = ` [The rest of this line is left out: it is longer than ${MAX_OUTPUT_LINE_BYTES / 1024 / 1024} MiB`;

export class LineCutter {
  /** Bytes of the current line, also those that are left out. */
  #length = 0;

  /** Returns the chunk without the rest of long lines. A note reports each cut, and at the end of the line its length. */
  cut(chunk: Buffer): Buffer {
    if (this.#length + chunk.length <= MAX_OUTPUT_LINE_BYTES) {
      const lastEnd = Math.max(chunk.lastIndexOf('\n'), chunk.lastIndexOf('\r'));
      this.#length = lastEnd === -1 ? this.#length + chunk.length : chunk.length - lastEnd - 1;
      return chunk;
    }
    const pieces: Buffer[] = [];
    const nextLineEnd = findLineEnds(chunk);
    for (let at = 0; at < chunk.length;) {
      const end = nextLineEnd(at);
      pieces.push(...this.#addToLine(chunk.subarray(at, end)));
      if (end < chunk.length) pieces.push(this.end(), chunk.subarray(end, end + 1));
      at = end + 1;
    }
    return Buffer.concat(pieces);
  }

  /** Ends the current line; returns the end of its note. */
  end(): Buffer {
    const length = this.#length;
    this.#length = 0;
    return Buffer.from(length > MAX_OUTPUT_LINE_BYTES ? `, ${length} bytes]` : '');
  }

  #addToLine(bytes: Buffer): Buffer[] {
    const room = Math.max(0, MAX_OUTPUT_LINE_BYTES - this.#length);
    const isFirstCut = this.#length <= MAX_OUTPUT_LINE_BYTES && bytes.length > room;
    this.#length += bytes.length;
    return [bytes.subarray(0, room), ...(isFirstCut ? [Buffer.from(CUT_NOTE)] : [])];
  }
}

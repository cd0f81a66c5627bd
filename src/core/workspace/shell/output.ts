/** The output of a command: in a file, with its beginning and its end in memory. Long lines are cut. */
import { type FileHandle, open } from 'node:fs/promises';
import { MAX_OUTPUT_LINE_BYTES } from '#contract/limits.ts';
import { findLineEnds } from '#core/base/bounded-body.ts';

export interface Output {
  /** The beginning; everything, where `cut` is 0. */
  head: string;
  /** The end, where something between is left out. */
  tail: string;
  /** Number of bytes that were written, without the rest of long lines. */
  bytes: number;
  /** Bytes between head and tail. */
  cut: number;
  /** Bytes at the end that the file does not have: it was full, or could not be written. */
  unkept: number;
}

export class OutputKeeper {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #lines = new LineCutter();
  readonly #file: FileHandle;
  readonly #fileBytes: number;
  readonly #head: Buffer;
  /** A ring: the last bytes, the next one comes at `#after % length`. */
  readonly #tail: Buffer;
  #bytes = 0;
  #after = 0;
  #kept = 0;
  #isFull = false;

  private constructor(file: FileHandle, fileBytes: number, memoryBytes: number) {
    this.#file = file;
    this.#fileBytes = fileBytes;
    this.#head = Buffer.alloc(Math.ceil(memoryBytes / 2));
    this.#tail = Buffer.alloc(Math.floor(memoryBytes / 2));
  }

  /** Makes the file, which must not be there yet. */
  static async open(path: string, fileBytes: number, memoryBytes: number): Promise<OutputKeeper> {
    return new OutputKeeper(await open(path, 'wx', 0o600), fileBytes, memoryBytes);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Resolves with the text that is whole now, when the file has the bytes. */
  async add(chunk: Buffer): Promise<string> {
    return this.#addWhole(this.#lines.cut(chunk));
  }

  async #addWhole(chunk: Buffer): Promise<string> {
    const forHead = Math.max(0, Math.min(chunk.length, this.#head.length - this.#bytes));
    chunk.copy(this.#head, this.#bytes, 0, forHead);
    this.#addToTail(chunk.subarray(forHead));
    this.#bytes += chunk.length;
    const room = this.#isFull ? 0 : Math.min(chunk.length, this.#fileBytes - this.#kept);
    if (room > 0) await this.#write(chunk.subarray(0, room));
    if (room < chunk.length) this.#isFull = true;
    return this.#decoder.decode(chunk, { stream: true });
  }

  /** Closes the file; the rest is the end of a note, or the text of a character that never became whole. */
  async end(): Promise<{ rest: string; output: Output }> {
    const noteEnd = await this.#addWhole(this.#lines.end());
    await this.#file.close();
    const length = Math.min(this.#bytes, this.#head.length);
    const ring = Math.min(this.#after, this.#tail.length);
    const start = this.#after % Math.max(1, this.#tail.length);
    const last =
      this.#after > ring
        ? Buffer.concat([this.#tail.subarray(start), this.#tail.subarray(0, start)])
        : this.#tail.subarray(0, ring);
    const cut = this.#bytes - length - ring;
    const unkept = this.#bytes - this.#kept;
    const head = this.#head.subarray(0, length);
    const rest = noteEnd + this.#decoder.decode();
    if (cut === 0)
      return { rest, output: { head: textOf(Buffer.concat([head, last])), tail: '', bytes: this.#bytes, cut, unkept } };
    const [first, second] = [wholeEnd(head), wholeStart(last)];
    const lost = head.length - first.length + last.length - second.length;
    return { rest, output: { head: textOf(first), tail: textOf(second), bytes: this.#bytes, cut: cut + lost, unkept } };
  }

  #addToTail(chunk: Buffer): void {
    const size = this.#tail.length;
    const last = chunk.subarray(Math.max(0, chunk.length - size));
    this.#after += chunk.length - last.length;
    for (let done = 0; done < last.length;) {
      const at = this.#after % size;
      const count = last.copy(this.#tail, at, done);
      done += count;
      this.#after += count;
    }
  }

  /** A disk that is full stops what is kept, not the command. */
  async #write(bytes: Buffer): Promise<void> {
    try {
      for (let done = 0; done < bytes.length;) {
        const { bytesWritten } = await this.#file.write(bytes, done);
        done += bytesWritten;
        this.#kept += bytesWritten;
      }
    } catch {
      this.#isFull = true;
    }
  }
}

export function textOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Without a character at the end of which bytes are missing. */
export function wholeEnd<T extends Uint8Array>(bytes: T): T {
  let at = bytes.length - 1;
  while (at > bytes.length - 4 && isContinuation(bytes[at])) at -= 1;
  const first = bytes[at] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return (at >= 0 && at + length > bytes.length && length > 1 ? bytes.subarray(0, at) : bytes) as T;
}

function wholeStart(bytes: Buffer): Buffer {
  let at = 0;
  while (at < 3 && isContinuation(bytes[at])) at += 1;
  return bytes.subarray(at);
}

/** Follows the beginning of a long line. Redaction knows a key that `[` cuts off. */
const CUT_NOTE = ` [The rest of this line is left out: it is longer than ${MAX_OUTPUT_LINE_BYTES / 1024 / 1024} MiB`;

/** Cuts lines of a command's output that are too long. */
class LineCutter {
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

/** Which encoding a text is in, and its bytes as UTF-8, chunk by chunk. */
import { isAscii, isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { TextDecoder } from 'node:util';

/** `utf-8-bom`: with a byte order mark. */
export type Encoding = 'utf-8' | 'utf-8-bom' | 'utf-16le' | 'utf-16be' | 'windows-1252';

export const NAME_OF: Readonly<Record<Exclude<Encoding, 'utf-8'>, string>> = {
  'utf-8-bom': 'UTF-8 with a byte order mark, which is left out here',
  'utf-16le': 'UTF-16 LE',
  'utf-16be': 'UTF-16 BE',
  'windows-1252': 'Windows-1252 (or Latin-1)',
};

/** What no text has but binary data has: control characters other than tab, line breaks, backspace and escape. */
// oxlint-disable-next-line no-control-regex -- these are looked for
const CONTROL = /[\x00-\x07\x0e-\x1a\x1c-\x1f\x7f]/;
/** Bytes that Windows-1252 has no character for come out as these. */
const UNASSIGNED = /[\x81\x8d\x8f\x90\x9d]/;
/** UTF-16 without a mark is told by this share of characters below U+0100, and this many bytes, at least. */
const [CLEAR_SHARE, CLEAR_BYTES] = [0.7, 8];

const CHUNK = 64 * 1024;

/** The text of a file, read from its beginning, no further than is asked for. */
export class TextFile implements AsyncIterable<Buffer> {
  readonly #handle: FileHandle;
  readonly #signal: AbortSignal;
  #encoding: Encoding | null;
  #decoder: TextDecoder | null = null;
  #isBinary = false;

  /** `known`: what it is in; else its first chunk that is more than ASCII tells. */
  constructor(handle: FileHandle, signal: AbortSignal, known: 'utf-8' | null = null) {
    this.#handle = handle;
    this.#signal = signal;
    this.#encoding = known;
  }

  /** Of what was read; UTF-8 also where all of it was ASCII. */
  get encoding(): Encoding {
    return this.#encoding ?? 'utf-8';
  }

  /** It is no text: nothing comes of it any more. */
  get isBinary(): boolean {
    return this.#isBinary;
  }

  /** Chunks in UTF-8, without a byte order mark; each is good until the next one is asked for. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    const buffer = Buffer.alloc(CHUNK);
    for (let position = 0; ; position += CHUNK) {
      this.#signal.throwIfAborted();
      const { bytesRead } = await this.#handle.read(buffer, 0, CHUNK, position);
      const isLast = bytesRead < CHUNK;
      const chunk = this.#decode(buffer.subarray(0, bytesRead), position === 0, isLast);
      this.#isBinary = chunk === null || chunk.includes(0);
      if (chunk === null || this.#isBinary) return;
      yield chunk;
      if (isLast) return;
    }
  }

  /** Null where it is in no encoding. */
  #decode(chunk: Buffer, isFirst: boolean, isLast: boolean): Buffer | null {
    if (this.#encoding === null) {
      const found = (isFirst ? markedOrWide(chunk) : null) ?? narrow(chunk, isLast);
      if (found === 'binary') return null;
      this.#encoding = found;
      if (found === 'utf-8-bom') return chunk.subarray(3);
      if (found !== null && found !== 'utf-8') this.#decoder = new TextDecoder(found);
    }
    return this.#decoder ? Buffer.from(this.#decoder.decode(chunk, { stream: !isLast })) : chunk;
  }
}

/** A whole text; `named`: the encoding that its sender names, which a byte order mark overrules. Null where it is no text. */
export function decoded(bytes: Buffer, named: string | null): string | null {
  const encoding = markedOrWide(bytes.subarray(0, CHUNK)) ?? known(named) ?? narrow(bytes, true) ?? 'utf-8';
  if (encoding === 'binary') return null;
  const text = new TextDecoder(encoding === 'utf-8-bom' ? 'utf-8' : encoding).decode(bytes);
  return text.includes('\0') ? null : text;
}

/** Null for a name that no encoding has. */
function known(label: string | null): string | null {
  try {
    return label && new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}

/** By its byte order mark, or by the zeros of UTF-16; null where there is neither. */
function markedOrWide(chunk: Buffer): Encoding | null {
  const [first, second, third] = chunk;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8-bom';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return (['utf-16le', 'utf-16be'] as const).find((encoding) => isClearly(encoding, chunk)) ?? null;
}

function isClearly(encoding: 'utf-16le' | 'utf-16be', chunk: Buffer): boolean {
  if (chunk.length < CLEAR_BYTES || chunk.length % 2 === 1 || !chunk.includes(0)) return false;
  const text = new TextDecoder(encoding).decode(chunk, { stream: true });
  const low = text.replaceAll(/[^\x20-\xff\s]/g, '').length;
  return low / text.length >= CLEAR_SHARE && !CONTROL.test(text) && !text.includes('\uFFFD');
}

/** An encoding of single bytes and what begins like ASCII; null for ASCII alone. */
function narrow(chunk: Buffer, isLast: boolean): Encoding | 'binary' | null {
  if (chunk.includes(0)) return 'binary';
  if (isAscii(chunk)) return null;
  if (isUtf8(chunk)) return 'utf-8';
  // That its end cuts a character is no fault.
  const text = new TextDecoder('utf-8').decode(chunk, { stream: !isLast });
  const wrong = text.split('\uFFFD').length - 1;
  const right = (text.match(/[^\0-\x7f\uFFFD]/g) ?? []).length;
  if (wrong <= right) return 'utf-8';
  const bytes = chunk.toString('latin1');
  if (CONTROL.test(bytes)) return 'binary';
  return UNASSIGNED.test(bytes) ? 'utf-8' : 'windows-1252';
}

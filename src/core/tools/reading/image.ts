/** Pictures that a model can be shown: recognised by their bytes, and refused where its provider would refuse them. */
import type { FileHandle } from 'node:fs/promises';
import type { Image } from '#contract/message.ts';
import { TriadError } from '../../base/errors.ts';
import { sha256 } from '../../base/hash.ts';

/** Most that a model is shown: 5 MB in base64, and pixels of either side. */
const MAX_BYTES = 3_750_000;
const MAX_SIDE = 8000;

/** As many bytes of a file tell what it is. */
export const HEAD_BYTES = 12;

export function imageTypeOf(head: Buffer): Image['mediaType'] | null {
  const text = head.toString('latin1');
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(text)) return 'image/gif';
  return /^RIFF[^]{4}WEBP/.test(text) ? 'image/webp' : null;
}

/** Throws `bad_input` for one that is broken, too large or has too many pixels. */
export async function readImage(
  handle: FileHandle,
  mediaType: Image['mediaType'],
  path: string,
): Promise<{ image: Image; bytes: Buffer }> {
  const { size } = await handle.stat();
  checkSize(size, path);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(size), 0, size, 0);
  const bytes = buffer.subarray(0, bytesRead);
  return { image: imageOf(bytes, mediaType, path), bytes };
}

function refused(path: string, why: string): TriadError {
  return new TriadError('bad_input', `${path} cannot be shown: ${why}`);
}

function checkSize(size: number, path: string): void {
  if (size > MAX_BYTES)
    throw refused(path, `the image has ${size} bytes, and at most ${MAX_BYTES} can be. Make a smaller copy of it`);
}

/** Throws as `readImage` does. */
export function imageOf(bytes: Buffer, mediaType: Image['mediaType'], path: string): Image {
  checkSize(bytes.length, path);
  const sides = sidesOf(mediaType, bytes);
  if (sides === null) throw refused(path, `it begins like ${mediaType}, but is broken or not complete`);
  const { width, height } = sides;
  if (Math.max(width, height) > MAX_SIDE)
    throw refused(
      path,
      `the image has ${width} × ${height} pixels, and at most ${MAX_SIDE} a side can be. Make a smaller copy`,
    );
  return { mediaType, bytes: bytes.length, width, height, sha256: sha256(bytes) };
}

interface Sides {
  width: number;
  height: number;
}

/** Null where it is not whole: one that a provider cannot read would make it refuse every later request too. */
function sidesOf(mediaType: Image['mediaType'], bytes: Buffer): Sides | null {
  try {
    const { width, height } = SIDES[mediaType](bytes) ?? { width: 0, height: 0 };
    return width > 0 && height > 0 ? { width, height } : null;
  } catch (error) {
    // What should be there lies behind the end.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const SIDES: Readonly<Record<Image['mediaType'], (bytes: Buffer) => Sides | null>> = {
  'image/png': (bytes) =>
    bytes.includes('IEND') ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : null,
  'image/gif': (bytes) =>
    bytes.subarray(-16).includes(0x3b) ? { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) } : null,
  'image/jpeg': sidesOfJpeg,
  'image/webp': (bytes) => (bytes.readUInt32LE(4) + 8 <= bytes.length ? sidesOfWebp(bytes) : null),
};

/** From the header of its frame; what is coded follows it, up to an end mark. */
function sidesOfJpeg(bytes: Buffer): Sides | null {
  let sides: Sides | null = null;
  for (let at = 2; bytes.readUInt8(at) === 0xff;) {
    const marker = bytes.readUInt8(at + 1);
    // Any number of these may stand before a marker.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) sides = { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    if (marker === 0xda) return bytes.includes(Buffer.of(0xff, 0xd9), at) ? sides : null;
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

/** By the kind of its first chunk: with loss, without, or extended. */
function sidesOfWebp(bytes: Buffer): Sides | null {
  const kind = bytes.toString('latin1', 12, 16);
  if (kind === 'VP8 ') return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (kind === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (kind !== 'VP8L') return null;
  const packed = bytes.readUInt32LE(21);
  return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
}

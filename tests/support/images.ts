/** Small pictures, whole as far as their form goes, and broken ones made of them. */

const u16be = (value: number): number[] => [value >> 8, value & 0xff];
const u16le = (value: number): number[] => [value & 0xff, value >> 8];
const u32be = (value: number): number[] => [...u16be(value >>> 16), ...u16be(value & 0xffff)];
const u32le = (value: number): number[] => [...u16le(value & 0xffff), ...u16le(value >>> 16)];
const ascii = (text: string): number[] => [...Buffer.from(text, 'latin1')];

/** A real one: red, 4 by 3. */
export const RED = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAQAAAADCAIAAAA7ljmRAAAAEElEQVR4nGM4IScHRww4OQD1xwwxB+utmQAAAABJRU5ErkJggg==',
  'base64',
);

/** Header and end alone; `padding`: bytes between them. */
export function png(width: number, height: number, padding = 0): Buffer {
  const head = [...ascii('\x89PNG\r\n\x1a\n'), ...u32be(13), ...ascii('IHDR'), ...u32be(width), ...u32be(height)];
  return Buffer.concat([Buffer.from(head), Buffer.alloc(padding), Buffer.from('IEND')]);
}

export function gif(width: number, height: number): Buffer {
  return Buffer.from([...ascii('GIF89a'), ...u16le(width), ...u16le(height), 0, 0, 0, 0x3b]);
}

/** A JPEG with a preview in a segment, a fill byte, a progressive frame, and segments whose markers resemble a frame's. */
export function jpeg(width: number, height: number): Buffer {
  const preview = [0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, ...u16be(1), ...u16be(1), 0xff, 0xd9];
  const segment = [0xff, 0xe1, ...u16be(preview.length + 2), ...preview];
  const frame = [0xff, 0xff, 0xc2, ...u16be(8), 8, ...u16be(height), ...u16be(width), 1];
  const others = [0xc4, 0xc8, 0xcc].flatMap((marker) => [0xff, marker, ...u16be(8), 1, 2, 3, 4, 5, 6]);
  return Buffer.from([0xff, 0xd8, ...segment, ...frame, ...others, 0xff, 0xda, ...u16be(2), 1, 2, 3, 0xff, 0xd9]);
}

export function webp(kind: 'VP8 ' | 'VP8L' | 'VP8X', width: number, height: number): Buffer {
  const u24le = (value: number): number[] => u32le(value).slice(0, 3);
  const data = {
    'VP8 ': [0, 0, 0, 0x9d, 0x01, 0x2a, ...u16le(width), ...u16le(height), 1, 2, 3, 4],
    VP8L: [0x2f, ...u32le((width - 1) | ((height - 1) << 14))],
    VP8X: [0, 0, 0, 0, ...u24le(width - 1), ...u24le(height - 1)],
  }[kind];
  const chunk = [...ascii(kind), ...u32le(data.length), ...data];
  return Buffer.from([...ascii('RIFF'), ...u32le(chunk.length + 4), ...ascii('WEBP'), ...chunk]);
}

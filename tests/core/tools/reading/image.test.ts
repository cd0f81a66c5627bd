/** Pictures are known by their bytes, measured, and refused where a provider would refuse them. */
import { expect, test } from 'vitest';
import { readFileTool } from '#core/tools/reading/read-file.ts';
import { gif, jpeg, png, webp } from '../../../support/images.ts';
import { call, contextIn, contextWith, folderWith } from '../../../support/workspace.ts';

/** `kept`: what was kept of it. */
async function read(bytes: Uint8Array) {
  const folder = await folderWith({ 'a.txt': bytes });
  const kept: Buffer[] = [];
  const keepImage = (image: Buffer) => Promise.resolve(void kept.push(image));
  const result = await call(
    readFileTool(),
    { path: 'a.txt' },
    contextWith(contextIn(folder), { outputs: { keepImage } }),
  );
  return { ...result, kept };
}

test.for<[string, Buffer, string]>([
  ['PNG', png(640, 480), 'image/png'],
  ['GIF', gif(640, 480), 'image/gif'],
  ['JPEG', jpeg(640, 480), 'image/jpeg'],
  ['WebP with loss', webp('VP8 ', 640, 480), 'image/webp'],
  ['WebP without loss', webp('VP8L', 640, 480), 'image/webp'],
  ['WebP extended', webp('VP8X', 640, 480), 'image/webp'],
])('shows a %s image with any file name, and stores its bytes', async ([, bytes, mediaType]) => {
  const { image, output, kept } = await read(bytes);
  expect(image).toMatchObject({ mediaType, width: 640, height: 480, bytes: bytes.length });
  expect(output).toBe(`[The image a.txt: ${mediaType}, 640 × 480 pixels, ${bytes.length} bytes.]`);
  expect(kept).toEqual([bytes]);
});

test.for<[string, Buffer]>([
  ['PNG', png(640, 480)],
  ['GIF', gif(640, 480)],
  ['JPEG', jpeg(640, 480)],
  ['WebP', webp('VP8 ', 640, 480)],
])('rejects a %s that is cut off at any byte, and stores nothing', async ([, bytes]) => {
  // The head alone makes it one.
  for (let length = 12; length < bytes.length; length += 1) {
    const { status, output, kept } = await read(bytes.subarray(0, length));
    expect([length, status, output, kept]).toEqual([
      length,
      'error',
      expect.stringMatching(/^a\.txt cannot be shown: it begins like image\/.* broken or not complete$/),
      [],
    ]);
  }
});

test('rejects an image with too many bytes or pixels, with the limit', async () => {
  const largest = png(8000, 10);
  expect((await read(largest)).status).toBe('completed');
  expect((await read(png(8001, 10))).output).toContain('8001 × 10 pixels, and at most 8000 a side');
  expect((await read(png(10, 10, 3_750_000 - png(10, 10).length))).status).toBe('completed');
  expect((await read(png(10, 10, 3_750_000))).output).toContain('bytes, and at most 3750000 can be');
});

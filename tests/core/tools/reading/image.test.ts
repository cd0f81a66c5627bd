/** Pictures are known by their bytes, measured, and refused where a provider would refuse them. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { HEAD_BYTES, imageOf, imageTypeOf } from '#core/tools/reading/image.ts';
import { toolUse } from '../../../support/fake-model/script.ts';
import { gif, jpeg, png, webp } from '../../../support/images.ts';
import { sharedEngine } from '../../../support/shared-engine.ts';
import { runCalls } from '../../../support/tool-calls.ts';

const { start } = sharedEngine();

/** Reads the files `0.txt`, `1.txt` and so on; `stored` is what is stored of each as an image. */
async function readAll(images: readonly Buffer[]) {
  const paths = images.map((_, index) => `${index}.txt`);
  const files = Object.fromEntries(images.map((bytes, index) => [paths[index]!, bytes]));
  const calls = paths.map((path) => toolUse('read_file', { path }));
  const { engine, entries } = await runCalls([calls], (script) => start(script, { files }));
  const { conversationId, runtime } = engine;
  const findStored = async (bytes: Buffer) => {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const image = await runtime.request('call.image', { conversationId, sha256 }).catch(() => null);
    return image && Buffer.from(image.data, 'base64');
  };
  return { entries, stored: await Promise.all(images.map(findStored)) };
}

test('shows an image of each kind with any file name, and stores its bytes', async () => {
  const images: [Buffer, string][] = [
    [png(640, 480), 'image/png'],
    [gif(640, 480), 'image/gif'],
    [jpeg(640, 480), 'image/jpeg'],
    [webp('VP8 ', 640, 480), 'image/webp'],
    [webp('VP8L', 640, 480), 'image/webp'],
    [webp('VP8X', 640, 480), 'image/webp'],
  ];
  const { entries, stored } = await readAll(images.map(([bytes]) => bytes));
  expect(stored).toEqual(images.map(([bytes]) => bytes));
  expect(entries.map(({ output, image }) => [output, image])).toEqual(
    images.map(([{ length: bytes }, mediaType], index) => [
      `[The image ${index}.txt: ${mediaType}, 640 × 480 pixels, ${bytes} bytes.]`,
      expect.objectContaining({ mediaType, width: 640, height: 480, bytes }) as unknown,
    ]),
  );
});

const COMPLETE: [string, Buffer][] = [
  ['PNG', png(640, 480)],
  ['GIF', gif(640, 480)],
  ['JPEG', jpeg(640, 480)],
  ['WebP', webp('VP8 ', 640, 480)],
];
const BROKEN = /^\d+\.txt cannot be shown: it begins like image\/.* broken or not complete$/;

test.for(COMPLETE)('rejects a %s that is cut off at any byte', ([, bytes]) => {
  // The head alone makes it one.
  for (let length = HEAD_BYTES; length < bytes.length; length += 1) {
    const part = bytes.subarray(0, length);
    expect(() => imageOf(part, imageTypeOf(part.subarray(0, HEAD_BYTES))!, '0.txt'), `${length}`).toThrow(BROKEN);
  }
});

test('stores nothing of an image that is cut off', async () => {
  const parts = COMPLETE.flatMap(([, bytes]) => [bytes.subarray(0, HEAD_BYTES), bytes.subarray(0, -1)]);
  const { entries, stored } = await readAll(parts);
  expect(entries.map(({ status, output }) => [status, output])).toEqual(
    parts.map(() => ['error', expect.stringMatching(BROKEN) as string]),
  );
  expect(stored).toEqual(parts.map(() => null));
});

test('rejects an image with too many bytes or pixels, with the limit', () => {
  const check = (bytes: Buffer) => imageOf(bytes, 'image/png', '0.txt');
  expect(check(png(8000, 10))).toMatchObject({ width: 8000, height: 10 });
  expect(() => check(png(8001, 10))).toThrow('8001 × 10 pixels, and at most 8000 a side');
  expect(check(png(10, 10, 3_750_000 - png(10, 10).length))).toMatchObject({ bytes: 3_750_000 });
  expect(() => check(png(10, 10, 3_750_000))).toThrow('bytes, and at most 3750000 can be');
});

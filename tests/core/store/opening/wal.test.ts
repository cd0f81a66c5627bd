/** A log whose middle cannot be read is damage, which the engine would pass over in silence; one that is cut off is not. */
import { cp, open, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { damagedLog } from '#core/store/opening/wal.ts';
import { newId } from '#core/base/ids.ts';
import { startChild } from '../child/run.ts';
import { firstRelease, schemaDir, testFolder } from '../support.ts';

const LOG = '000004.log';

async function flip(path: string, at: number): Promise<void> {
  const byte = (await readFile(path))[at] ?? 0;
  const file = await open(path, 'r+');
  await file.write(Buffer.of(byte ^ 0xff), 0, 1, at);
  await file.close();
}

test('a byte that changed is found wherever it is, but for the last record', async () => {
  const store = await firstRelease(await testFolder());
  const { length } = await readFile(join(store, LOG));
  expect(await damagedLog(store)).toBeNull();
  // Of a checksum, a length, a kind, a text, and anywhere.
  for (const at of [0, 4, 6, 100, 32_768, 40_000, Math.floor(length / 2)]) {
    await flip(join(store, LOG), at);
    expect(await damagedLog(store), `byte ${at} of ${length}`).toBe(LOG);
    await flip(join(store, LOG), at);
  }
});

test('a log that a crash cut off is whole', async () => {
  const store = await firstRelease(await testFolder());
  const { length } = await readFile(join(store, LOG));
  for (const end of [length - 1, length - 500, 40_000, 32_770, 5]) {
    await truncate(join(store, LOG), end);
    expect(await damagedLog(store), `${end} bytes`).toBeNull();
  }
  // Space that was taken ahead.
  await truncate(join(store, LOG), 100_000);
  expect(await damagedLog(store)).toBeNull();
});

test('a store with such a log is not opened', async () => {
  const base = await testFolder();
  const store = await firstRelease(base);
  await flip(join(store, LOG), 40_000);
  await cp(store, join(base, 'before'), { recursive: true });
  const child = startChild('store.ts', ['open', store, newId(), schemaDir]);
  expect(JSON.parse(await child.line())).toMatchObject({
    code: 'store_failed',
    message: expect.stringMatching(/is damaged: there is no backup of it; .* triad restore /) as string,
  });
  expect(await readFile(join(store, LOG))).toEqual(await readFile(join(base, 'before', LOG)));
});

/** Detection of a moved or deleted folder of an open store. */
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startChild } from '../child/run.ts';
import { testFolder } from '../support.ts';

test('reports a store folder that was moved or deleted', async () => {
  const base = await testFolder();
  const reasons = ['moved', 'deleted'].map(async (change) => {
    const folder = join(base, change);
    const owner = startChild('store.ts', ['watch', folder]);
    expect(await owner.line()).toBe('opened');
    await (change === 'moved' ? rename(folder, `${folder}-away`) : rm(folder, { recursive: true }));
    return JSON.parse(await owner.line()) as unknown;
  });
  for (const reason of await Promise.all(reasons))
    expect(reason).toMatchObject({
      code: 'store_failed',
      message: expect.stringMatching(
        /^The folder of the store is gone, so all work was stopped: put .* back, or restore a backup/,
      ) as string,
    });
});

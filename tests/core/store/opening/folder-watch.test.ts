/** Detection of a moved or deleted folder of an open store. */
import { once } from 'node:events';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { watchFolder } from '#core/store/opening/folder-watch.ts';
import { testFolder } from '../support.ts';

test('reports a store folder that was moved or deleted', async () => {
  const base = await testFolder();
  const reasons = ['moved', 'deleted'].map(async (change) => {
    const folder = join(base, change);
    await mkdir(folder);
    await writeFile(join(folder, 'CURRENT'), '');
    const watch = await watchFolder(folder);
    onTestFinished(() => watch.end());
    const { lost: signal } = watch;
    await (change === 'moved' ? rename(folder, `${folder}-away`) : rm(folder, { recursive: true }));
    if (!signal.aborted) await once(signal, 'abort');
    return signal.reason as unknown;
  });
  for (const reason of await Promise.all(reasons))
    expect(reason).toMatchObject({
      code: 'store_failed',
      message: expect.stringMatching(
        /^The folder of the store is gone, so all work was stopped: put .* back, or restore a backup/,
      ) as string,
    });
});

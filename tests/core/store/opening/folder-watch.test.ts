/** Detects that the folder of an open store was moved or deleted. */
import { once } from 'node:events';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { watchFolder } from '#core/store/opening/folder-watch.ts';
import { testFolder } from '../support.ts';

test('reports a store folder that was moved or deleted', async () => {
  const base = await testFolder();
  const losses = ['moved', 'deleted'].map(async (how) => {
    const folder = join(base, how);
    await mkdir(folder);
    await writeFile(join(folder, 'CURRENT'), '');
    const watch = await watchFolder(folder);
    onTestFinished(() => watch.end());
    const { lost } = watch;
    await (how === 'moved' ? rename(folder, `${folder}-away`) : rm(folder, { recursive: true }));
    if (!lost.aborted) await once(lost, 'abort');
    return lost.reason as unknown;
  });
  for (const reason of await Promise.all(losses))
    expect(reason).toMatchObject({
      code: 'store_failed',
      message: expect.stringMatching(
        /^The folder of the store is gone, so all work was stopped: put .* back, or restore a backup/,
      ) as string,
    });
});

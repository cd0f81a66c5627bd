/** A file is read again after every change, however its size and times look; one that has long been as it is, is not. */
import { rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { FileTextCache } from '#core/agents/file-text-cache.ts';
import { folderWith } from '../../support/workspace.ts';

async function place() {
  // What was written just now has been there for a minute.
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const folder = await folderWith({ 'a.md': 'one', 'b.md': 'two' });
  const path = join(folder, 'a.md');
  const texts = new FileTextCache();
  const said = async (): Promise<string> => {
    const { problem, ...file } = await texts.read(path);
    return 'text' in file ? file.text : `${problem?.slice(0, 14)}`;
  };
  return { folder, path, texts, said, later: () => vi.setSystemTime(Date.now() + 60_000) };
}

test('a file that is unchanged for a while is read from the cache, and a new file is not', async () => {
  const { path, texts, later } = await place();
  expect(await texts.read(path), 'just written').not.toBe(await texts.read(path));
  later();
  expect(await texts.read(path)).toBe(await texts.read(path));
});

test('every change is noticed, also with equal size and time, or through a replacement of the file or a link', async () => {
  const { folder, path, said, later } = await place();
  later();
  expect(await said()).toBe('one');
  // As in life: what is changed now is not yet old.
  vi.useRealTimers();
  for (const text of ['two', 'six', 'ten']) {
    await writeFile(path, text);
    await utimes(path, 1, 1);
    expect(await said()).toBe(text);
    expect(await said()).toBe(text);
  }
  await rename(join(folder, 'b.md'), path);
  expect(await said()).toBe('two');
  await rm(path);
  expect(await said()).toBe('cannot be read');
  await writeFile(join(folder, 'c.md'), 'red');
  await symlink(join(folder, 'c.md'), path);
  expect(await said()).toBe('red');
  await writeFile(join(folder, 'c.md'), 'tan');
  expect(await said()).toBe('tan');
});

test('nothing is cached if the clock was set back', async () => {
  const { path, texts } = await place();
  vi.setSystemTime(0);
  expect(await texts.read(path)).not.toBe(await texts.read(path));
});

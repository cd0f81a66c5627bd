/** A file is written over the text that was looked at, and over no other, up to the last moment. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sha256 } from '#core/base/hash.ts';
import { swapText } from '#core/settings/swap-text.ts';
import { tryRead } from '#core/settings/toml-file.ts';
import { folderWith } from '../../support/workspace.ts';

async function swapping(base: string | null, record: (file: string) => Promise<void> = () => Promise.resolve()) {
  const folder = await folderWith({ 'a.toml': 'one' });
  const file = join(folder, 'a.toml');
  const read = async () => {
    const found = await tryRead(file);
    return 'text' in found ? found.text : null;
  };
  const done = await swapText({ file, base, text: 'two', record: () => record(file) }, read).catch(
    (error: unknown) => error,
  );
  return { done, text: await readFile(file, 'utf8'), files: await readdir(folder) };
}

test('overwrites the file if its text equals the base text', async () => {
  expect(await swapping(sha256('one'))).toEqual({ done: undefined, text: 'two', files: ['a.toml'] });
});

test.for([
  ['a text that differs from the base', sha256('other'), undefined, 'one'],
  ['a text without a base', null, undefined, 'one'],
  ['a text that changed during the recording', sha256('one'), (file: string) => writeFile(file, 'three'), 'three'],
] as const)('does not overwrite another text: %s', async ([, base, record, text]) => {
  const found = await swapping(base, record);
  expect(found).toEqual({ done: expect.objectContaining({ code: 'conflict' }) as unknown, text, files: ['a.toml'] });
});

test('records no change if the text of the file differs from the base', async () => {
  let recorded = 0;
  await swapping(sha256('other'), () => Promise.resolve(void (recorded += 1)));
  expect(recorded).toBe(0);
});

test('writes no change that could not be recorded', async () => {
  const found = await swapping(sha256('one'), () => Promise.reject(new Error('full')));
  expect(found).toMatchObject({ text: 'one', files: ['a.toml'] });
});

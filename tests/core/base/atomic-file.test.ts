/** A file is replaced whole or not at all. */
import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeAtomically } from '#core/base/atomic-file.ts';
import { folderWith } from '../../support/workspace.ts';

test('replaces the content and sets the given mode regardless of the umask', async () => {
  const folder = await folderWith({ a: 'old' });
  await chmod(join(folder, 'a'), 0o600);
  await writeAtomically(join(folder, 'a'), 'new', { mode: 0o666 });
  expect(await readFile(join(folder, 'a'), 'utf8')).toBe('new');
  expect((await stat(join(folder, 'a'))).mode & 0o777).toBe(0o666);
  expect(await readdir(folder)).toEqual(['a']);
});

test('an error right before the rename preserves the old content and leaves no other file', async () => {
  const folder = await folderWith({ a: 'old' });
  const before = async () => {
    expect(await readdir(folder)).toHaveLength(2);
    throw new Error('changed');
  };
  await expect(writeAtomically(join(folder, 'a'), 'new', { before })).rejects.toThrow('changed');
  expect(await readFile(join(folder, 'a'), 'utf8')).toBe('old');
  expect(await readdir(folder)).toEqual(['a']);
});

test('readers see either the complete old or the complete new content', async () => {
  const folder = await folderWith({ a: 'x'.repeat(200_000) });
  const path = join(folder, 'a');
  const seen = new Set<string>();
  const writing = (async () => {
    for (const letter of 'abcdefghij') await writeAtomically(path, letter.repeat(200_000));
  })();
  for (let i = 0; i < 100; i++) seen.add(await readFile(path, 'utf8'));
  await writing;
  for (const text of seen) expect(text).toBe(text[0]!.repeat(200_000));
});

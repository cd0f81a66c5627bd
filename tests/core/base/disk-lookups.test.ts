/** Files whose attributes are read at once: those on a local disk, without a link in the path. */
import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { findRealPath, isOnLocalDisk, lookAtOnce, readLinkStats } from '#core/base/disk-lookups.ts';
import { isMissing, readRegularFile } from '#core/base/regular-file.ts';
import { PinnedFolders, Root } from '#core/workspace/roots.ts';
import { eventually } from '../../support/eventually.ts';

let folder = '';

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'triad-test-')));
  await writeFile(join(folder, 'a.txt'), 'A');
  await mkdir(join(folder, 'real'));
  await writeFile(join(folder, 'real', 'b.txt'), 'B');
  await symlink(join(folder, 'real'), join(folder, 'link'));
  await symlink(join(folder, 'a.txt'), join(folder, 'c.txt'));
});

describe.runIf(process.platform === 'linux')('file lookups on a local disk', () => {
  beforeEach(() => eventually(() => expect(isOnLocalDisk(folder)).toBe(true)));

  test('return attributes of existing and missing files synchronously, but not through links', () => {
    expect(lookAtOnce(join(folder, 'a.txt'))?.size).toBe(1);
    expect(lookAtOnce(join(folder, 'real/b.txt'))?.size).toBe(1);
    expect(lookAtOnce(join(folder, 'missing/more/x'))).toBeNull();
    expect(lookAtOnce(join(folder, 'c.txt'))).toBeUndefined();
    expect(lookAtOnce(join(folder, 'link/b.txt'))).toBeUndefined();
    expect(lookAtOnce(join(folder, 'link/missing'))).toBeUndefined();
  });

  test('read files and resolve paths also through links, and recognise folders and missing files', async () => {
    expect(await readRegularFile(join(folder, 'a.txt'))).toBe('A');
    expect(await readRegularFile(join(folder, 'c.txt'))).toBe('A');
    expect(await readRegularFile(join(folder, 'link/b.txt'))).toBe('B');
    await expect(readRegularFile(join(folder, 'real'))).rejects.toThrow('it is not a regular file');
    expect(isMissing(await readRegularFile(join(folder, 'missing')).catch((error: unknown) => error))).toBe(true);
    expect(await findRealPath(join(folder, 'link/b.txt'))).toBe(join(folder, 'real/b.txt'));
    expect(await findRealPath(join(folder, 'missing'))).toBeNull();
    expect((await readLinkStats(join(folder, 'link')))?.isSymbolicLink()).toBe(true);
  });

  test('do not open a workspace folder that was replaced or has become a link', async () => {
    const workspace = join(folder, 'real');
    const roots = new PinnedFolders();
    const root = await roots.pin(workspace);
    await eventually(() => expect(isOnLocalDisk(workspace)).toBe(true));
    await (await Root.open({ folder: workspace, root })).close();
    await rename(workspace, join(folder, 'moved'));
    await expect(Root.open({ folder: workspace, root })).rejects.toMatchObject({ code: 'not_found' });
    await mkdir(workspace);
    await expect(Root.open({ folder: workspace, root })).rejects.toMatchObject({ code: 'not_allowed' });
    expect(await roots.isReplaced(workspace)).toBe(true);
    await rm(workspace, { recursive: true });
    await symlink(join(folder, 'moved'), workspace);
    await expect(Root.open({ folder: workspace, root })).rejects.toMatchObject({ code: 'not_allowed' });
    expect(await roots.isReplaced(workspace)).toBe(true);
  });
});

test('file lookups are asynchronous until the file system of the folder is known', () => {
  // Deeper than the folders whose answer for one above counts: another test may have asked for that.
  const deep = join(folder, 'one', 'two', 'three');
  expect(isOnLocalDisk(deep)).toBe(false);
  expect(lookAtOnce(join(deep, 'a.txt'))).toBeUndefined();
});

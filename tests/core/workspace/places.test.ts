/** No path leads out of the workspace; what tools make of each kind of path is in `path-escapes.test.ts`. */
import { mkdir, readdir, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeFolder, openInside, resolveInside, withFolder } from '#core/workspace/places.ts';
import { isInside } from '#core/workspace/reach.ts';
import { folderWith, workspaceIn } from '../../support/workspace.ts';
import { inFullRun, samples } from '../../support/samples.ts';

/** How often something is opened while it is swapped. */
const ROUNDS = inFullRun ? 1000 : 100;

test('resolves relative and absolute paths inside the workspace to the canonical path and follows inner links', async () => {
  const folder = await folderWith({ 'src/a.ts': 'a' });
  await symlink('src', join(folder, 'in'));
  expect(await resolveInside(workspaceIn(folder), 'in/a.ts')).toBe(join(folder, 'src/a.ts'));
  expect(await resolveInside(workspaceIn(folder), 'src/a.ts')).toBe(join(folder, 'src/a.ts'));
  expect(await resolveInside(workspaceIn(folder), './src/../src/a.ts')).toBe(join(folder, 'src/a.ts'));
  expect(await resolveInside(workspaceIn(folder), join(folder, 'src'))).toBe(join(folder, 'src'));
  expect(await resolveInside(workspaceIn(folder), 'new/deep/file.txt')).toBe(join(folder, 'new/deep/file.txt'));
  expect(await resolveInside(workspaceIn(folder), '.')).toBe(folder);
});

test('resolves any path to a place inside the workspace or rejects the path', async () => {
  const outside = await folderWith({ 'o/x.txt': 'x' });
  const folder = await folderWith({ 'a/b/c.txt': 'c', 'd.txt': 'd' });
  const targets = [outside, '..', '../..', '/', join(outside, 'o'), join(folder, 'a'), 'a/b', '../a', '.'];
  for (const [index, target] of targets.entries()) {
    await symlink(target, join(folder, `l${index}`));
    await symlink(target, join(folder, 'a', `l${index}`));
  }
  const links = targets.map((_, index) => `l${index}`);
  const part = fc.constantFrom('..', '.', '', 'a', 'b', 'c.txt', 'd.txt', 'o', 'x.txt', 'new', ...links);
  const paths = fc.array(part, { maxLength: 8 }).map((parts) => parts.join('/'));
  const absolute = fc
    .tuple(fc.constantFrom(folder, outside, dirname(folder), ''), paths)
    .map((parts) => parts.join('/'));
  await fc.assert(
    fc.asyncProperty(fc.oneof(paths, absolute), async (path) => {
      const found = await resolveInside(workspaceIn(folder), path).catch(() => null);
      if (found === null) return;
      expect(isInside(folder, found)).toBe(true);
      const real = await realpath(found).catch(() => null);
      if (real !== null) expect(isInside(folder, real)).toBe(true);
    }),
    samples(80),
  );
});

/** Swaps `keep` for a link to the outside and back, again and again, until the work is done. */
async function whileSwapped(folder: string, outside: string, work: () => Promise<void>): Promise<void> {
  const [keep, aside] = [join(folder, 'keep'), join(folder, 'aside')];
  // Work that makes folders may have made it anew in between.
  const back = async (): Promise<void> => {
    await rm(keep, { recursive: true, force: true }).catch(() => undefined);
    await rename(aside, keep).catch(back);
  };
  let on = true;
  const swapping = (async () => {
    while (on) {
      await rename(keep, aside);
      await symlink(outside, keep).catch(() => undefined);
      await back();
    }
  })();
  await work().finally(() => (on = false));
  await swapping;
}

test.runIf(process.platform === 'linux')(
  'creates no folder outside the workspace while a parent folder is swapped for a link',
  async () => {
    const outside = await folderWith();
    const folder = await folderWith({ 'keep/plain.txt': '' });
    await whileSwapped(folder, outside, async () => {
      for (let n = 0; n < ROUNDS / 2; n++)
        await makeFolder(workspaceIn(folder), join(folder, `keep/new-${n}/deep`), 'keep').catch(() => undefined);
    });
    expect(await readdir(outside)).toEqual([]);
  },
);

test('opens no file outside the workspace while a parent folder is swapped for a link', async () => {
  const outside = await folderWith({ 'a.txt': 'OUTSIDE' });
  const folder = await folderWith({ 'keep/a.txt': 'inside' });
  const read: string[] = [];
  await whileSwapped(folder, outside, async () => {
    for (let i = 0; i < ROUNDS; i++) {
      const file = await openInside(workspaceIn(folder), 'keep/a.txt').catch(() => null);
      if (!file) continue;
      read.push(await file.handle.readFile('utf8'));
      await file.handle.close();
    }
  });
  expect(read).not.toContain('OUTSIDE');
  expect(await openInside(workspaceIn(folder), 'keep/a.txt').then((file) => file.handle.close())).toBeUndefined();
});

test('opening a folder, a missing file or a path below a file gives a clear error', async () => {
  const folder = await folderWith({ 'a.txt': 'a' });
  await mkdir(join(folder, 'd'));
  await writeFile(join(folder, 'd/x'), 'x');
  await expect(openInside(workspaceIn(folder), 'a.txt/b')).rejects.toMatchObject({ code: 'bad_input' });
  await expect(openInside(workspaceIn(folder), 'd')).rejects.toMatchObject({
    code: 'bad_input',
    message: 'd is a folder, not a file',
  });
  await expect(openInside(workspaceIn(folder), 'none')).rejects.toMatchObject({
    code: 'not_found',
    message: 'none does not exist',
  });
});

test.runIf(process.platform === 'linux')(
  'an opened folder stays the original folder when its name becomes a link to the outside',
  async () => {
    const outside = await folderWith();
    const folder = await folderWith({ 'keep/x': '' });
    await withFolder(workspaceIn(folder), join(folder, 'keep'), 'keep', async (through) => {
      await rename(join(folder, 'keep'), join(folder, 'moved'));
      await symlink(outside, join(folder, 'keep'));
      await writeFile(join(through, 'new.txt'), 'x');
    });
    expect(await readdir(outside)).toEqual([]);
    expect(await readdir(join(folder, 'moved'))).toEqual(['new.txt', 'x']);
  },
);

test('does not open a folder that is a link or lies behind a link', async () => {
  const outside = await folderWith({ 'd/x': '' });
  const folder = await folderWith();
  await symlink(outside, join(folder, 'link'));
  const none = async () => expect.unreachable();
  await expect(withFolder(workspaceIn(folder), join(folder, 'link'), 'link', none)).rejects.toMatchObject({
    code: 'bad_input',
  });
  await expect(withFolder(workspaceIn(folder), join(folder, 'link/d'), 'link/d', none)).rejects.toMatchObject({
    code: 'conflict',
  });
});

/** Where configuration and data are kept. */
import { mkdir, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folders, ownFolders } from '#core/settings/folders.ts';
import { folderWith } from '../../support/workspace.ts';

test('TRIAD_HOME holds both configuration and data, and only its owner can enter the folder', async () => {
  const home = join(await folderWith(), 'deep', 'home');
  expect(await folders({ TRIAD_HOME: home, XDG_CONFIG_HOME: '/nowhere', HOME: '/nowhere' })).toEqual({
    config: home,
    data: home,
  });
  expect((await stat(home)).mode & 0o777).toBe(0o700);
});

test('uses the XDG folders without TRIAD_HOME, or else folders below the home folder', async () => {
  const root = await folderWith();
  const xdg = { HOME: join(root, 'h'), XDG_CONFIG_HOME: join(root, 'c'), XDG_DATA_HOME: join(root, 'd') };
  expect(await folders(xdg)).toEqual({ config: join(root, 'c/triad'), data: join(root, 'd/triad') });
  const plain = { config: join(root, 'h/.config/triad'), data: join(root, 'h/.local/share/triad') };
  expect(await folders({ HOME: join(root, 'h') })).toEqual(plain);
  expect(await folders({ HOME: join(root, 'h'), XDG_CONFIG_HOME: 'relative', XDG_DATA_HOME: '' })).toEqual(plain);
  expect((await stat(plain.data)).mode & 0o777).toBe(0o700);
});

test('resolves links in the path of a store that does not exist yet', async () => {
  const at = await folderWith();
  await mkdir(join(at, 'real'));
  await symlink(join(at, 'real'), join(at, 'link'));
  const { folders: own } = await ownFolders({ config: at, data: at }, join(at, 'link/new/store'));
  expect(own).toContain(join(at, 'real/new/store'));
});

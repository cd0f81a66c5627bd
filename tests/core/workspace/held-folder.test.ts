/** What is opened in a folder in hand lies in it. */
import { closeSync, readFileSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { link, mkdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { HeldFolder } from '#core/workspace/held-folder.ts';
import { folderWith, workspaceIn } from '../../support/workspace.ts';

function held(folder: string, path: string): HeldFolder | null {
  const found = HeldFolder.open(workspaceIn(folder, { own: [join(folder, 'own')] }), join(folder, path));
  onTestFinished(() => found?.close());
  return found;
}

function textOf(folder: HeldFolder | null, name: string): string | null {
  const file = folder?.openFile(name);
  if (!file) return null;
  const text = readFileSync(file.fd, 'utf8');
  closeSync(file.fd);
  return text;
}

test.runIf(process.platform === 'linux')(
  'an opened folder stays the original folder when its name becomes a link to another folder',
  async () => {
    const outside = await folderWith({ 'a.txt': 'OUTSIDE', 'secret-name.txt': '' });
    const folder = await folderWith({ 'keep/a.txt': 'inside' });
    const keep = held(folder, 'keep');
    await rename(join(folder, 'keep'), join(folder, 'aside'));
    await symlink(outside, join(folder, 'keep'));
    expect(keep!.entries().map(({ name }) => name)).toEqual(['a.txt']);
    expect(textOf(keep, 'a.txt')).toBe('inside');
  },
);

test('opens no link, no path behind a link, no path outside and no folder of the program', async () => {
  const outside = await folderWith({ 'in/a.txt': 'OUTSIDE' });
  const folder = await folderWith({ 'real/deep/a.txt': 'inside', 'own/a.txt': 'OWN' });
  await symlink(outside, join(folder, 'out'));
  await symlink(join(folder, 'real'), join(folder, 'link'));
  await symlink(join(outside, 'in/a.txt'), join(folder, 'real/a.txt'));
  for (const path of ['out', 'out/in', 'link', 'link/deep', '..', 'own', 'real/deep/a.txt', 'absent'])
    expect(held(folder, path), path).toBeNull();
  expect(textOf(held(folder, 'real'), 'a.txt')).toBeNull();
  expect(textOf(held(folder, 'real/deep'), 'a.txt')).toBe('inside');
});

test('opens only regular files and does not wait for a pipe', async () => {
  const folder = await folderWith({ 'a.txt': 'plain' });
  await promisify(execFile)('mkfifo', [join(folder, 'pipe')]);
  await mkdir(join(folder, 'folder'));
  await link(join(folder, 'a.txt'), join(folder, 'b.txt'));
  const top = held(folder, '.');
  for (const name of ['pipe', 'folder', 'absent']) expect(textOf(top, name), name).toBeNull();
  expect(textOf(top, 'b.txt')).toBe('plain');
});

test('opens nothing in a workspace that another folder replaced', async () => {
  const folder = await folderWith({ 'keep/a.txt': 'inside' });
  const workspace = workspaceIn(folder);
  await rename(folder, join(await folderWith(), 'aside'));
  await rename(await folderWith({ 'keep/a.txt': 'OUTSIDE' }), folder);
  for (const path of [folder, join(folder, 'keep')]) expect(HeldFolder.open(workspace, path), path).toBeNull();
});

/** list_directory shows what a folder holds. */
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listDirectoryTool } from '#core/tools/list-directory.ts';
import { call, contextIn, contextWith, folderWith, workspaceIn } from '../../support/workspace.ts';

const list = async (folder: string, input: object = {}) => call(listDirectoryTool(), input, contextIn(folder));

test('lists entries sorted, with marks for folders and links', async () => {
  const folder = await folderWith({ 'b.txt': '', 'a/x': '', '.hidden': '', 'c/y': '' });
  await symlink('/etc', join(folder, 'link'));
  expect(await list(folder)).toEqual({
    status: 'completed',
    output: '.hidden\na/\nb.txt\nc/\nlink@',
    metadata: { path: '.', entries: 5, truncated: false },
  });
  expect((await list(folder, { path: 'a' })).output).toBe('x');
});

test('lists the first thousand of many entries with their total number', async () => {
  const folder = await folderWith(
    Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`f${String(i).padStart(4, '0')}`, ''])),
  );
  const all = await list(folder);
  expect([all.output.split('\n').length, all.metadata?.['truncated']]).toEqual([1000, false]);
  for (const name of ['v', 'w', 'x', 'y', 'z']) await writeFile(join(folder, name), '');
  const { output, metadata } = await list(folder);
  expect(metadata).toEqual({ path: '.', entries: 1005, truncated: true });
  const lines = output.split('\n');
  expect(lines).toHaveLength(1001);
  expect(lines[999]).toBe('f0999');
  expect(lines[1000]).toBe('[1000 of 1005 entries; narrow it with glob.]');
});

test('hides files of hide rules in any letter case, by the requested path and by its target', async () => {
  const folder = await folderWith({ 'a/Secret.txt': '', 'a/b.txt': '', 'a/only.txt': '' });
  await symlink('a', join(folder, 'way'));
  const context = contextWith(contextIn(folder), {
    search: { hidden: () => Promise.resolve(['A/secret.*', 'way/only.txt']) },
  });
  const shown = async (path: string) => (await call(listDirectoryTool(), { path }, context)).output;
  expect([await shown('a'), await shown('way')]).toEqual(['b.txt\nonly.txt', 'b.txt']);
  const all = contextWith(context, { search: { hidden: () => Promise.resolve(['a/**']) } });
  expect((await call(listDirectoryTool(), { path: 'a' }, all)).output).toBe('[There is nothing to show.]');
});

test('reports a clear error for a file, a missing path and a path outside the workspace', async () => {
  const folder = await folderWith({ 'a.txt': '' });
  await symlink('/etc', join(folder, 'link'));
  expect(await list(folder, { path: 'a.txt' })).toEqual({ status: 'error', output: 'a.txt is not a folder' });
  expect(await list(folder, { path: 'none' })).toEqual({ status: 'error', output: 'none does not exist' });
  expect(await list(folder, { path: 'link' })).toEqual({
    status: 'error',
    output: 'link is outside the workspace',
    metadata: { refused: true },
  });
  expect(await list(folder, { path: '..' })).toEqual({
    status: 'error',
    output: '.. is outside the workspace',
    metadata: { refused: true },
  });
});

test('omits entries that match a hide rule by the given path or by its target', async () => {
  const folder = await folderWith({ 'real/secret.txt': '', 'real/open.txt': '' });
  await symlink('real', join(folder, 'alias'));
  const tool = listDirectoryTool();
  const asked: unknown[] = [];
  const listed = async (path: string, ...patterns: string[]) => {
    const hidden = async (...of: unknown[]) => (asked.push(of), patterns);
    return (await call(tool, { path }, contextWith(contextIn(folder), { search: { hidden } }))).output;
  };
  expect(await listed('real', 'real/secret*')).toBe('open.txt');
  for (const name of ['real', 'alias']) expect(await listed('alias', `${name}/SECRET*`), name).toBe('open.txt');
  expect(await listed('real', 'real/*')).toBe('[There is nothing to show.]');
  expect(asked[0]).toEqual(['list_directory', expect.objectContaining({ values: ['real'], path: true })]);
  expect(await tool.targets!({}, workspaceIn(folder))).toMatchObject({ values: ['.'], path: true });
  expect(await tool.targets!({ path: 'real' }, workspaceIn(folder))).toMatchObject({ values: ['real'], path: true });
});

// Paths of folders are completed: by names of folders alone, and not of those that the system makes up.
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Harness } from '../../../../support/engine.ts';
import { Script } from '../../../../support/fake-model/script.ts';
import { sharedEngine } from '../../../../support/shared-engine.ts';
import { folderWith } from '../../../../support/workspace.ts';

const { start } = sharedEngine();
let runtime: Harness['runtime'];

beforeEach(async () => {
  ({ runtime } = await start(new Script()));
});

const complete = (text: string) => runtime.request('folder.complete', { text });

test('a host without a screen offers no folder dialog', async () => {
  expect(await runtime.request('folder.pick', { from: '/' })).toEqual({ folder: null });
});

test('completes a path to folders and links to folders, ignoring case', async () => {
  const folder = await folderWith({});
  for (const name of ['Parser', 'pages', 'other', '.hidden']) await mkdir(join(folder, name));
  await writeFile(join(folder, 'plan.md'), '');
  await symlink(join(folder, 'other'), join(folder, 'path'));
  await symlink(join(folder, 'plan.md'), join(folder, 'place'));
  expect(await complete(join(folder, 'PA'))).toEqual(['Parser', 'pages', 'path'].map((name) => join(folder, name)));
  expect(await complete(`${folder}/`)).toEqual(['Parser', 'other', 'pages', 'path'].map((name) => join(folder, name)));
  expect(await complete(join(folder, '.h'))).toEqual([join(folder, '.hidden')]);
  expect(await complete(join(folder, 'pages', 'none', 'x'))).toEqual([]);
});

test('completes no relative path and no system folder, and returns at most 30 folders', async () => {
  expect(await complete('pa')).toEqual([]);
  expect(await complete('/proc/')).toEqual([]);
  expect(await complete('/tmp/../proc/')).toEqual([]);
  expect(await complete('~/')).toEqual(await complete(`${homedir()}/`));
  const folder = await folderWith({});
  for (let n = 0; n < 40; n += 1) await mkdir(join(folder, `f${n}`));
  expect(await complete(`${folder}/`)).toHaveLength(30);
});

test.for([
  [['package.json', 'README.md', 'test/'], { kind: 'code', hasReadme: true, hasTests: true }],
  [['sum.py', 'sum_test.py'], { kind: 'code', hasReadme: false, hasTests: true }],
  [['letter.docx', 'readme.txt'], { kind: 'documents', hasReadme: true, hasTests: false }],
  [['.git/'], { kind: 'empty', hasReadme: false, hasTests: false }],
] as const)('classifies a folder with %s', async ([names, kind]) => {
  const folder = await folderWith({});
  for (const name of names) await (name.endsWith('/') ? mkdir(join(folder, name)) : writeFile(join(folder, name), ''));
  expect(await runtime.request('folder.inspect', { folder })).toEqual(kind);
});

test('rejects a folder that cannot be read', async () => {
  const folder = await folderWith({});
  for (const path of [join(folder, 'missing'), 'relative'])
    await expect(runtime.request('folder.inspect', { folder: path })).rejects.toMatchObject({ code: 'not_found' });
});

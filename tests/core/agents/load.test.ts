/** A folder of agents' files: the good ones are used, the bad ones are told. */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { loadBuiltins, loadFolder } from '#core/agents/load.ts';
import { allTools } from '#core/tools/all.ts';
import { folderWith } from '../../support/workspace.ts';

const good = (name: string) => `---\nname: ${name}\ndescription: d\n---\nPrompt of ${name}\n`;

test('one bad file stops no other', async () => {
  const folder = await folderWith({
    'b.md': good('b'),
    'a.md': good('a'),
    'bad.md': '---\nname: c\ndescription: d\nmodle: x\n---\nP',
    'notes.txt': 'x',
  });
  const loaded = await loadFolder(folder, 'user');
  expect(loaded.definitions.map(({ name, source, sourcePath }) => [name, source, sourcePath])).toEqual([
    ['a', 'user', join(folder, 'a.md')],
    ['b', 'user', join(folder, 'b.md')],
  ]);
  expect(loaded.warnings).toEqual([
    `${join(folder, 'bad.md')}:4:1: unknown key modle (did you mean \`model\`?)`,
  ]);
  expect(loaded.files.map((file) => file.ok)).toEqual([true, true, false]);
});

test('a name that two files claim stays with the first', async () => {
  const folder = await folderWith({ '1.md': good('same'), '2.md': good('same') });
  const loaded = await loadFolder(folder, 'user');
  expect(loaded.definitions.map((agent) => agent.sourcePath)).toEqual([join(folder, '1.md')]);
  expect(loaded.warnings).toEqual([
    `${join(folder, '2.md')}:1:1: the name same is taken by ${join(folder, '1.md')}`,
  ]);
});

test('a missing folder holds none; a pipe, a folder and a huge file are told', async () => {
  const folder = await folderWith({ 'dir.md/x': '', 'huge.md': 'x'.repeat(1024 * 1024 + 1) });
  await promisify(execFile)('mkfifo', [join(folder, 'pipe.md')]);
  expect(await loadFolder(join(folder, 'none'), 'user')).toEqual({
    files: [],
    definitions: [],
    warnings: [],
  });
  expect((await loadFolder(folder, 'user')).warnings).toEqual([
    `${join(folder, 'dir.md')}:1:1: cannot be read: it is not a regular file`,
    `${join(folder, 'huge.md')}:1:1: cannot be read: it is larger than 1024 KiB`,
    `${join(folder, 'pipe.md')}:1:1: cannot be read: it is not a regular file`,
  ]);
  expect((await loadFolder(join(folder, 'huge.md'), 'user')).warnings).toHaveLength(1);
});

test('the agents that come with the program fit, and name tools that exist', async () => {
  const { definitions, warnings } = await loadBuiltins();
  expect(warnings).toEqual([]);
  expect(definitions.map(({ name, role, model }) => [name, role, model])).toEqual([
    ['code-reviewer', 'subagent', 'sonnet'],
    ['documentation-writer', 'subagent', 'haiku'],
    ['lead', 'primary', null],
    ['test-generator', 'subagent', 'sonnet'],
  ]);
  const known = allTools().map((tool) => tool.name);
  for (const { name, tools, role, systemPrompt } of definitions) {
    expect(known, name).toEqual(expect.arrayContaining(tools ?? []));
    if (role === 'subagent') expect(systemPrompt, name).toContain('## Summary');
  }
  expect(await readdir(new URL('../../../src/core/agents/builtin/', import.meta.url))).toHaveLength(4);
});

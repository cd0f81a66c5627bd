/** The question before something is moved or deleted says what goes, and what can be undone, each once. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deleteFileTool } from '#core/tools/delete-file.ts';
import { moveFileTool } from '#core/tools/move-file.ts';
import type { Question, Tool } from '#core/tools/tool.ts';
import { contextIn, folderWith } from '../../support/workspace.ts';

async function ask(tool: Tool, folder: string, input: unknown): Promise<Question> {
  const question = await tool.question!(tool.input.parse(input), contextIn(folder));
  if (!question) throw new Error('nothing is asked');
  return question;
}

test('the question about deleting or moving a folder names its files and their size', async () => {
  const folder = await folderWith({ 'old/b/c.txt': 'three', 'old/a.txt': 'one', 'one/a.txt': '1' });
  await mkdir(join(folder, 'old/empty'));
  const { title, description } = await ask(deleteFileTool(), folder, { path: 'old' });
  expect(title).toBe('Delete old/');
  expect(description).toBe(
    `Deletes old/ with 2 files (8 bytes) in ${folder}. In it: a.txt, b/c.txt. This can be undone`,
  );
  const one = await ask(moveFileTool(), folder, { from: 'one', to: 'two' });
  expect(one.description).toBe(`Moves one/ with 1 file (1 byte) in ${folder}. In it: a.txt. This can be undone`);
});

test('the question about a folder with many files names the first 20 and counts the others', async () => {
  const files = Array.from({ length: 23 }, (_, n) => [`old/${String(n).padStart(2, '0')}`, ''] as const);
  const folder = await folderWith(Object.fromEntries(files));
  const { description } = await ask(deleteFileTool(), folder, { path: 'old' });
  expect(description).toContain('In it: 00, 01,');
  expect(description).toContain(', 19 and 3 more. This can be undone');
});

test('the question about deleting a text file previews its content and is marked as reversible', async () => {
  const folder = await folderWith({ 'a.txt': 'one\n' });
  const { description, subject, reversible } = await ask(deleteFileTool(), folder, { path: 'a.txt' });
  expect(description).toBe(`Deletes a.txt (4 bytes) in ${folder}`);
  expect(reversible).toBe(true);
  expect(subject).toMatchObject({ preview: { path: 'a.txt', removed: 1, deleted: true } });
});

test('rules apply to each path that a move or a deletion changes', async () => {
  const folder = await folderWith({ 'old/a.txt': '', 'old/b/c.txt': '' });
  const getPaths = async (tool: Tool, input: unknown) => {
    const ruleTargets = await tool.targets!(tool.input.parse(input), contextIn(folder).workspace);
    expect(ruleTargets?.path).toBe(true);
    return [...(ruleTargets?.values ?? [])].toSorted();
  };
  const sources = ['old', 'old/a.txt', 'old/b', 'old/b/c.txt'].filter((path) => path !== 'old/b');
  const targets = ['sub/new', 'sub/new/a.txt', 'sub/new/b/c.txt'];
  expect(await getPaths(deleteFileTool(), { path: 'old' })).toEqual(sources);
  expect(await getPaths(moveFileTool(), { from: 'old', to: 'sub/new' })).toEqual([...sources, ...targets]);
});

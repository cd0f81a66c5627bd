/** edit_file changes a file as a person saw it, says how it found what it changed, and breaks nothing that it cannot read. */
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { editFileTool } from '#core/tools/edit-file.ts';
import { stampOf } from '#core/workspace/stamp.ts';
import { allowed, askOf } from '../../support/asked.ts';
import { call, contextIn, contextWith, folderWith } from '../../support/workspace.ts';
import { inFullRun } from '../../support/samples.ts';

const tool = editFileTool();
const edit = (old: string, fresh: string, all?: boolean): object => ({
  old_text: old,
  new_text: fresh,
  ...(all === undefined ? {} : { replace_all: all }),
});

test('writes the content that the approval showed, keeps the file mode and reports each match', async () => {
  const folder = await folderWith({ 'run.sh': 'one\n  two\nthree\nthree\n' });
  const path = join(folder, 'run.sh');
  await chmod(path, 0o750);
  const input = {
    path: 'run.sh',
    edits: [edit('one', '1'), edit('two \nthree\n', 'two \n3\n'), edit('three', 'x', true)],
  };
  const asked = await askOf(tool, input, contextIn(folder));
  expect(asked.question).toMatchObject({
    title: 'Edit run.sh (+3 −3)',
    description: `Replaces the content of run.sh in ${folder}`,
    risk: 'medium',
    reversible: true,
  });
  expect(await readFile(path, 'utf8')).toBe('one\n  two\nthree\nthree\n');
  const kept: unknown[] = [];
  const keep = (change: unknown) => Promise.resolve(void kept.push(change));
  const result = await tool.execute(input, contextWith(contextIn(folder), { files: { keep } }), allowed(asked));
  const after = '1\n  two\n3\nx\n';
  expect(result).toEqual({
    status: 'completed',
    output:
      'Edited run.sh: 3 lines added, 3 removed. The old_text of edit 2 differs in white space from what stands there (from line 2): look at the result.',
    metadata: {
      path: 'run.sh',
      added: 3,
      removed: 3,
      created: false,
      diff: asked.preview.diff,
      undoable: true,
      matches: ['exact', 'whitespace', 'exact'],
      stamp: stampOf(Buffer.from(after)),
    },
  });
  expect(await readFile(path, 'utf8')).toBe(after);
  expect((await stat(path)).mode & 0o777).toBe(0o750);
  const file = (bytes: string) => ({ kind: 'file', bytes: Buffer.from(bytes), mode: 0o750 });
  expect(kept).toEqual([[{ path: 'run.sh', before: file('one\n  two\nthree\nthree\n'), after: file(after) }]]);
});

test.for<[string, string | Uint8Array, string]>([
  ['a binary file', new Uint8Array([111, 0, 111]), 'f is a binary file (3 bytes)'],
  ['a file that is not UTF-8', new Uint8Array([97, 0xff]), 'f is not UTF-8, and an edit would break it'],
  ...((inFullRun
    ? [['a file that is too large', 'a'.repeat(8 * 1024 * 1024 + 1), 'f is too large to be replaced']]
    : []) satisfies [string, string, string][]),
  ['text that is not in the file', 'b', 'old_text is not in the file'],
])('rejects an edit of %s before the approval, and leaves the file unchanged', async ([, content, says]) => {
  const folder = await folderWith({ f: content });
  const input = { path: 'f', edits: [edit('a', 'x')] };
  const refused = { code: 'bad_input', message: expect.stringContaining(says) as string };
  await expect(askOf(tool, input, contextIn(folder))).rejects.toMatchObject(refused);
  const result = await call(tool, input, contextIn(folder));
  expect(result).toMatchObject({ status: 'error', output: expect.stringContaining(says) as string });
  expect((await readFile(join(folder, 'f'))).equals(Buffer.from(content))).toBe(true);
});

test('creates no file, and applies no edit if one edit fails', async () => {
  const folder = await folderWith({ f: 'a b' });
  const none = { path: 'g', edits: [edit('a', 'x')] };
  const output = 'g does not exist: write_file makes files';
  expect(await call(tool, none, contextIn(folder))).toMatchObject({ output });
  await expect(askOf(tool, none, contextIn(folder))).rejects.toMatchObject({ code: 'not_found', message: output });
  const half = { path: 'f', edits: [edit('a', 'x'), edit('c', 'x')] };
  expect(await call(tool, half, contextIn(folder))).toMatchObject({
    status: 'error',
    output: expect.stringContaining('Edit 2 of 2, so none was made') as string,
  });
  expect(await readFile(join(folder, 'f'), 'utf8')).toBe('a b');
  for (const edits of [[], [{ old_text: 'a' }], [{ ...edit('a', 'b'), all: true }]])
    expect(tool.input.safeParse({ path: 'f', edits }).success).toBe(false);
});

test('applies edits changed by the person only to the content that the approval showed', async () => {
  const folder = await folderWith({ f: 'a b' });
  const asked = await askOf(tool, { path: 'f', edits: [edit('a', 'x')] }, contextIn(folder));
  const edited = { path: 'f', edits: [edit('b', 'y')] };
  expect(await tool.execute(edited, contextIn(folder), allowed(asked, edited))).toMatchObject({ status: 'completed' });
  expect(await readFile(join(folder, 'f'), 'utf8')).toBe('a y');
  await writeFile(join(folder, 'f'), 'a b c');
  expect(await tool.execute(edited, contextIn(folder), allowed(asked, edited))).toMatchObject({ status: 'error' });
  expect(await readFile(join(folder, 'f'), 'utf8')).toBe('a b c');
});

test('reports each match that is not exact by the number of its edit', async () => {
  const line = 'const total = items.reduce((sum, item) => sum + item.price, 0);';
  const folder = await folderWith({ f: `one\n${line}\n` });
  const input = { path: 'f', edits: [edit('one', '1'), edit(line.replace('price', 'prize'), 'x')] };
  const asked = await askOf(tool, input, contextIn(folder));
  const { output, metadata } = await tool.execute(input, contextIn(folder), allowed(asked));
  expect(output).toBe(
    'Edited f: 2 lines added, 2 removed. The old_text of edit 2 is only like what stands there (from line 2): look at the result.',
  );
  expect(metadata?.['matches']).toEqual(['exact', 'fuzzy']);
});

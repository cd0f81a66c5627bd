/** write_file writes exactly what a person saw, or nothing. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { applyPatch } from 'diff';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TriadError } from '#core/base/errors.ts';
import { canonicalHash } from '#core/base/hash.ts';
import { stampOf } from '#core/workspace/stamp.ts';
import { previewWrite } from '#core/workspace/preview.ts';
import { readFileTool } from '#core/tools/reading/read-file.ts';
import type { ToolContext, ToolResult } from '#core/tools/tool.ts';
import type { Lender } from '#core/workspace/lent/lenders.ts';
import { editFileTool } from '#core/tools/edit-file.ts';
import { writeFileTool } from '#core/tools/write-file.ts';
import { allowed, type Asked, askOf } from '../../support/asked.ts';
import { call, contextIn, contextWith, folderWith, BLOCK_MS, longestBlock } from '../../support/workspace.ts';
import { fullTest, samples } from '../../support/samples.ts';

const tool = writeFileTool();
interface Input {
  path: string;
  content: string;
}

const ask = (folder: string, input: Input): Promise<Asked> => askOf(tool, input, contextIn(folder));

test('the question shows the whole change and contains the hash of the input', async () => {
  const folder = await folderWith({ 'notes.txt': 'a\nb\nc\n' });
  const input = { path: 'notes.txt', content: 'a\nB\nc\nd\ne' };
  const { question, preview } = await ask(folder, input);
  expect(question).toMatchObject({ title: 'Write notes.txt (+3 −1)', risk: 'medium', reversible: true });
  expect(question.subject).toMatchObject({
    kind: 'tool',
    tool: 'write_file',
    input,
    folder,
    hash: canonicalHash({ tool: 'write_file', input }),
  });
  expect(preview).toMatchObject({ path: 'notes.txt', added: 3, removed: 1, created: false });
  expect(preview.diff).toContain('-b\n+B\n');
  expect(await readFile(join(folder, 'notes.txt'), 'utf8')).toBe('a\nb\nc\n');
});

test('an approved call writes the exact content, keeps the file mode and reports the changed lines', async () => {
  const folder = await folderWith({ 'run.sh': 'one\n' });
  await chmod(join(folder, 'run.sh'), 0o750);
  const input = { path: 'run.sh', content: 'öne\r\ntwo' };
  const asked = await ask(folder, input);
  const result = await tool.execute(input, contextIn(folder), allowed(asked));
  expect(result).toMatchObject({ status: 'completed', output: 'Wrote run.sh: 2 lines added, 1 removed.' });
  expect(result.metadata).toEqual({
    path: 'run.sh',
    added: 2,
    removed: 1,
    created: false,
    diff: asked.preview.diff,
    undoable: true,
    stamp: stampOf(Buffer.from(input.content)),
  });
  expect(await readFile(join(folder, 'run.sh'), 'utf8')).toBe('öne\r\ntwo');
  expect((await stat(join(folder, 'run.sh'))).mode & 0o777).toBe(0o750);
  expect(await readdir(folder)).toEqual(['run.sh']);
});

test('creates a new file in new folders', async () => {
  const folder = await folderWith();
  const input = { path: 'a/b/c.md', content: '# C\n' };
  const asked = await ask(folder, input);
  expect(asked.preview).toMatchObject({ created: true, added: 1, removed: 0, beforeHash: null });
  expect(asked.question).toMatchObject({ risk: 'low', description: `Makes the file a/b/c.md in ${folder}` });
  const steps: unknown[] = [];
  const context = contextWith(contextIn(folder), {
    files: { keep: async (changes: unknown) => void steps.push(changes) },
  });
  expect((await tool.execute(input, context, allowed(asked))).output).toBe('Made a/b/c.md: 1 line added, 0 removed.');
  const after = { kind: 'file', bytes: Buffer.from(input.content), mode: 0o644 };
  expect(steps).toEqual([[{ path: 'a/b/c.md', before: null, after }]]);
  expect(await readFile(join(folder, 'a/b/c.md'), 'utf8')).toBe('# C\n');
});

test('content equal to the file is reported as no change, and nothing is written', async () => {
  const folder = await folderWith({ 'a.txt': 'same\n' });
  const input = { path: 'a.txt', content: 'same\n' };
  const asked = await ask(folder, input);
  const idle = 'a.txt has exactly this content already: nothing is written';
  expect(asked.question).toMatchObject({ title: 'Write a.txt (+0 −0)', description: idle, idle, risk: 'low' });
  expect((await ask(folder, { ...input, content: 'new\n' })).question).not.toHaveProperty('idle');
  const keep = () => Promise.reject(new Error('Nothing changes'));
  const { diff } = asked.preview;
  expect(await tool.execute(input, contextWith(contextIn(folder), { files: { keep } }), allowed(asked))).toEqual({
    status: 'completed',
    output: idle,
    metadata: { path: 'a.txt', added: 0, removed: 0, created: false, diff, stamp: stampOf(Buffer.from('same\n')) },
  });
});

test.for(['changed', 'moved', 'stopped'] as const)(
  'writes nothing if the file or the call is %s just before the write',
  async (how) => {
    const folder = await folderWith({ a: 'old', b: 'old' });
    await symlink('a', join(folder, 'link'));
    const input = { path: 'link', content: 'new' };
    const asked = await ask(folder, input);
    const stop = new AbortController();
    const keep = async () => {
      if (how === 'stopped') return stop.abort();
      await rm(join(folder, how === 'moved' ? 'link' : 'a'));
      await (how === 'moved' ? symlink('b', join(folder, 'link')) : writeFile(join(folder, 'a'), 'theirs'));
    };
    const result = await tool.execute(
      input,
      contextWith(contextIn(folder, stop.signal), { files: { keep } }),
      allowed(asked),
    );
    expect(result).toEqual(
      how === 'stopped'
        ? { status: 'cancelled', output: 'Cancelled before it was done.' }
        : {
            status: 'error',
            output: 'a has changed on disk since the change was approved: read it and ask again',
          },
    );
    expect((await readdir(folder)).toSorted()).toEqual(['a', 'b', 'link']);
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe(how === 'changed' ? 'theirs' : 'old');
    expect(await readFile(join(folder, 'b'), 'utf8')).toBe('old');
  },
);

test('clear deletes the temporary file of a killed call, but not of other calls', async () => {
  const folder = await folderWith();
  const input = { path: 'sub/a.txt', content: 'new' };
  const context = contextIn(folder);
  const left: string[] = [];
  const keep = async () => void left.push(...(await readdir(join(folder, 'sub'))));
  for (const toolCallId of ['t', 'other'])
    await call(
      tool,
      { ...input, content: toolCallId },
      contextWith(context, { call: { toolCallId }, files: { keep } }),
    );
  const [own, other] = left.filter((name) => name !== 'a.txt');
  expect(own).toMatch(/^\.a\.txt\.[0-9a-f]{12}\.tmp$/);
  for (const name of [own!, other!]) await writeFile(join(folder, 'sub', name), 'half');
  // The second time nothing is left of it.
  for (let time = 0; time < 2; time++) await tool.clear!(input, context);
  expect((await readdir(join(folder, 'sub'))).toSorted()).toEqual([other, 'a.txt'].toSorted());
  // A path that leads outside by now is left alone.
  await rm(join(folder, 'sub'), { recursive: true });
  await symlink(await folderWith(), join(folder, 'sub'));
  await expect(tool.clear!(input, context)).resolves.toBeUndefined();
});

/** The tools that replace a file, with an input of each for a file that holds `old`. */
const REPLACING = [
  { tool, inputOf: (path: string): object => ({ path, content: 'new' }) },
  {
    tool: editFileTool(),
    inputOf: (path: string): object => ({ path, edits: [{ old_text: 'old', new_text: 'new' }] }),
  },
];

test.for(
  REPLACING.flatMap((one) =>
    // Of a file that is not there edit_file asks nothing.
    (one.tool === tool ? ['changed', 'removed', 'made'] : ['changed', 'removed']).map((how) => ({
      ...one,
      how,
      name: one.tool.name,
    })),
  ),
)('$name does not overwrite a file that was $how after the question', async ({ tool: one, inputOf, how }) => {
  const folder = await folderWith(how === 'made' ? {} : { 'a.txt': 'old' });
  const input = inputOf('a.txt');
  const asked = await askOf(one, input, contextIn(folder));
  if (how === 'removed') await rm(join(folder, 'a.txt'));
  else await writeFile(join(folder, 'a.txt'), 'old, and more by the person\n');
  const result = await one.execute(input, contextIn(folder), allowed(asked));
  const words = how === 'removed' && one.name === 'edit_file' ? 'does not exist' : 'has changed on disk';
  expect(result).toMatchObject({ status: 'error', output: expect.stringContaining(words) as string });
  if (how === 'removed') expect(await readdir(folder)).toEqual([]);
  else expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('old, and more by the person\n');
});

test('content edited by the person is written to the approved file, and an edited path only to a new file', async () => {
  const folder = await folderWith({ 'a.txt': 'old\n', 'other.txt': 'precious\n' });
  const asked = await ask(folder, { path: 'a.txt', content: 'new\n' });
  const content = { path: 'a.txt', content: 'edited\n' };
  const elsewhere = { path: 'other.txt', content: 'new\n' };
  const fresh = { path: 'fresh.txt', content: 'new\n' };
  expect(await tool.execute(elsewhere, contextIn(folder), allowed(asked, elsewhere))).toEqual({
    status: 'error',
    output: 'other.txt exists and its change was not shown: call write_file with this path to ask for it',
  });
  expect(await readFile(join(folder, 'other.txt'), 'utf8')).toBe('precious\n');
  for (const approval of [allowed(asked), { ...allowed(asked), decisions: [] }])
    expect(await tool.execute(fresh, contextIn(folder), approval)).toEqual({
      status: 'error',
      output: 'a.txt has changed on disk since the change was approved: read it and ask again',
    });
  expect(await tool.execute(fresh, contextIn(folder), allowed(asked, fresh))).toMatchObject({
    status: 'completed',
  });
  expect(await tool.execute(content, contextIn(folder), allowed(asked, content))).toMatchObject({
    status: 'completed',
  });
  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('edited\n');
});

test.for(REPLACING)('$tool.name refuses folders and pipes', async ({ tool: one, inputOf }) => {
  const folder = await folderWith({ 'd/x': 'old' });
  await promisify(execFile)('mkfifo', [join(folder, 'pipe')]);
  for (const [path, code, message, metadata] of [
    ['d', 'bad_input', 'd is a folder, not a file'],
    ['new/', 'bad_input', 'new/ is a folder, not a file'],
    ['.', 'bad_input', '. is a folder, not a file'],
    ['pipe', 'not_allowed', expect.stringContaining('pipe is not a regular file') as string, { refused: true }],
    ['d/x/y', 'bad_input', expect.not.stringContaining('old_text') as string],
  ] as const) {
    await expect(askOf(one, inputOf(path), contextIn(folder)), path).rejects.toMatchObject({ code, message });
    const refused = { status: 'error', output: message, ...(metadata && { metadata }) };
    expect(await call(one, inputOf(path), contextIn(folder)), path).toEqual(refused);
  }
  expect(await readFile(join(folder, 'd/x'), 'utf8')).toBe('old');
});

test.for(REPLACING)(
  '$tool.name rejects a change if the file has changed since it was read',
  async ({ tool: one, inputOf }) => {
    const folder = await folderWith({ 'a.txt': 'old\nold line\n' });
    const path = join(folder, 'a.txt');
    const input =
      one === tool ? inputOf('a.txt') : { path: 'a.txt', edits: [{ old_text: 'old line', new_text: 'new' }] };
    const whole = await call(readFileTool(), { path: 'a.txt' }, contextIn(folder));
    const part = await call(readFileTool(), { path: 'a.txt', limit: 1 }, contextIn(folder));
    const after = (read: ToolResult): ToolContext =>
      contextWith(contextIn(folder), {
        files: { seen: (of) => (of === 'a.txt' ? String(read.metadata!['stamp']) : null) },
      });
    await expect(askOf(one, input, after(part))).resolves.toBeDefined();
    // The same bytes are the same file for one that saw them all.
    await utimes(path, 1, 1);
    await expect(askOf(one, input, after(whole))).resolves.toBeDefined();
    for (const read of [part, whole]) {
      if (read === whole) await writeFile(path, 'old\nold line \n');
      const refusal = 'a.txt has changed since you read it: read it again';
      await expect(askOf(one, input, after(read))).rejects.toMatchObject({ code: 'conflict', message: refusal });
      expect(await call(one, input, after(read))).toMatchObject({ status: 'error', output: refusal });
    }
    expect(await readFile(path, 'utf8')).toBe('old\nold line \n');
    const written = await call(one, input, contextIn(folder));
    await expect(askOf(tool, { path: 'a.txt', content: '' }, after(written)).then(() => 'asked')).resolves.toBe(
      'asked',
    );
  },
);

test('writing to a link changes its target and keeps the link', async () => {
  const folder = await folderWith({ 'real.txt': 'old' });
  await symlink('real.txt', join(folder, 'alias.txt'));
  const input = { path: 'alias.txt', content: 'new' };
  const asked = await ask(folder, input);
  expect(asked.preview.path).toBe('real.txt');
  await tool.execute(input, contextIn(folder), allowed(asked));
  expect(await readFile(join(folder, 'real.txt'), 'utf8')).toBe('new');
  expect(await readdir(folder)).toEqual(['alias.txt', 'real.txt']);
});

test('a change that cannot be shown whole is marked as such and remains reversible', async () => {
  const folder = await folderWith({ 'b.bin': new Uint8Array([1, 0, 2]), 'big.txt': 'x\n'.repeat(300_000) });
  const binary = await ask(folder, { path: 'b.bin', content: 'text' });
  expect(binary.question.reversible).toBe(true);
  expect(binary.preview.whole).toBe(false);
  expect(binary.preview.diff).toBe('b.bin is a binary file (3 bytes). It would be replaced by 4 bytes of text.');
  const big = await ask(folder, { path: 'big.txt', content: 'x' });
  expect(big.question).toMatchObject({ reversible: true, title: 'Write big.txt' });
  expect(big.preview.whole).toBe(false);
  expect((await call(tool, { path: 'big.txt', content: 'ü' }, contextIn(folder))).output).toBe(
    'Wrote big.txt: 2 bytes.',
  );
  expect(big.preview.diff).toBe('big.txt is too large to show the change line by line: 600000 bytes → 1 bytes.');
});

test('asks to replace a file of 8 MiB, and rejects a file one byte larger', async () => {
  const folder = await folderWith({ f: '' });
  await truncate(join(folder, 'f'), 8 * 1024 * 1024);
  const input = { path: 'f', content: 'x' };
  expect((await ask(folder, input)).question.risk).toBe('medium');
  await truncate(join(folder, 'f'), 8 * 1024 * 1024 + 1);
  const message = 'f is too large to be replaced (8388609 bytes)';
  await expect(ask(folder, input)).rejects.toMatchObject({ code: 'bad_input', message });
});

test('throws internal errors of the program unchanged', async () => {
  const folder = await folderWith();
  for (const fault of [new TriadError('internal', 'A fault'), new Error('A fault')]) {
    const context = contextWith(contextIn(folder), { files: { keep: () => Promise.reject(fault) } });
    await expect(call(tool, { path: 'a', content: 'x' }, context)).rejects.toBe(fault);
  }
  expect(await readdir(folder)).toEqual([]);
});

test('rejects a change if the person has edited the text in the editor since a part of the file was read', async () => {
  const folder = await folderWith({ f: 'old' });
  const stamp = stampOf(await stat(join(folder, 'f'), { bigint: true }));
  const editorWith = (text: string): ToolContext => {
    const editor = { gone: new AbortController().signal, call: async () => ({ text }) as never };
    return contextWith(contextIn(folder), { files: { seen: () => stamp, lent: () => editor } });
  };
  const message = 'f has changed since you read it: read it again';
  await expect(askOf(tool, { path: 'f', content: 'x' }, editorWith('new'))).rejects.toMatchObject({ message });
  await expect(askOf(tool, { path: 'f', content: 'x' }, editorWith('old'))).resolves.toBeDefined();
});

test('a stopped run writes nothing', async () => {
  const folder = await folderWith();
  expect(await call(tool, { path: 'a', content: 'x' }, contextIn(folder, AbortSignal.abort()))).toEqual({
    status: 'cancelled',
    output: 'Cancelled before it was done.',
  });
  expect(await readdir(folder)).toEqual([]);
});

test('the diff of any two texts turns one into the other, and its counts match its lines', async () => {
  const line = fc.oneof(
    fc.constantFrom('a', 'b', '', '-', '+x', ' ', '\\ No newline', '--- a/f', 'ü', 'a\r'),
    fc.string({ maxLength: 5 }),
  );
  const text = fc.array(line, { maxLength: 30 }).map((lines) => lines.join('\n').replaceAll('\0', '').toWellFormed());
  await fc.assert(
    fc.asyncProperty(text, text, async (before, after) => {
      const preview = await previewWrite('f', Buffer.from(before), after);
      const applied = applyPatch(before, preview.diff, { autoConvertLineEndings: false });
      expect(before === after ? before : applied).toBe(after);
      const count = (content: string) =>
        content === '' ? 0 : content.split('\n').length - (content.endsWith('\n') ? 1 : 0);
      expect(preview.added - preview.removed).toBe(count(after) - count(before));
    }),
    samples(30),
  );
});

fullTest(
  'tests/core/tools/write-file.test.ts › the diff of any two texts turns one into the other, and its counts match its lines',
)('compares two large texts without common lines without blocking', async () => {
  const text = (word: string) => Array.from({ length: 20_000 }, (_, i) => `${word} ${i}`).join('\n');
  const { value, longest } = await longestBlock(() => previewWrite('f', Buffer.from(text('old')), text('new')));
  expect(value).toMatchObject({ added: 20_000, removed: 20_000, complete: true });
  expect(longest).toBeLessThan(BLOCK_MS);
});

test('writes a new file in an empty folder, but not below a file', async () => {
  const folder = await folderWith({ file: '' });
  await mkdir(join(folder, 'empty'));
  expect(await call(tool, { path: 'file/x', content: '' }, contextIn(folder))).toMatchObject({
    status: 'error',
  });
  expect(await call(tool, { path: 'empty/x', content: '' }, contextIn(folder))).toMatchObject({
    status: 'completed',
  });
});

test.runIf(process.platform !== 'win32')('writing removes the setuid and setgid bits of a file', async () => {
  const folder = await folderWith({ 'run.sh': 'old' });
  const path = join(folder, 'run.sh');
  await chmod(path, 0o6755);
  expect(await call(tool, { path: 'run.sh', content: 'new' }, contextIn(folder))).toMatchObject({
    status: 'completed',
  });
  expect(((await stat(path)).mode & 0o7777).toString(8)).toBe('755');
});

test.for([
  ['text', 'old', 'new', true],
  ['a new text', null, 'new', true],
  ['text that the editor saves', 'old', 'saved', true],
  ['a binary file', '\0', 'new', false],
  ['binary content', 'old', '\0', false],
] as const)('writes %s from %j to %j (through the editor: %s)', async ([, before, content, isEdited]) => {
  const folder = await folderWith(before === null ? {} : { f: before });
  const path = join(folder, 'f');
  const calls: [string, unknown][] = [];
  const editor: Lender = {
    gone: new AbortController().signal,
    call: async (name, input) => {
      calls.push([name, input]);
      if (name === 'write-file' && content === 'saved') await writeFile(path, content);
      return (name === 'read-file' ? { text: before } : {}) as never;
    },
  };
  const lent = (kind: string) => (['read', 'write'].includes(kind) ? editor : null);
  const context = contextWith(contextIn(folder), { files: { lent } });
  const approval = await askOf(tool, { path: 'f', content }, context);
  const { output, metadata } = await tool.execute({ path: 'f', content }, context, allowed(approval));
  const writes = calls.filter(([name]) => name === 'write-file');
  expect(writes).toEqual(isEdited ? [['write-file', { path, text: content }]] : []);
  const isSaved = !isEdited || content === 'saved';
  expect(output.includes('is not saved')).toBe(!isSaved);
  expect(metadata?.['unsaved']).toBe(isSaved ? undefined : true);
  expect(await readFile(path, 'utf8').catch(() => null)).toBe(isSaved ? content : before);
});

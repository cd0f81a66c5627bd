/** read_file returns pages of text files, whatever their size or kind. */
import { execFile } from 'node:child_process';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_OUTPUT_BYTES } from '#core/tools/long-output.ts';
import { readFileTool } from '#core/tools/reading/read-file.ts';
import type { Lender } from '#core/workspace/lent/lenders.ts';
import { stampOf } from '#core/workspace/stamp.ts';
import { samples } from '../../../support/samples.ts';
import { call, contextIn, contextWith, folderWith, BLOCK_MS, longestBlock } from '../../../support/workspace.ts';

const read = async (folder: string, input: object) => call(readFileTool(), input, contextIn(folder));

test('returns a small file unchanged', async () => {
  const folder = await folderWith({ 'a.txt': 'one\r\ntwo\n\nföur' });
  expect(await read(folder, { path: 'a.txt' })).toEqual({
    status: 'completed',
    output: 'one\r\ntwo\n\nföur',
    metadata: {
      path: 'a.txt',
      from: 1,
      lines: 4,
      bytes: 15,
      truncated: false,
      stamp: expect.stringMatching(/^sha256 /) as string,
    },
  });
});

test('offset and limit select lines, and a note gives the offset of the next page', async () => {
  const folder = await folderWith({ 'a.txt': 'l1\nl2\nl3\nl4\n' });
  const page = await read(folder, { path: 'a.txt', offset: 2, limit: 2 });
  expect(page.output).toBe('l2\nl3\n[Lines 2 to 3 of a file of 12 bytes. Go on with offset 4.]');
  expect((await read(folder, { path: 'a.txt', offset: 3, limit: 2 })).output).toBe('l3\nl4\n');
});

test('an empty file and an offset behind the last line each return a note', async () => {
  const folder = await folderWith({ empty: '', 'a.txt': 'l1\nl2' });
  expect((await read(folder, { path: 'empty' })).output).toBe('[The file is empty.]');
  expect((await read(folder, { path: 'a.txt', offset: 5 })).output).toBe(
    '[The file has 2 lines: nothing from line 5 on.]',
  );
});

test('all pages joined together equal the file, whatever its lines', async () => {
  const line = fc.oneof(fc.string({ maxLength: 20 }), fc.constant('ü'.repeat(15_000)), fc.constant(''));
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 5 }),
      async (lines, limit) => {
        const text = lines.map((item) => item.replaceAll(/[\n\0]/g, '').toWellFormed()).join('\n') + '\nend\n';
        const folder = await folderWith({ f: text });
        let whole = '';
        for (let offset = 1, more = true; more;) {
          const page = await read(folder, { path: 'f', offset, limit });
          const { lines: count, truncated } = page.metadata as { lines: number; truncated: boolean };
          whole += truncated ? page.output.slice(0, page.output.lastIndexOf('\n[Lines') + 1) : page.output;
          offset += count;
          more = truncated;
        }
        expect(whole).toBe(text);
      },
    ),
    samples(6, 120),
  );
});

test('pages in every encoding join to the whole text', async () => {
  const unit = fc.constantFrom('a', 'é', 'ß', ' ', '–');
  // The bytes of a letter and dashes in Windows-1252 are a letter of UTF-8, and then that is what it is.
  const line = fc.string({ unit, maxLength: 30_000 }).map((words) => words.replaceAll(/[éß](?=–)/g, ' '));
  const lines = fc.array(line, { minLength: 1, maxLength: 8 });
  const le = (text: string) => Buffer.from(text, 'utf16le');
  const mark = '\uFEFF';
  const encoded = {
    'utf-8-bom': (text: string) => Buffer.from(mark + text),
    'utf-16le': (text: string) => le(mark + text),
    'utf-16be': (text: string) => le(mark + text).swap16(),
    'windows-1252': (text: string) => Buffer.from(text.replaceAll('–', '\x96'), 'latin1'),
  };
  const whole = async (all: string[], encoding: keyof typeof encoded, limit: number) => {
    const text = ['é', ...all, 'end'].map((line) => `${line}\n`).join('');
    const folder = await folderWith({ f: encoded[encoding](text) });
    let joined = '';
    for (let offset = 1, more = true; more;) {
      const page = await read(folder, { path: 'f', offset, limit });
      const { lines: count, truncated } = page.metadata as { lines: number; truncated: boolean };
      expect(page.metadata).toMatchObject({ encoding });
      joined += page.output.slice(0, page.output.lastIndexOf('['));
      offset += count;
      more = truncated;
    }
    expect(joined).toBe(text);
  };
  const names = fc.constantFrom(...(Object.keys(encoded) as (keyof typeof encoded)[]));
  await fc.assert(fc.asyncProperty(lines, names, fc.integer({ min: 1, max: 5 }), whole), samples(8));
});

test('returns one page of a 5 MB file without blocking the event loop', async () => {
  const folder = await folderWith({ 'big.txt': 'x'.repeat(99).concat('\n').repeat(52_429) });
  const { value, longest } = await longestBlock(() => read(folder, { path: 'big.txt', offset: 50_000 }));
  expect(value.output.length).toBeLessThan(MAX_OUTPUT_BYTES);
  expect(value.output.startsWith('x'.repeat(99))).toBe(true);
  expect((value.metadata as { from: number; lines: number }).lines).toBe(491);
  expect(longest).toBeLessThan(BLOCK_MS);
});

test('cuts a line longer than 48 KiB between characters', async () => {
  const folder = await folderWith({ 'long.txt': 'a' + 'ü'.repeat(400_000) + '\nnext\n' });
  const page = await read(folder, { path: 'long.txt' });
  expect(page.output).toMatch(
    /^aü+\n\[Line 1 is longer than 48 KiB: only its beginning is shown\. Go on with offset 2\.\]$/,
  );
  expect(page.metadata).toMatchObject({ from: 1, lines: 1, bytes: 48 * 1024 - 1, truncated: true });
  expect(page.output).not.toContain('\uFFFD');
  expect((await read(folder, { path: 'long.txt', offset: 2 })).output).toBe('next\n');
});

test('fits 48 KiB exactly, and leaves a line that does not fit for the next page', async () => {
  const full = `${'x'.repeat(48 * 1024 - 1)}\n`;
  const folder = await folderWith({ full, more: `${full}y`, 'long.txt': `a\n${full}`, deep: `${'\n'.repeat(5000)}z` });
  expect(await read(folder, { path: 'full' })).toMatchObject({ output: full, metadata: { truncated: false } });
  const more = await read(folder, { path: 'more' });
  expect(more.output).toBe(`${full}[Lines 1 to 1 of a file of 49153 bytes. Go on with offset 2.]`);
  expect(await read(folder, { path: 'more', offset: 2 })).toMatchObject({ output: 'y' });
  const long = await read(folder, { path: 'long.txt' });
  expect(long.output).toBe('a\n[Lines 1 to 1 of a file of 49154 bytes. Go on with offset 2.]');
  expect((await read(folder, { path: 'long.txt', offset: 2 })).output).toBe(full);
  const deep = await read(folder, { path: 'deep' });
  expect(deep.output).toBe(`${'\n'.repeat(5000)}[Lines 1 to 5000 of a file of 5001 bytes. Go on with offset 5001.]`);
});

test('stamps a whole file by its content, and a part of it by its state on disk', async () => {
  const folder = await folderWith({ f: 'a\nb\n' });
  const stamp = async (input: object) => (await read(folder, { path: 'f', ...input })).metadata?.['stamp'];
  expect(await stamp({})).toBe(stampOf(Buffer.from('a\nb\n')));
  for (const input of [{ offset: 2 }, { limit: 1 }]) expect(await stamp(input)).toMatch(/^stat /);
});

test('accepts offsets from 1 and a limit of at most 5000 lines', () => {
  const takes = (input: object) => readFileTool().input.safeParse({ path: 'f', ...input }).success;
  expect([{}, { offset: 1 }, { limit: 1 }, { limit: 5000 }].map(takes)).toEqual([true, true, true, true]);
  expect([{ offset: 0 }, { limit: 0 }, { limit: 5001 }, { path: '' }, { other: 1 }].map(takes)).not.toContain(true);
});

test('rejects a binary file and reports its size', async () => {
  const folder = await folderWith({ 'a.bin': new Uint8Array([0x89, 0x50, 0, 1, 2]) });
  expect(await read(folder, { path: 'a.bin' })).toEqual({
    status: 'error',
    output: 'a.bin is a binary file (5 bytes)',
  });
});

test('rejects a named pipe instead of waiting for data', async () => {
  const folder = await folderWith();
  await promisify(execFile)('mkfifo', [join(folder, 'pipe')]);
  expect(await read(folder, { path: 'pipe' })).toEqual({
    status: 'error',
    output: 'pipe is not a regular file (a pipe, device or socket)',
    metadata: { refused: true },
  });
});

test('rejects a path outside the workspace, and ends as cancelled when the run is stopped', async () => {
  const folder = await folderWith({ a: 'a' });
  expect(await read(folder, { path: '/etc/passwd' })).toEqual({
    status: 'error',
    output: '/etc/passwd is outside the workspace',
    metadata: { refused: true },
  });
  expect(await call(readFileTool(), { path: 'a' }, contextIn(folder, AbortSignal.abort()))).toMatchObject({
    status: 'cancelled',
  });
});

test('shows the unsaved text of an editor, unless the file is larger than 2 MiB', async () => {
  const largest = 'a'.repeat(2 * 1024 * 1024);
  const folder = await folderWith({ saved: 'one\n', 'a.txt': 'one\n', largest, large: `${largest}a` });
  const requestedFiles: string[] = [];
  const editor: Lender = {
    gone: new AbortController().signal,
    call: async (_, input) => {
      const { path } = input as { path: string };
      requestedFiles.push(basename(path));
      return { text: path.endsWith('saved') ? 'one\n' : 'two\nthree\n' } as never;
    },
  };
  const context = contextWith(contextIn(folder), {
    files: { lent: (kind: string) => (kind === 'read' ? editor : null) },
  });
  const readLine = async (path: string) => call(readFileTool(), { path, limit: 1 }, context);
  expect(await readLine('a.txt')).toMatchObject({
    output: 'two\n[Lines 1 to 1 of a file of 10 bytes. Go on with offset 2.]',
    metadata: { unsaved: true, stamp: stampOf(Buffer.from('two\nthree\n')) },
  });
  const savedResult = await readLine('saved');
  expect(savedResult.output).toBe('one\n');
  expect(savedResult.metadata).not.toHaveProperty('unsaved');
  expect((await readLine('largest')).metadata).toHaveProperty('unsaved', true);
  expect((await readLine('large')).metadata).not.toHaveProperty('unsaved');
  expect(requestedFiles).toEqual(['a.txt', 'saved', 'largest']);
});

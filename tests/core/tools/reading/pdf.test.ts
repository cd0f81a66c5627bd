/** read_file takes the text out of PDFs, and says what to do with those of which it cannot. */
import { open, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { MAX_PDF_BYTES, pdfText } from '#core/tools/reading/pdf.ts';
import { readFileTool } from '#core/tools/reading/read-file.ts';
import { pdf } from '../../../support/pdf.ts';
import { call, contextIn, contextWith, folderWith, longestBlock } from '../../../support/workspace.ts';

const read = async (bytes: Uint8Array, input: object = {}) =>
  call(readFileTool(), { path: 'f', ...input }, contextIn(await folderWith({ f: bytes })));

const TWO = pdf([['One', 'gr\xfcn'], ['Two']]);

test('returns the text with a mark for each page, even a page without text, and selects lines by offset and limit', async () => {
  const bytes = pdf([[], ['One', 'gr\xfcn'], ['Two'], []]);
  const whole = await read(bytes);
  expect(whole.output).toBe(
    '[Page 1 of 4, without text]\n[Page 2 of 4]\nOne\ngrün\n[Page 3 of 4]\nTwo\n[Page 4 of 4, without text]\n',
  );
  expect(whole.metadata).toMatchObject({ path: 'f', from: 1, lines: 7, truncated: false });
  const part = await read(bytes, { offset: 3, limit: 2 });
  expect(part.output).toBe(`One\ngrün\n[Lines 3 to 4 of a file of ${bytes.length} bytes. Go on with offset 5.]`);
});

test('rejects a PDF without any text', async () => {
  expect(await read(pdf([[], []]), { limit: 1 })).toEqual({
    status: 'error',
    output: expect.stringMatching(/^f has no text, only images .*: make images of its pages/) as string,
  });
});

const refused: [string, Uint8Array, RegExp][] = [
  ['locked', pdf([['One']], { locked: true }), /^f is locked by a password: make a copy of it without one$/],
  ['broken', TWO.subarray(0, 400), /^f is a broken PDF \(Invalid PDF structure\.\): make it again, or repair it$/],
];
test.for(refused)('rejects a %s PDF with a solution, and releases the thread', async ([, bytes, words]) => {
  const threads: string[] = [];
  const thread = () => {
    threads.push('taken');
    return Promise.resolve(() => void threads.push('given back'));
  };
  const context = contextWith(contextIn(await folderWith({ f: bytes })), { search: { acquireThread: thread } });
  const result = await call(readFileTool(), { path: 'f' }, context);
  expect(result).toEqual({ status: 'error', output: expect.stringMatching(words) as string });
  expect(threads).toEqual(['taken', 'given back']);
});

test('does not read a PDF that is too large', async () => {
  const folder = await folderWith({ f: TWO });
  await truncate(join(folder, 'f'), MAX_PDF_BYTES + 1);
  const { status, output } = await call(readFileTool(), { path: 'f' }, contextIn(folder));
  expect([status, output]).toEqual(['error', expect.stringContaining('and a PDF may have 50000000: split it')]);
});

test('parses a PDF without blocking the process', async () => {
  const lines = Array.from({ length: 50 }, (_, line) => `Line ${line} of a page with some words on it`);
  const bytes = pdf(Array<string[]>(20).fill(lines));
  const { value, longest } = await longestBlock(() => read(bytes, { offset: 900 }));
  expect(value.output).toContain('Line 0 of a page');
  expect(longest).toBeLessThan(100);
});

describe('the extraction of text from a PDF', () => {
  const all = async (bytes: Uint8Array, options: Partial<Parameters<typeof pdfText>[1]>) => {
    await using handle = await open(join(await folderWith({ f: bytes }), 'f'));
    for await (const _ of pdfText(handle, { path: 'f', signal: new AbortController().signal, ...options }));
  };

  test('ends at its time limit', async () => {
    await expect(all(TWO, { limits: { ms: 1, decodedBytes: 1e9 } })).rejects.toMatchObject({
      code: 'limit_reached',
      message: expect.stringMatching(/^f takes too much time: split it/) as string,
    });
  });

  test('ends when its run is stopped', async () => {
    const stop = new AbortController();
    const stopped = all(TWO, { signal: stop.signal });
    stop.abort(new Error('Stopped'));
    await expect(stopped).rejects.toThrow('Stopped');
  });

  test('ends when a small file decodes to too much data', async () => {
    const content = deflateSync(Buffer.alloc(40_000_000, ' '));
    const bytes = pdf([['One']], { content, filter: '/Filter/FlateDecode' });
    expect(bytes.length).toBeLessThan(100_000);
    await expect(all(bytes, { limits: { ms: 20_000, decodedBytes: 10_000_000 } })).rejects.toMatchObject({
      code: 'limit_reached',
      message: expect.stringMatching(/^f takes too much memory: split it/) as string,
    });
  });
});

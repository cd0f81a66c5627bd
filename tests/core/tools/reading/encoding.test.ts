/** read_file reads text in other encodings than UTF-8 page by page, and says which it is. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readFileTool } from '#core/tools/reading/read-file.ts';
import { samples } from '../../../support/samples.ts';
import { call, contextIn, folderWith } from '../../../support/workspace.ts';

async function read(bytes: Uint8Array, input: object = {}) {
  const folder = await folderWith({ f: bytes });
  return call(readFileTool(), { path: 'f', ...input }, contextIn(folder));
}

const le = (text: string): Buffer => Buffer.from(text, 'utf16le');
const be = (text: string): Buffer => le(text).swap16();
const MARK = '\uFEFF';
const latin = (text: string): Buffer => Buffer.from(text, 'latin1');

test.for<[string, Buffer, string, string]>([
  ['UTF-8 with a mark', Buffer.from(`${MARK}grün\n`), 'utf-8-bom', 'UTF-8 with a byte order mark'],
  ['UTF-16 LE', le(`${MARK}grün 😀\n`), 'utf-16le', 'UTF-16 LE'],
  ['UTF-16 BE', be(`${MARK}grün 😀\n`), 'utf-16be', 'UTF-16 BE'],
  ['UTF-16 LE without a mark', le('a = "grün"\r\n'), 'utf-16le', 'UTF-16 LE'],
  ['UTF-16 BE without a mark', be('a = "grün"\r\n'), 'utf-16be', 'UTF-16 BE'],
  ['UTF-16 of other letters', le(`${MARK}Привет\n`), 'utf-16le', 'UTF-16 LE'],
  ['Windows-1252', latin('caf\xe9 \x80 5, \x93so\x94\n'), 'windows-1252', 'Windows-1252'],
  ['Latin-1 that ends with its one letter', latin('caf\xe9'), 'windows-1252', 'Windows-1252'],
  ['Latin-1 far behind ASCII', latin(`${'x'.repeat(99)}\n`.repeat(700) + 'gr\xfcn\n'), 'windows-1252', 'Windows-1252'],
])('reads %s and names the encoding', async ([, bytes, encoding, name]) => {
  const text = {
    'utf-8-bom': () => bytes.toString('utf8').slice(1),
    'utf-16le': () => bytes.toString('utf16le').replace(MARK, ''),
    'utf-16be': () => Buffer.from(bytes).swap16().toString('utf16le').replace(MARK, ''),
    'windows-1252': () => bytes.toString('latin1').replace('\x80', '€').replace('\x93', '“').replace('\x94', '”'),
  }[encoding]!();
  const page = await read(bytes, { offset: Math.max(1, text.split('\n').length - 2) });
  const [, said = '', note = ''] = /^([^]*?)\n?\[(.*)\]$/.exec(page.output) ?? [];
  expect(text.trimEnd().endsWith(said.trimEnd()) && said !== '').toBe(true);
  expect(note).toContain(`The file is in ${name}`);
  expect(page.metadata).toMatchObject({ encoding, stamp: expect.stringMatching(/^stat /) as string });
});

test('pages in every encoding join to the whole text', async () => {
  const unit = fc.constantFrom('a', 'é', 'ß', ' ', '–');
  // The bytes of a letter and dashes in Windows-1252 are a letter of UTF-8, and then that is what it is.
  const line = fc.string({ unit, maxLength: 30_000 }).map((words) => words.replaceAll(/[éß](?=–)/g, ' '));
  const lines = fc.array(line, { minLength: 1, maxLength: 8 });
  const encoded = {
    'utf-8-bom': (text: string) => Buffer.from(MARK + text),
    'utf-16le': (text: string) => le(MARK + text),
    'utf-16be': (text: string) => be(MARK + text),
    'windows-1252': (text: string) => latin(text.replaceAll('–', '\x96')),
  };
  const whole = async (all: string[], encoding: keyof typeof encoded, limit: number) => {
    const text = ['é', ...all, 'end'].map((line) => `${line}\n`).join('');
    const folder = await folderWith({ f: encoded[encoding](text) });
    let read = '';
    for (let offset = 1, more = true; more;) {
      const page = await call(readFileTool(), { path: 'f', offset, limit }, contextIn(folder));
      const { lines: count, truncated } = page.metadata as { lines: number; truncated: boolean };
      expect(page.metadata).toMatchObject({ encoding });
      read += page.output.slice(0, page.output.lastIndexOf('['));
      offset += count;
      more = truncated;
    }
    expect(read).toBe(text);
  };
  const names = fc.constantFrom(...(Object.keys(encoded) as (keyof typeof encoded)[]));
  await fc.assert(fc.asyncProperty(lines, names, fc.integer({ min: 1, max: 5 }), whole), samples(8));
});

test.for<[string, Buffer]>([
  ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0, 0x62, 0, 0, 0])],
  ['small numbers of two bytes', Buffer.from([1, 0, 2, 0, 3, 0, 2, 0, 1, 0, 7, 0])],
  ['letters of two bytes among other data', le('letters\x01\x02')],
  ['non-text data without zeros', Buffer.from([0x1f, 0x8b, 8, 1, 0xfe, 0xc3, 0x11, 0x99, 0xc0, 0xff])],
  ['UTF-16 of an odd number of bytes', Buffer.from([...le('letters'), 0x78])],
  ['UTF-16 of fewer than eight bytes', le('abc')],
  ['UTF-16 of mostly other letters without a mark', le('аbвгд€')],
  ['zeros behind letters', Buffer.from([0x61, 0xe9, 0x62, 0, 0])],
])('treats %s as binary', async ([, bytes]) => {
  expect(await read(bytes)).toEqual({ status: 'error', output: `f is a binary file (${bytes.length} bytes)` });
});

test('reads a letter split across two chunks without changing the detected encoding', async () => {
  const narrow = await read(Buffer.from(`${'x'.repeat(65_534)}\nü${'é'.repeat(10)}\n`), { offset: 2 });
  expect(narrow.output).toBe(`ü${'é'.repeat(10)}\n`);
  expect(narrow.metadata).not.toHaveProperty('encoding');
  const wide = await read(le(`${MARK}${'x'.repeat(32_766)}😀\n`));
  expect(wide.output).toMatch(/^x+😀\n\[The file is in UTF-16 LE\.\]$/);
});

test.for<[string, Buffer, string | undefined]>([
  ['UTF-16 of eight bytes without a mark', le('abcd'), 'utf-16le'],
  ['a byte of Windows-1252 without a character', latin('caf\xe9\x81'), undefined],
  ['tabs, form feeds, backspaces and escapes in Windows-1252', latin('caf\xe9\t\f\b\x1b'), 'windows-1252'],
  ['as many right as wrong letters', Buffer.from([...Buffer.from('ü '), 0xfc]), undefined],
  ['fewer right than wrong letters', Buffer.from([...Buffer.from('ü '), 0xfc, 0x20, 0xfc]), 'windows-1252'],
])('treats %s as text', async ([, bytes, encoding]) => {
  const { status, metadata } = await read(bytes);
  expect([status, metadata?.['encoding']]).toEqual(['completed', encoding]);
});

test('reads UTF-8 with a broken byte as UTF-8, with a note', async () => {
  const page = await read(Buffer.concat([Buffer.from('grün, blau, süß '), Buffer.from([0xfc])]));
  expect(page.output).toBe(
    'grün, blau, süß \uFFFD\n[Some bytes are no text in that encoding and are shown as \uFFFD.]',
  );
});

test('reads an unsupported encoding as UTF-8 with replacement characters', async () => {
  const page = await read(Buffer.from([0x82, 0xa0, 0x82, 0xa2, 0x81, 0x41, 0x82, 0xa4, 0x0a]));
  expect(page.output).toMatch(/^\uFFFD[^]*shown as \uFFFD\.\]$/);
  expect(page.metadata).not.toHaveProperty('encoding');
});

/** read_file reads text in other encodings than UTF-8 page by page, and says which it is. */
import { expect, test } from 'vitest';
import { toolUse } from '../../../support/fake-model/script.ts';
import { sharedEngine } from '../../../support/shared-engine.ts';
import { runCalls } from '../../../support/tool-calls.ts';

const { start } = sharedEngine();

/** Reads files with these contents, each with the further arguments beside it, in one response. */
async function readAll(reads: readonly { bytes: Uint8Array; input?: object }[]) {
  const files = Object.fromEntries(reads.map(({ bytes }, index) => [`f${index}`, bytes]));
  const calls = reads.map(({ input }, index) => toolUse('read_file', { path: `f${index}`, ...input }));
  return (await runCalls([calls], (script) => start(script, { files }))).entries;
}

async function read(bytes: Uint8Array, input: object = {}) {
  const [entry] = await readAll([{ bytes, input }]);
  return entry!;
}

const le = (text: string): Buffer => Buffer.from(text, 'utf16le');
const be = (text: string): Buffer => le(text).swap16();
const MARK = '\uFEFF';
const latin = (text: string): Buffer => Buffer.from(text, 'latin1');

const ENCODED: [string, Buffer, string, string][] = [
  ['UTF-8 with a mark', Buffer.from(`${MARK}grün\n`), 'utf-8-bom', 'UTF-8 with a byte order mark'],
  ['UTF-16 LE', le(`${MARK}grün 😀\n`), 'utf-16le', 'UTF-16 LE'],
  ['UTF-16 BE', be(`${MARK}grün 😀\n`), 'utf-16be', 'UTF-16 BE'],
  ['UTF-16 LE without a mark', le('a = "grün"\r\n'), 'utf-16le', 'UTF-16 LE'],
  ['UTF-16 BE without a mark', be('a = "grün"\r\n'), 'utf-16be', 'UTF-16 BE'],
  ['UTF-16 of other letters', le(`${MARK}Привет\n`), 'utf-16le', 'UTF-16 LE'],
  ['Windows-1252', latin('caf\xe9 \x80 5, \x93so\x94\n'), 'windows-1252', 'Windows-1252'],
  ['Latin-1 that ends with its one letter', latin('caf\xe9'), 'windows-1252', 'Windows-1252'],
  ['Latin-1 far behind ASCII', latin(`${'x'.repeat(99)}\n`.repeat(700) + 'gr\xfcn\n'), 'windows-1252', 'Windows-1252'],
];

test('reads each encoding and names it', async () => {
  const rows = ENCODED.map(([name, bytes, encoding, title]) => {
    const text = {
      'utf-8-bom': () => bytes.toString('utf8').slice(1),
      'utf-16le': () => bytes.toString('utf16le').replace(MARK, ''),
      'utf-16be': () => Buffer.from(bytes).swap16().toString('utf16le').replace(MARK, ''),
      'windows-1252': () => bytes.toString('latin1').replace('\x80', '€').replace('\x93', '“').replace('\x94', '”'),
    }[encoding]!();
    return { name, bytes, encoding, title, text, input: { offset: Math.max(1, text.split('\n').length - 2) } };
  });
  const pages = await readAll(rows);
  for (const [index, { name, encoding, title, text }] of rows.entries()) {
    const page = pages[index]!;
    const [, said = '', note = ''] = /^([^]*?)\n?\[(.*)\]$/.exec(page.output) ?? [];
    expect(text.trimEnd().endsWith(said.trimEnd()) && said !== '', name).toBe(true);
    expect(note, name).toContain(`The file is in ${title}`);
    expect(page.metadata, name).toMatchObject({ encoding, stamp: expect.stringMatching(/^stat /) as string });
  }
});

const BINARY: [string, Buffer][] = [
  ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0, 0x62, 0, 0, 0])],
  ['small numbers of two bytes', Buffer.from([1, 0, 2, 0, 3, 0, 2, 0, 1, 0, 7, 0])],
  ['letters of two bytes among other data', le('letters\x01\x02')],
  ['non-text data without zeros', Buffer.from([0x1f, 0x8b, 8, 1, 0xfe, 0xc3, 0x11, 0x99, 0xc0, 0xff])],
  ['UTF-16 of an odd number of bytes', Buffer.from([...le('letters'), 0x78])],
  ['UTF-16 of fewer than eight bytes', le('abc')],
  ['UTF-16 of mostly other letters without a mark', le('аbвгд€')],
  ['zeros behind letters', Buffer.from([0x61, 0xe9, 0x62, 0, 0])],
];

test('treats bytes that are no text as binary', async () => {
  const entries = await readAll(BINARY.map(([, bytes]) => ({ bytes })));
  expect(entries.map(({ status, output, metadata }, index) => [BINARY[index]?.[0], status, output, metadata])).toEqual(
    BINARY.map(([name, { length }], index) => [name, 'error', `f${index} is a binary file (${length} bytes)`, {}]),
  );
});

test('reads a letter split across two chunks without changing the detected encoding', async () => {
  const narrow = await read(Buffer.from(`${'x'.repeat(65_534)}\nü${'é'.repeat(10)}\n`), { offset: 2 });
  expect(narrow.output).toBe(`ü${'é'.repeat(10)}\n`);
  expect(narrow.metadata).not.toHaveProperty('encoding');
  const wide = await read(le(`${MARK}${'x'.repeat(32_766)}😀\n`));
  expect(wide.output).toMatch(/^x+😀\n\[The file is in UTF-16 LE\.\]$/);
});

const TEXT: [string, Buffer, string | undefined][] = [
  ['UTF-16 of eight bytes without a mark', le('abcd'), 'utf-16le'],
  ['a byte of Windows-1252 without a character', latin('caf\xe9\x81'), undefined],
  ['tabs, form feeds, backspaces and escapes in Windows-1252', latin('caf\xe9\t\f\b\x1b'), 'windows-1252'],
  ['as many right as wrong letters', Buffer.from([...Buffer.from('ü '), 0xfc]), undefined],
  ['fewer right than wrong letters', Buffer.from([...Buffer.from('ü '), 0xfc, 0x20, 0xfc]), 'windows-1252'],
];

test('treats bytes in which text prevails as text', async () => {
  const entries = await readAll(TEXT.map(([, bytes]) => ({ bytes })));
  expect(entries.map(({ status, metadata }, index) => [TEXT[index]?.[0], status, metadata['encoding']])).toEqual(
    TEXT.map(([name, , encoding]) => [name, 'completed', encoding]),
  );
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

/** ripgrep only makes a search faster: what is found is the same with it, without it, and where it fails. */
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test, vi, onTestFinished } from 'vitest';
import { grepTool } from '#core/tools/grep.ts';
import { looser } from '#core/tools/search/ripgrep-pattern.ts';
import { filesWithMatch, findRipgrep } from '#core/tools/search/ripgrep.ts';
import { compile } from '#core/tools/search/search-lines.ts';
import type { SearchOptions } from '#core/tools/search/search.ts';
import { inFullRun, samples, variations } from '../../support/samples.ts';
import { asking, RIPGREP, WAYS } from '../../support/searching.ts';
import { call, contextIn, contextWith, folderWith, workspaceIn } from '../../support/workspace.ts';

const grep = async (folder: string, input: object, way: SearchOptions, stop?: AbortSignal) =>
  call(grepTool({ timeoutMs: 30_000 }), input, contextIn(folder, stop, way));

/** A program that does this in place of ripgrep. */
async function program(...lines: string[]): Promise<string> {
  const folder = await folderWith({ rg: ['#!/bin/sh', ...lines, ''].join('\n') });
  await chmod(join(folder, 'rg'), 0o755);
  return join(folder, 'rg');
}

const LINES = [
  'foo bar',
  'Foo',
  'FOO1',
  'foobar',
  'éfoo',
  'ſk K',
  'a\u00a0b',
  'a\u2028b',
  '12-34',
  'ÄÖ',
  '😀x',
  '\uFEFFa',
];
const BYTES = [...LINES, 'a\0b', 'foo\r', '', '\uFFFD', '{x}', '[y]', '\\', '/p/q', 'aaa', '_', 'K', 'straße', 'İı'];
const ATOMS = [
  'foo',
  'Foo',
  'a',
  'b',
  'k',
  's',
  'é',
  'Ä',
  'ß',
  '😀',
  '.',
  '\\w',
  '\\W',
  '\\d',
  '\\s',
  '\\S',
  '\\b',
  '\\B',
];
const OTHERS = [
  '[a-z]',
  '[^a]',
  '[\\w-]',
  '[é]',
  '[\\s\\S]',
  '(?=b)',
  '(?!b)',
  '(?<=a)',
  '^',
  '$',
  '\\u00e9',
  '\\/',
  '\\{',
];
const EXPRESSIONS = [
  '(a)\\1',
  '(?<n>o)\\k<n>',
  '\\-',
  'x{,2}',
  'a{2}',
  '\\x41',
  '[]',
  '\\p{L}',
  '(?i:foo)',
  '\\uFFFD',
  '\\0',
];
const atom = fc.constantFrom(...ATOMS, ...OTHERS, ...EXPRESSIONS);
const piece = fc
  .tuple(atom, fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,3}', '{60}', '+?'))
  .map((all) => all.join(''));
const expression = fc
  .array(fc.array(piece, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 })
  .map((all) => all.map((pieces) => pieces.join('')).join('|'));

test.skipIf(RIPGREP === null)('ripgrep finds every file with a match, whatever the pattern', async () => {
  const bad = [
    Buffer.from([0x66, 0x6f, 0xff, 0x6f]),
    Buffer.from([0x61, 0xc3, 0x62]),
    Buffer.from([0xff, 0xfe, 0x61, 0]),
  ];
  const folder = await folderWith(Object.fromEntries([...BYTES, ...bad].map((text, n) => [`${n}.txt`, text])));
  const texts = [...BYTES, ...bad.map((bytes) => bytes.toString())].map((text) => text.replace(/\r$/, ''));
  const paths = texts.map((__, n) => `${n}.txt`);
  const task = { program: RIPGREP!, folder };
  let told = 0;
  await fc.assert(
    fc.asyncProperty(expression, fc.boolean(), async (pattern, ignoreCase) => {
      fc.pre(isValid(pattern, ignoreCase));
      const meant = compile(pattern, ignoreCase);
      const asked = looser(meant);
      if (asked === null) return;
      const found = await filesWithMatch(task, { pattern: asked, paths }, new AbortController().signal);
      if (found === null) return;
      told += 1;
      for (const [n, text] of texts.entries()) if (meant.test(text)) expect(found, text).toContain(`${n}.txt`);
    }),
    samples(15, 250),
  );
  // Most are not beyond it.
  expect(told).toBeGreaterThan(4);
});

function isValid(pattern: string, ignoreCase: boolean): boolean {
  try {
    return compile(pattern, ignoreCase) instanceof RegExp;
  } catch {
    return false;
  }
}

/** What the two programs take for different things, with a text that the expression matches here. */
const DIFFERENT: readonly (readonly [string, RegExp, string | Buffer])[] = [
  ['another word boundary', /\bfoo/u, 'éfoo'],
  ['no word', /\Wfoo/u, 'éfoo'],
  ['a space of its own', /x\sy/u, 'x\uFEFFy'],
  ['the end before a carriage return', /foo$/u, 'foo\r\n'],
  ['all but some', /[^a]oo/u, 'éoo'],
  ['a character of four bytes', /^a.b$/u, 'a😀b'],
  ['its two halves', /^a..b$/, 'a😀b'],
  ['bytes that are no text', /a.b/u, Buffer.from([0x61, 0xff, 0x62])],
  ['a mark of another encoding', /needle/u, Buffer.from([0xff, 0xfe, ...Buffer.from('needle')])],
  ['a byte of binary files, far on', /^a.b$/u, `${'x\n'.repeat(40_000)}a\0b`],
  ['letters in another case', /É/iu, 'é'],
  ['a letter of the same case', /k/iu, '\u212A'],
  ['what came before', /(a|b)x\1/u, 'bxb'],
  ['what comes behind', /a(?=b)(?!c)/u, 'ab'],
  ['braces that mean nothing', new RegExp('x{,2}'), 'x{,2}'],
  ['a property', /\p{Lu}x/u, 'Äx'],
  ['a great count', /a{300}b/u, `${'a'.repeat(300)}b`],
];

test.skipIf(RIPGREP === null).each(DIFFERENT)(
  'a pattern that ripgrep reads differently still finds its file: %s',
  async (_, meant, text) => {
    const folder = await folderWith({ 'a.txt': text });
    expect(
      text
        .toString()
        .split(/\r?\n/)
        .some((line) => meant.test(line)),
    ).toBe(true);
    const pattern = looser(meant);
    const task = { program: RIPGREP!, folder };
    const signal = new AbortController().signal;
    // It may be beyond it, but not in most cases: see the next test.
    if (pattern !== null) expect(await filesWithMatch(task, { pattern, paths: ['a.txt'] }, signal)).toEqual(['a.txt']);
  },
);

/** `~`: one character of JavaScript, in bytes. */
const LOOSER: readonly (readonly [RegExp, string | null])[] = [
  [/a/i, '(?i)(?:\\x{61})'],
  [/a\d\w/u, '(?:\\x{61}[0-9][0-9A-Za-z_])'],
  [/a\D\W\s./u, '(?:\\x{61}~{1,4}~{1,4}~{1,4}~{1,4})'],
  [/a[b-d\d\w_]/u, '(?:\\x{61}[\\x{62}-\\x{64}0-90-9A-Za-z_\\x{5f}])'],
  [/a[^b][bé][b-é][\s]/u, '(?:\\x{61}~{1,4}~{1,4}~{1,4}~{1,4})'],
  [/a[\x7f][b-\x7f]/, '(?:\\x{61}[\\x{7f}][\\x{62}-\\x{7f}])'],
  [/é\u{d7ff}\ue000\u{10ffff}/u, '(?:\\x{e9}\\x{d7ff}\\x{e000}\\x{10ffff})'],
  [/\x7fé/iu, '(?i)(?:\\x{7f}~{1,4})'],
  [/a\ufffd\ud800\udfff/, '(?:\\x{61}~{1,4}~{1,4}~{1,4})'],
  [/(a|bc)+(?:d|)/u, '(?:(?:(?:\\x{61}|\\x{62}\\x{63})){1,}(?:\\x{64}|))'],
  [/^(?=b)(?<!c)\ba$/u, '(?:\\x{61})'],
  [/(?i:a)b/, '(?:~{0,}\\x{62})'],
  [/(a)\1/, '(?:(?:\\x{61})~{0,})'],
  [/a{2,60}b{50}c{51}/u, '(?:(?:\\x{61}){2,}(?:\\x{62}){50,50}(?:\\x{63}){50,})'],
  [/.{2,12}a.{2,13}/u, '(?:~{2,48}\\x{61}~{2,})'],
  [/a\d{2}(?:\d){3}/u, '(?:\\x{61}(?:[0-9]){2,2}(?:(?:[0-9])){3,3})'],
  [new RegExp('a[]'), '(?:\\x{61}~{1,4})'],
  [/a?/u, null],
  [/\d+[a].\p{L}/u, null],
];

test.each(LOOSER)('translates %s to the pattern for ripgrep', (meant, pattern) => {
  expect(looser(meant)?.replaceAll('(?-u:[^\\n])', '~') ?? null).toBe(pattern);
});

test('a search of fewer than 20 files does not start ripgrep', async () => {
  const log = join(await folderWith(), 'log');
  const spy = await program(`touch '${log}'`, 'exit 2');
  const files = Object.fromEntries(Array.from({ length: 19 }, (_, n) => [`${n}.txt`, 'needle']));
  const { output } = await grep(await folderWith(files), { pattern: 'needle' }, { ripgrep: spy });
  expect(output.split('\n')).toHaveLength(19);
  await expect(readFile(log)).rejects.toMatchObject({ code: 'ENOENT' });
});

test.skipIf(RIPGREP === null)('ripgrep excludes files without a match', async () => {
  const folder = await folderWith({ 'a.txt': 'a needle 12', 'b.txt': 'nothing' });
  for (const meant of [/needle/u, /n.*le \d+$/u, /(?:no|NE)ed/iu, /\bneed[a-z]e\b/u]) {
    const question = { pattern: looser(meant)!, paths: ['a.txt', 'b.txt'] };
    expect(await filesWithMatch({ program: RIPGREP!, folder }, question, new AbortController().signal)).toEqual([
      'a.txt',
    ]);
  }
});

test.each(variations(['needle', 'fn\\s+\\w+[1-5]$', '(?!x)[A-Z]{2}']))(
  'grep returns equal lines with and without ripgrep for %s',
  async (pattern) => {
    const text = (n: number): string =>
      `fn run${n}\n${n % 7 === 0 ? 'a needle' : 'bread'}\r\nlast ${n % 5 === 0 ? 'AB' : ''}`;
    const files = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`d${n % 4}/e${n % 3}/f${n}.txt`, text(n)]));
    const folder = await folderWith({ ...files, 'z.bin': 'needle\0', '.hidden/h.txt': 'needle', '-e': 'needle' });
    const found = [];
    for (const [, way] of WAYS) found.push(await grep(folder, { pattern }, way));
    expect(found[0]!.status).toBe('completed');
    for (const one of found) expect(one).toEqual(found[0]);
  },
);

test('ripgrep gets no configuration variable and only the paths of readable files', async () => {
  const log = join(await folderWith(), 'log');
  const spy = await program(`{ env; for one in "$@"; do echo "arg $one"; done; } > '${log}'`, 'exit 2');
  vi.stubEnv('RIPGREP_CONFIG_PATH', '/etc/ripgreprc');
  onTestFinished(() => void vi.unstubAllEnvs());
  const files = { '.env': 'KEY', 'own/a.txt': 'KEY', '.gitignore': 'out', 'out/b.txt': 'KEY', 'hid/c.txt': 'KEY' };
  const folder = await folderWith({ ...files, 'd.txt': 'KEY' });
  const workspace = workspaceIn(folder, { own: [join(folder, 'own')] });
  const context = contextWith(contextIn(workspace, undefined, asking(spy)), {
    search: { hidden: () => Promise.resolve(['hid/**']) },
  });
  expect((await call(grepTool(), { pattern: 'KEY' }, context)).output).toBe('d.txt:1:KEY');
  const said = (await readFile(log, 'utf8')).split('\n');
  expect(said.slice(said.indexOf('arg --'))).toEqual(['arg --', 'arg .gitignore', 'arg d.txt', '']);
  expect(said).toContain('arg --no-config');
  expect(said.join('\n')).not.toContain('RIPGREP_CONFIG_PATH');
});

test('does not search a file that ripgrep returns although that path was not in the request', async () => {
  const spy = await program(`printf '../a.txt\\0.env\\0out/c.txt\\0'`);
  const folder = await folderWith({ '.env': 'KEY', 'b.txt': 'KEY', 'out/c.txt': 'KEY', '.gitignore': 'out' });
  expect((await grep(folder, { pattern: 'KEY' }, asking(spy))).output).toContain('[No line matches');
});

test.each([['fails', 'exit 2'], ...(inFullRun ? [['is killed', 'kill -9 $$']] : [])] as [string, string][])(
  'searches all files itself if ripgrep %s or is missing',
  async (_, line) => {
    const folder = await folderWith({ 'a.txt': 'needle', 'b.txt': 'needle' });
    const expected = 'a.txt:1:needle\nb.txt:1:needle';
    expect((await grep(folder, { pattern: 'needle' }, asking(await program(line)))).output).toBe(expected);
    expect((await grep(folder, { pattern: 'needle' }, asking(join(folder, 'absent')))).output).toBe(expected);
  },
);

// Other systems have no paths of this length.
test.runIf(process.platform === 'linux')(
  'splits a long list of paths into several ripgrep calls, and searches the rest itself if a call fails',
  async () => {
    const log = join(await folderWith(), 'log');
    const deep = Array.from({ length: 13 }, () => 'd'.repeat(250)).join('/');
    const long = (n: number) => `${deep}/${String(n).padStart(3, '0')}${'f'.repeat(200)}`;
    const folder = await folderWith(Object.fromEntries(Array.from({ length: 320 }, (_, n) => [long(n), 'needle'])));
    const all = Array.from({ length: 320 }, (_, n) => `${long(n)}:1:needle`).join('\n');
    const skip = `while [ "$1" != -- ]; do shift; done; shift; echo $# >> '${log}'`;
    const named = await program(skip, `printf '%s\\0' "$@"`);
    expect((await grep(folder, { pattern: 'needle' }, asking(named))).output).toBe(all);
    const counts = (await readFile(log, 'utf8')).trim().split('\n').map(Number);
    expect(counts).toEqual([151, 151, 18]);
    // The second question has no answer: the rest is searched.
    const once = await program(skip, `[ "$(wc -l < '${log}')" = 4 ] || exit 2`, `printf '%s\\0' "$@"`);
    expect((await grep(folder, { pattern: 'needle' }, asking(once))).output).toBe(all);
  },
);

test('stopping the run cancels the search and ends ripgrep with its child processes', async () => {
  const pids = join(await folderWith(), 'pids');
  const stuck = await program(`sleep 60 & echo $$ $! > '${pids}'; wait`);
  const folder = await folderWith({ 'a.txt': 'needle' });
  const stop = new AbortController();
  const working = grep(folder, { pattern: 'needle' }, asking(stuck), stop.signal);
  const patience = { timeout: 20_000 };
  const both = await vi.waitFor(async () => (await readFile(pids, 'utf8')).trim().split(' ').map(Number), patience);
  expect(both).toHaveLength(2);
  stop.abort();
  expect((await working).status).toBe('cancelled');
  for (const pid of both) await vi.waitFor(async () => expect(await isGone(pid)).toBe(true), patience);
});

/** A process that nobody has collected yet is gone too. */
async function isGone(pid: number): Promise<boolean> {
  const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z');
  return / Z/.test(state.slice(state.lastIndexOf(')')));
}

test('does not use a ripgrep program in the workspace', async () => {
  const folder = await folderWith({ 'bin/only-here': '' });
  await writeFile(join(folder, 'bin/rg'), '#!/bin/sh\n');
  await chmod(join(folder, 'bin/rg'), 0o755);
  expect(await findRipgrep({ PATH: join(folder, 'bin') }, workspaceIn(folder))).toBe(RIPGREP);
});

/** grep finds lines; no expression and no file can freeze the program. */
import { execFile } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { grepTool } from '#core/tools/grep.ts';
import { inFullRun } from '../../support/samples.ts';
import { WAYS } from '../../support/searching.ts';
import type { ToolResult } from '#core/tools/tool.ts';
import { call, contextIn, folderWith, BLOCK_MS, longestBlock } from '../../support/workspace.ts';

// That both ways find the same is tried beside the tests of ripgrep.
describe.each(inFullRun ? WAYS : WAYS.slice(0, 1))('%s', (_, way) => {
  const grep = async (folder: string, input: object) => call(grepTool(), input, contextIn(folder, undefined, way));

  test('returns matches as path:line:text, sorted by path', async () => {
    const folder = await folderWith({
      'b.txt': 'x\r\nfoo two\r\n',
      'a/c.ts': 'foo',
      'a/d.ts': 'Foo',
      'e.txt': 'none',
    });
    const result = await grep(folder, { pattern: 'fo+' });
    expect(result).toEqual({
      status: 'completed',
      output: 'a/c.ts:1:foo\nb.txt:2:foo two',
      metadata: {
        pattern: 'fo+',
        matches: 2,
        truncated: false,
        marks: [
          [9, 12],
          [8, 11],
        ],
      },
    });
    expect((await grep(folder, { pattern: 'foo', ignore_case: true, path: 'a' })).output).toBe(
      'a/c.ts:1:foo\na/d.ts:1:Foo',
    );
    expect((await grep(folder, { pattern: 'foo', glob: '*.txt' })).output).toBe('b.txt:2:foo two');
    expect((await grep(folder, { pattern: 'foo', path: 'b.txt' })).output).toBe('b.txt:2:foo two');
    expect((await grep(folder, { pattern: 'absent' })).output).toBe('[No line matches, in 4 files.]');
  });

  test('finds a match in a later chunk of a large file with its line number', async () => {
    const folder = await folderWith({ 'big.txt': `${'ü'.repeat(32_766)}\n`.repeat(80) + 'needle in 5 MB\n' });
    expect((await grep(folder, { pattern: 'needle' })).output).toBe('big.txt:81:needle in 5 MB');
  });

  test('returns at most 500 lines, each cut to 500 characters around its match', async () => {
    const folder = await folderWith({
      'many.txt': 'hit\n'.repeat(600),
      'long.txt': `${'a'.repeat(3000)}needle${'b'.repeat(3000)}`,
    });
    const many = await grep(folder, { pattern: 'hit' });
    expect(many.output.split('\n')).toHaveLength(501);
    expect(many.output).toMatch(/\[The first 500 matches; there are more: narrow the search\.\]$/);
    expect([many.metadata?.['truncated'], many.metadata?.['matches']]).toEqual([true, 500]);
    for (const path of ['.', 'many.txt']) {
      const all = await grep(await folderWith({ 'many.txt': 'hit\n'.repeat(500) }), { pattern: 'hit', path });
      expect([all.output.split('\n').length, all.metadata?.['truncated']]).toEqual([500, false]);
    }
    const near = await grep(folder, { pattern: 'needle' });
    expect(marked(near)).toEqual(['needle']);
    // A match that goes on beyond the cut is marked to it.
    expect(marked(await grep(folder, { pattern: 'needleb+' }))).toEqual([expect.stringMatching(/^needleb+…$/)]);
    const line = near.output;
    expect(line).toContain('needle');
    expect(line.length).toBeLessThan(520);
  });

  test('cuts a line of over 500 characters, from 100 characters before a match that is beyond the first 400', async () => {
    const line = (before: number, after: number) => `${','.repeat(before)}needle${'b'.repeat(after)}`;
    const shown = async (text: string) => {
      const { output, metadata } = await grep(await folderWith({ f: text }), { pattern: 'needle' });
      return [output.slice('f:1:'.length), metadata?.['marks']];
    };
    expect(await shown(line(450, 44))).toEqual([line(450, 44), [[454, 460]]]);
    expect(await shown(line(399, 96))).toEqual([`${line(399, 95)}…`, [[403, 409]]]);
    expect(await shown(line(400, 95))).toEqual([`…${line(100, 95)}`, [[105, 111]]]);
    expect(await shown(line(600, 394))).toEqual([`…${line(100, 394)}`, [[105, 111]]]);
    expect(await shown(line(600, 395))).toEqual([`…${line(100, 394)}…`, [[105, 111]]]);
    // Half of a character before the part that is shown.
    expect(await shown(`😀${line(99, 0)}${'c'.repeat(400)}`)).toEqual([
      `😀${line(99, 0)}${'c'.repeat(393)}…`,
      [[105, 111]],
    ]);
    expect(await shown(`${','.repeat(500)}😀${line(99, 0)}`)).toEqual([`…😀${line(99, 0)}`, [[106, 112]]]);
    // A word of 2,000 characters or more is cut.
    expect(await shown(`${'a'.repeat(3000)}needle`)).toEqual([`…${'a'.repeat(100)}needle`, [[105, 111]]]);
  });

  test('starts the excerpt of a long line before a word and its name instead of cutting them', async () => {
    const value = 'a'.repeat(300);
    const content = `${', '.repeat(400)}"secret_access_key": "${value}", needle${', '.repeat(400)}`;
    const { output } = await grep(await folderWith({ f: content }), { pattern: 'needle' });
    expect(output).toContain(`"secret_access_key": "${value}", needle`);
  });

  test('searches a text with a late NUL, and only the beginning of a huge line', async () => {
    const max = 256 * 1024;
    const folder = await folderWith({
      'a.txt': `${'x\n'.repeat(40_000)}a\0b\n`,
      'b.txt': `${'y'.repeat(max - 3)}end\n${'y'.repeat(max - 2)}end\nlast end`,
      'c.txt': `${'y'.repeat(max + 200_000)}end`,
    });
    expect((await grep(folder, { pattern: '^a.b$' })).output).toBe('a.txt:40001:a\0b');
    const ends = (await grep(folder, { pattern: 'end' })).output.split('\n');
    expect(ends.map((line) => line.replace(/:…?y+/, ':y'))).toEqual(['b.txt:1:yend', 'b.txt:3:last end']);
  });

  test('skips binary files, pipes and links', async () => {
    const outside = await folderWith({ 'o.txt': 'needle' });
    const folder = await folderWith({ 'a.bin': new Uint8Array([0, 0x6e]), 'a.txt': 'needle' });
    await symlink(join(outside, 'o.txt'), join(folder, 'link.txt'));
    await symlink(outside, join(folder, 'dir'));
    await promisify(execFile)('mkfifo', [join(folder, 'pipe')]);
    expect((await grep(folder, { pattern: 'n' })).output).toBe('a.txt:1:needle');
    expect((await grep(folder, { pattern: 'n', glob: 'dir/*' })).output).toBe('[No line matches, in 0 files.]');
  });

  test('skips files that git ignores unless they are requested', async () => {
    const folder = await folderWith({ '.gitignore': 'out/', 'out/a.txt': 'needle', 'b.txt': 'none' });
    const hint = 'Files that git ignores were passed over: set include_ignored to search them too.';
    expect((await grep(folder, { pattern: 'needle' })).output).toBe(`[No line matches, in 2 files. ${hint}]`);
    for (const input of [{ include_ignored: true }, { path: 'out' }, { path: 'out/a.txt' }])
      expect((await grep(folder, { pattern: 'needle', ...input })).output).toBe('out/a.txt:1:needle');
  });
});

const grep = async (folder: string, input: object) => call(grepTool(), input, contextIn(folder));

/** What is marked in each line. */
const marked = ({ output, metadata = {} }: ToolResult) => {
  const marks = metadata['marks'] as [number, number][];
  return output.split('\n').map((line, index) => line.slice(...(marks[index] ?? [])));
};

test('matches a glob without a slash in every folder, and a glob with a path from the searched folder', async () => {
  const folder = await folderWith({ 'a.ts': 'x', 'd/a.ts': 'x', 'd/e/a.ts': 'x', 'd/b.md': 'x' });
  const paths = async (input: object) =>
    (await grep(folder, { pattern: 'x', ...input })).output.split('\n').map((line) => line.slice(0, line.indexOf(':')));
  expect(await paths({ glob: 'a.ts' })).toEqual(['a.ts', 'd/a.ts', 'd/e/a.ts']);
  expect(await paths({ glob: 'd/*' })).toEqual(['d/a.ts', 'd/b.md']);
  expect(await paths({ glob: 'e/*', path: 'd' })).toEqual(['d/e/a.ts']);
  for (const glob of ['../*', '/etc/*']) {
    const { status, output } = await grep(folder, { pattern: 'x', glob });
    expect([status, output]).toEqual([
      'error',
      `${glob}: a pattern is relative to the folder that is searched and cannot lead out of it`,
    ]);
  }
});

test('rejects an invalid regular expression', async () => {
  const folder = await folderWith({ 'a.txt': 'a' });
  const result = await grep(folder, { pattern: '(' });
  expect(result.status).toBe('error');
  expect(result.output).toContain('Invalid regular expression');
  expect((await grep(folder, { pattern: 'a|\\-' })).output).toBe('a.txt:1:a');
});

test('stops a runaway regular expression with the earlier matches, without blocking the process', async () => {
  // More files before the costly one than are read at a time.
  const others = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`0${index}.txt`, 'x']));
  const folder = await folderWith({ '0.txt': 'aab', ...others, '1.txt': `${'a'.repeat(50)}!` });
  const tool = grepTool({ timeoutMs: 2000 });
  const { value, longest } = await longestBlock(() => call(tool, { pattern: '^(a+)+b$' }, contextIn(folder)));
  expect(value.status).toBe('error');
  expect(value.output).toBe(
    '0.txt:1:aab\n[The search was stopped after 2 s: use a simpler expression or a narrower path.]',
  );
  expect(longest).toBeLessThan(BLOCK_MS);
});

test('a stop of the run ends the search at once', async () => {
  const folder = await folderWith({ '1.txt': `${'a'.repeat(50)}!` });
  const stop = new AbortController();
  const started = performance.now();
  const working = call(grepTool(), { pattern: '^(a+)+b$' }, contextIn(folder, stop.signal));
  setTimeout(() => stop.abort(), 100);
  expect((await working).status).toBe('cancelled');
  expect(performance.now() - started).toBeLessThan(2000);
});

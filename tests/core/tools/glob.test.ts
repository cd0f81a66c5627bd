/** glob finds files by pattern, inside the workspace only. */
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { globTool } from '#core/tools/glob.ts';
import { call, contextIn, contextWith, folderWith } from '../../support/workspace.ts';

const find = async (folder: string, input: object) => call(globTool(), input, contextIn(folder));

test('returns sorted paths relative to the workspace, without .git and node_modules', async () => {
  const folder = await folderWith({
    'src/b.ts': '',
    'src/a.ts': '',
    'c.ts': '',
    '.github/x.ts': '',
    '.git/y.ts': '',
    'p/node_modules/z.ts': '',
  });
  expect((await find(folder, { pattern: '**/*.ts' })).output).toBe('.github/x.ts\nc.ts\nsrc/a.ts\nsrc/b.ts');
  expect((await find(folder, { pattern: '*.ts', path: 'src' })).output).toBe('src/a.ts\nsrc/b.ts');
  expect((await find(folder, { pattern: '*.md' })).output).toBe('[No file matches *.md.]');
});

test('skips files that git ignores unless include_ignored is set', async () => {
  const folder = await folderWith({ '.gitignore': '*.log\n!keep.log', 'a.log': '', 'in/b.log': '', 'in/keep.log': '' });
  const hint = 'Files that git ignores were passed over: set include_ignored to search them too.';
  expect((await find(folder, { pattern: '**/*.log' })).output).toBe('in/keep.log');
  expect((await find(folder, { pattern: '*.log' })).output).toBe(`[No file matches *.log. ${hint}]`);
  expect((await find(folder, { pattern: '**/*.log', include_ignored: true })).output).toBe(
    'a.log\nin/b.log\nin/keep.log',
  );
});

test('returns only the first thousand of many files', async () => {
  const folder = await folderWith(Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`d/f${i}`, ''])));
  const all = await find(folder, { pattern: '**' });
  expect([all.output.split('\n').length, all.metadata]).toEqual([
    1000,
    { pattern: '**', files: 1000, truncated: false },
  ]);
  for (const name of ['x', 'y']) await writeFile(join(folder, name), '');
  const result = await find(folder, { pattern: '**' });
  expect(result.output.split('\n').slice(1000)).toEqual(['[The first 1000 of 1002 files; narrow the pattern.]']);
  expect(result.metadata).toMatchObject({ files: 1000, truncated: true });
});

test.for(['../**', 'src/../../**', '/etc/*', '{..,src}/*', '@(..|src)/*'])(
  'rejects the pattern %s',
  async (pattern) => {
    const folder = await folderWith({ 'src/a': '' });
    expect(await find(folder, { pattern })).toMatchObject({ status: 'error' });
  },
);

test.for(['out/**', 'out/*', '{out,src}/*', 'o*/**', '.\\./**', '[.][.]/*', 'src/[.]./../../*'])(
  'finds nothing outside the workspace with the pattern %s',
  async (pattern) => {
    const outside = await folderWith({ 'secret-name.txt': '' });
    const folder = await folderWith({ 'src/a': '' });
    await symlink(outside, join(folder, 'out'));
    expect((await find(folder, { pattern })).output).not.toContain('secret-name');
  },
);

test('reports a search that took too long, with the files found until then', async () => {
  const found = { lines: ['a'], marks: [], more: true, timedOut: true, files: null, passedOver: false };
  const context = contextWith(contextIn(await folderWith()), { search: { run: () => Promise.resolve(found) } });
  expect(await call(globTool(), { pattern: '**' }, context)).toEqual({
    status: 'error',
    output: 'a\n[The search took too long and was stopped: narrow the path or the pattern.]',
    metadata: { pattern: '**', files: 1, truncated: true },
  });
  const nothing = contextWith(context, { search: { run: () => Promise.resolve({ ...found, lines: [] }) } });
  expect((await call(globTool(), { pattern: '**' }, nothing)).output).toBe(
    '[The search took too long and was stopped: narrow the path or the pattern.]',
  );
});

test('stops a search with a costly pattern when the run is stopped', async () => {
  const folder = await folderWith({ ['a'.repeat(200)]: '' });
  const stop = new AbortController();
  const working = call(globTool(), { pattern: `${'*(*(a))'.repeat(30)}b` }, contextIn(folder, stop.signal));
  setTimeout(() => stop.abort(), 50);
  expect((await working).status).toBe('cancelled');
});

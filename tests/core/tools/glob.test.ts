/** glob finds files by pattern, inside the workspace only. */
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolUse } from '../../support/fake-model/script.ts';
import { sharedEngine } from '../../support/shared-engine.ts';
import { runCalls } from '../../support/tool-calls.ts';
import { folderWith } from '../../support/workspace.ts';

const { start } = sharedEngine();

/** Returns the results of these searches; `link` is a folder that `out` links to. */
async function findAll(files: Record<string, string>, inputs: readonly object[], link?: string) {
  const { entries } = await runCalls([inputs.map((input) => toolUse('glob', input))], async (script) => {
    const engine = await start(script, { files });
    if (link !== undefined) await symlink(link, join(engine.folder, 'out'));
    return engine;
  });
  return entries;
}

test('returns sorted paths relative to the workspace, without .git and node_modules', async () => {
  const files = {
    'src/b.ts': '',
    'src/a.ts': '',
    'c.ts': '',
    '.github/x.ts': '',
    '.git/y.ts': '',
    'p/node_modules/z.ts': '',
  };
  const found = await findAll(files, [{ pattern: '**/*.ts' }, { pattern: '*.ts', path: 'src' }, { pattern: '*.md' }]);
  expect(found.map(({ output }) => output)).toEqual([
    '.github/x.ts\nc.ts\nsrc/a.ts\nsrc/b.ts',
    'src/a.ts\nsrc/b.ts',
    '[No file matches *.md.]',
  ]);
});

test('skips files that git ignores unless include_ignored is set', async () => {
  const files = { '.gitignore': '*.log\n!keep.log', 'a.log': '', 'in/b.log': '', 'in/keep.log': '' };
  const hint = 'Files that git ignores were passed over: set include_ignored to search them too.';
  const pattern = '**/*.log';
  const found = await findAll(files, [{ pattern }, { pattern: '*.log' }, { pattern, include_ignored: true }]);
  expect(found.map(({ output }) => output)).toEqual([
    'in/keep.log',
    `[No file matches *.log. ${hint}]`,
    'a.log\nin/b.log\nin/keep.log',
  ]);
});

test('returns only the first thousand of many files', async () => {
  const paths = [...Array.from({ length: 1000 }, (_, i) => `d/f${i}`), 'x', 'y'];
  const files = Object.fromEntries(paths.map((path) => [path, '']));
  const [all, result] = await findAll(files, [{ pattern: '**', path: 'd' }, { pattern: '**' }]);
  expect([all?.output.split('\n').length, all?.metadata]).toEqual([
    1000,
    { pattern: '**', files: 1000, truncated: false },
  ]);
  expect(result?.output.split('\n').slice(1000)).toEqual(['[The first 1000 of 1002 files; narrow the pattern.]']);
  expect(result?.metadata).toMatchObject({ files: 1000, truncated: true });
});

test('rejects a pattern that names a path outside the workspace', async () => {
  const patterns = ['../**', 'src/../../**', '/etc/*', '{..,src}/*', '@(..|src)/*'];
  const found = await findAll(
    { 'src/a': '' },
    patterns.map((pattern) => ({ pattern })),
  );
  expect(found.map(({ status }) => status)).toEqual(patterns.map(() => 'error'));
});

test('finds nothing outside the workspace with any pattern', async () => {
  const patterns = ['out/**', 'out/*', '{out,src}/*', 'o*/**', '.\\./**', '[.][.]/*', 'src/[.]./../../*'];
  const outside = await folderWith({ 'secret-name.txt': '' });
  const found = await findAll(
    { 'src/a': '' },
    patterns.map((pattern) => ({ pattern })),
    outside,
  );
  expect(found).toHaveLength(patterns.length);
  for (const { output } of found) expect(output).not.toContain('secret-name');
});

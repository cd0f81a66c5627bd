/** What git ignores is told as git itself tells it. */
import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { filesOf } from '#core/tools/search/search-files.ts';
import type { SearchJob } from '#core/tools/search/search.ts';
import { folderWith, workspaceIn } from '../../support/workspace.ts';
import { samples } from '../../support/samples.ts';

const run = promisify(execFile);

function foundIn(folder: string, start = '.', more: Partial<SearchJob> = {}): string[] {
  const job = {
    kind: 'glob',
    pattern: '**',
    workspace: workspaceIn(folder),
    hidden: [],
    includeIgnored: false,
  } as const;
  return filesOf({ ...job, start: join(folder, start), ...more } as SearchJob, '**').paths;
}

async function untracked(folder: string): Promise<string[]> {
  const { stdout } = await run('git', ['-c', 'core.excludesFile=', 'ls-files', '-z', '-o', '--exclude-standard'], {
    cwd: folder,
  });
  return stdout.split('\0').filter(Boolean).sort();
}

const FOLDERS = ['a', 'b', 'e f', '[g]'];
const NAMES = ['x.log', 'y.log', '#c', '!d', 'h\\i', 'z'];
const PIECES = [...FOLDERS, ...NAMES, '*', '*.log', '?', '**', '[ab]', '\\#c', '\\!d', 'e\\ f', '\\[g\\]', 'x*'];
const pattern = fc
  .tuple(
    fc.constantFrom('', '', '!', '#'),
    fc.constantFrom('', '', '/'),
    fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 2 }),
    fc.constantFrom('', '', '/', ' '),
  )
  .map(([before, bound, pieces, end]) => before + bound + pieces.join('/') + end);
const place = (maxLength: number) => fc.array(fc.constantFrom(...FOLDERS), { maxLength });
const tree = fc.record({
  files: fc.array(fc.tuple(place(3), fc.constantFrom(...NAMES)), { minLength: 20, maxLength: 40 }),
  ignoring: fc.array(fc.tuple(place(2), fc.array(pattern, { minLength: 1, maxLength: 3 })), {
    minLength: 2,
    maxLength: 5,
  }),
  excluded: fc.array(pattern, { maxLength: 1 }),
});

test('ignores exactly the files that git ignores, for any nested .gitignore files and info/exclude', async () => {
  await fc.assert(
    fc.asyncProperty(tree, async ({ files, ignoring, excluded }) => {
      const folder = await folderWith();
      await run('git', ['init', '-q', '--template=', folder]);
      const put = async (path: string, text: string): Promise<void> => {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), text);
      };
      for (const [parts, name] of files) await put([...parts, name].join('/'), '');
      for (const [parts, lines] of ignoring) await put([...parts, '.gitignore'].join('/'), lines.join('\r\n'));
      await put('.git/info/exclude', `\uFEFF${excluded.join('\n')}`);
      expect(foundIn(folder)).toEqual(await untracked(folder));
    }),
    samples(2, 60),
  );
});

test('patterns of a deeper .gitignore override outer patterns, and a slash binds them to their folder', async () => {
  const files = { 'a/x.log': '', 'a/y.log': '', 'a/in/x.log': '', 'a/in/out/z': '', 'a/out/z': '', 'out/z': '' };
  const nested = { '.gitignore': '\uFEFF*.log\r\n/out/', 'a/.gitignore': '\uFEFF!/x.log\r\nout/' };
  const folder = await folderWith({ ...files, ...nested });
  expect(foundIn(folder)).toEqual(['.gitignore', 'a/.gitignore', 'a/x.log']);
});

test('applies .gitignore files above the workspace up to the root of its repository only', async () => {
  const files = { 'app/a.log': '', 'app/b.tmp': '', 'app/c.txt': '', 'app/.git/HEAD': '', 'app/in/d.log': '' };
  const folder = await folderWith({ '.gitignore': '*.txt', 'app/.gitignore': '*.log', ...files });
  expect(foundIn(join(folder, 'app/in'))).toEqual([]);
  expect(foundIn(join(folder, 'app'))).toEqual(['.gitignore', 'b.tmp', 'c.txt']);
  expect(foundIn(folder)).toEqual(['.gitignore', 'app/.gitignore', 'app/b.tmp', 'app/c.txt']);
});

test('searches an ignored folder if the search starts in that folder', async () => {
  const folder = await folderWith({ '.gitignore': 'out\n*.log', 'out/a.log': '', 'out/in/b.txt': '', 'c.txt': '' });
  expect(foundIn(folder)).toEqual(['.gitignore', 'c.txt']);
  expect(foundIn(folder, 'out')).toEqual(['out/a.log', 'out/in/b.txt']);
  expect(foundIn(folder, 'out/in')).toEqual(['out/in/b.txt']);
  expect(foundIn(folder, '.', { includeIgnored: true })).toEqual([
    ...['.gitignore', 'c.txt', 'out/a.log', 'out/in/b.txt'],
  ]);
});

test('ignores a .gitignore that is a link or a pipe', async () => {
  const outside = await folderWith({ patterns: '*' });
  const folder = await folderWith({ 'a.txt': '', 'in/b.txt': '' });
  await symlink(join(outside, 'patterns'), join(folder, '.gitignore'));
  await run('mkfifo', [join(folder, 'in/.gitignore')]);
  expect(foundIn(folder)).toEqual(['a.txt', 'in/b.txt']);
});

/** Searches of the workspace that no single tool covers: names, allowed files, passages, open files. */
import { link, readdir, readlink, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { globTool } from '#core/tools/glob.ts';
import { grepTool } from '#core/tools/grep.ts';
import { listDirectoryTool } from '#core/tools/list-directory.ts';
import { listNotesTool } from '#core/tools/notes/list-notes.ts';
import { readNoteTool } from '#core/tools/notes/read-note.ts';
import { semanticSearchTool } from '#core/tools/notes/semantic-search.ts';
import { readFileTool } from '#core/tools/reading/read-file.ts';
import { search, type SearchJob } from '#core/tools/search/search.ts';
import type { SearchContext, Tool } from '#core/tools/tool.ts';
import type { Workspace } from '#core/workspace/reach.ts';
import { call, contextIn, contextWith, folderWith, workspaceIn } from '../../support/workspace.ts';

type Kind =
  | { kind: 'names'; text: string; limit: number }
  | { kind: 'glob'; pattern: string; only: string }
  | { kind: 'ranked'; query: string; limit: number; reports: []; passages?: number };

async function find(place: string | Workspace, kind: Kind, hidden: readonly string[] = []) {
  const workspace = typeof place === 'string' ? workspaceIn(place) : place;
  const job: SearchJob = { workspace, start: workspace.folder, hidden, includeIgnored: false, ...kind };
  return search(job, new AbortController().signal, { ripgrep: null });
}

const names = async (place: string | Workspace, text: string, limit = 50, hidden: readonly string[] = []) =>
  find(place, { kind: 'names', text, limit }, hidden);

test('ranks names by the kind of match, then by length, then alphabetically', async () => {
  const folder = await folderWith(
    Object.fromEntries(
      ['src/abacus.ts', 'abx/z.ts', 'abc.ts', 'x/cab.ts', 'cab/y.ts', 'a/x/b.ts', 'ba', 'b/n.ts', 'a/n.ts'].map(
        (path) => [path, ''],
      ),
    ),
  );
  expect((await names(folder, 'AB')).lines).toEqual([
    ...['abx/', 'abc.ts', 'src/abacus.ts'], // The name begins with it.
    'abx/z.ts', // The path begins with it.
    ...['cab/', 'x/cab.ts'], // It is in the name.
    'cab/y.ts', // It is in the path.
    'a/x/b.ts', // Its letters are in the path, in this order.
  ]);
  expect((await names(folder, 'n.ts')).lines).toEqual(['a/n.ts', 'b/n.ts']);
  const sameLength = await folderWith({ 'nz.tsx': '', 'a/n.ts': '' });
  expect((await names(sameLength, 'n')).lines).toEqual(['a/n.ts', 'nz.tsx']);
  for (const text of ['./abx', '/abx']) expect((await names(folder, text)).lines).toEqual(['abx/', 'abx/z.ts']);
  expect(await names(folder, 'zzz')).toMatchObject({ lines: [], more: false, files: 0, passedOver: false });
});

test('without a text lists names level by level, and sets more only if the limit leaves names out', async () => {
  const folder = await folderWith({ 'b.ts': '', 'a/d.ts': '', 'a/c/e.ts': '' });
  const all = ['a/', 'b.ts', 'a/c/', 'a/d.ts', 'a/c/e.ts'];
  expect(await names(folder, '', 5)).toMatchObject({ lines: all, more: false, files: 5 });
  expect(await names(folder, '', 4)).toMatchObject({ lines: all.slice(0, 4), more: true, files: 4 });
});

test('lists no links and no hidden, ignored, secret, skipped or program-owned files', async () => {
  const folder = await folderWith({
    '.gitignore': 'out/\n*.log',
    'out/x': '',
    'a.log': '',
    '.env': '',
    'key.txt': '',
    'own/x': '',
    'data.own': '',
    'private/x': '',
    'plan.md': '',
    'node_modules/x': '',
    '.git/x': '',
    'keep.ts': '',
    'in/.env': '',
  });
  await symlink('keep.ts', join(folder, 'link.ts'));
  await symlink('own', join(folder, 'linked'));
  const secrets = { patterns: ['key.txt'], place: { file: null, line: null } };
  const workspace = workspaceIn(folder, { own: [join(folder, 'own'), join(folder, 'data.own')], secrets });
  const hidden = ['private', 'plan.md'];
  expect((await names(workspace, '', 50, hidden)).lines).toEqual(['.gitignore', 'in/', 'keep.ts']);
  // Other rules, and another folder, are walked anew.
  expect((await names(workspace, 'p')).lines).toEqual(['plan.md', 'private/', 'private/x', 'keep.ts']);
  expect((await names(await folderWith({ p: '' }), 'p')).lines).toEqual(['p']);
});

test('a glob search with an allow rule finds only files that the rule matches, case-sensitively', async () => {
  const folder = await folderWith({ 'src/a.ts': '', 'Src/b.ts': '', 'c.ts': '' });
  const only = async (pattern: string) => (await find(folder, { kind: 'glob', pattern: '**', only: pattern })).lines;
  expect(await only('src/*')).toEqual(['src/a.ts']);
  expect(await only('*')).toEqual(['c.ts']);
});

test('returns the ranked passages only if the job asks for them', async () => {
  const folder = await folderWith({ 'a.md': '# Bees\n\nHoney.\n\n# Ants\n\nNo honey.\n' });
  const ranked = (passages?: number) =>
    find(folder, { kind: 'ranked', query: 'honey', limit: 1, reports: [], ...(passages && { passages }) });
  const plain = await ranked();
  expect(plain.lines).toHaveLength(1);
  expect(plain).not.toHaveProperty('ranked');
  const whole = await ranked(2);
  expect(whole.lines).toEqual(plain.lines);
  expect([whole.ranked?.passages.length, whole.ranked?.hits.length]).toEqual([2, 2]);
});

test.for<[Tool, object]>([
  [globTool(), { pattern: '**' }],
  [grepTool(), { pattern: 'needle' }],
  [listDirectoryTool(), {}],
  [listNotesTool(), {}],
  [semanticSearchTool(), { query: 'needle' }],
  [readNoteTool(), { note: 'absent' }],
])('$0.name does not return files that rules hide from this tool', async ([tool, input]) => {
  const asked: unknown[] = [];
  const hidden: SearchContext['hidden'] = (name, targets) => {
    asked.push([name, targets?.values]);
    return Promise.resolve(['Absen.md']);
  };
  const folder = await folderWith({ 'absen.md': '# Absen\n\nneedle' });
  const { output } = await call(tool, input, contextWith(contextIn(folder), { search: { hidden } }));
  expect(output).not.toContain('absen.md');
  expect(asked).toEqual([[tool.name, ['.']]]);
});

test('a search that is stopped before it starts throws the reason of the stop', async () => {
  const workspace = workspaceIn(await folderWith({ a: '' }));
  const job: SearchJob = {
    kind: 'glob',
    pattern: '**',
    workspace,
    start: workspace.folder,
    hidden: [],
    includeIgnored: false,
  };
  const stopped = AbortSignal.abort(new Error('Stopped'));
  await expect(search(job, stopped, { ripgrep: null })).rejects.toThrow('Stopped');
});

test('glob reports a search that took too long, with the files found until then', async () => {
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

test('rules match the searched folder, which is the whole workspace by default', async () => {
  const workspace = workspaceIn(await folderWith({ 'd/a.md': '' }));
  const getTargetValues = async (tool: Tool, input: object) =>
    (await tool.targets?.(tool.input.parse(input), workspace))?.values;
  for (const [tool, input] of [
    [globTool(), { pattern: '*' }],
    [grepTool(), { pattern: 'x' }],
    [listDirectoryTool(), {}],
    [listNotesTool(), {}],
  ] as const) {
    expect([tool.name, await getTargetValues(tool, input)]).toEqual([tool.name, ['.']]);
    expect([tool.name, await getTargetValues(tool, { ...input, path: './d' })]).toEqual([tool.name, ['d']]);
  }
  expect(await getTargetValues(semanticSearchTool(), { query: 'x' })).toEqual(['.']);
});

test.runIf(process.platform === 'linux')('the search and read tools close every file and folder', async () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`d${n}/a.txt`, 'needle']));
  const folder = await folderWith({ ...many, 'a.txt': 'needle', 'b.md': '# B\n\nneedle', 'z.bin': 'needle\0' });
  await link(join(folder, 'a.txt'), join(folder, 'same.txt'));
  const context = contextIn(folder);
  const openPaths = async () => {
    const open = await readdir('/proc/self/fd');
    const paths = await Promise.all(open.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
    return paths.filter((path) => path.startsWith(folder));
  };
  expect((await call(grepTool(), { pattern: 'needle' }, context)).output.split('\n')).toHaveLength(43);
  const calls: readonly (readonly [Tool, object])[] = [
    ...['a.txt', 'z.bin'].map((path) => [grepTool(), { pattern: 'needle', path }] as const),
    [globTool(), { pattern: '**' }],
    [listNotesTool(), {}],
    [semanticSearchTool(), { query: 'needle' }],
    ...['b', 'b.md', 'absent'].map((note) => [readNoteTool(), { note }] as const),
    ...['a.txt', 'z.bin'].map((path) => [readFileTool(), { path }] as const),
  ];
  expect(await openPaths()).toEqual([]);
  // Later, the garbage collection would close what a call forgot.
  for (const [tool, input] of calls) {
    await call(tool, input, context);
    expect([tool.name, await openPaths()]).toEqual([tool.name, []]);
  }
  await names(folder, 'a');
  expect(await openPaths()).toEqual([]);
});

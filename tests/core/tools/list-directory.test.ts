/** list_directory shows what a folder holds. */
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolUse } from '../../support/fake-model/script.ts';
import { sharedEngine } from '../../support/shared-engine.ts';
import { runCalls } from '../../support/tool-calls.ts';

const { start } = sharedEngine();
type Options = NonNullable<Parameters<typeof start>[1]> & {
  /** Name and target of each link in the folder. */
  links?: Record<string, string>;
};

async function list({ links = {}, ...options }: Options, inputs: readonly object[]) {
  const { entries } = await runCalls([inputs.map((input) => toolUse('list_directory', input))], async (script) => {
    const engine = await start(script, options);
    for (const [name, target] of Object.entries(links)) await symlink(target, join(engine.folder, name));
    return engine;
  });
  return entries;
}

/** Returns the names in each folder under rules that deny a tool these paths. */
async function listUnderRules(options: Options, tool: string, patterns: readonly string[], paths: readonly string[]) {
  const rule = (pattern: string) =>
    `[[permissions.rules]]\neffect = "deny"\ntool = "${tool}"\npattern = "${pattern}"\n`;
  const entries = await list(
    { ...options, rules: patterns.map(rule).join('') },
    paths.map((path) => ({ path })),
  );
  return entries.map(({ output }) => output);
}

test('lists entries sorted, with marks for folders and links', async () => {
  const files = { 'b.txt': '', 'a/x': '', '.hidden': '', 'c/y': '' };
  const [all, one] = await list({ files, links: { link: '/etc' } }, [{}, { path: 'a' }]);
  expect(all).toMatchObject({ status: 'completed', output: '.hidden\na/\nb.txt\nc/\nlink@' });
  expect(all?.metadata).toEqual({ path: '.', entries: 5, truncated: false });
  expect(one?.output).toBe('x');
});

test('lists the first thousand of many entries with their total number', async () => {
  const many = (folder: string, count: number) =>
    Array.from({ length: count }, (_, i) => [`${folder}/f${String(i).padStart(4, '0')}`, ''] as const);
  const files = Object.fromEntries([...many('all', 1000), ...many('more', 1005)]);
  const [all, more] = await list({ files }, [{ path: 'all' }, { path: 'more' }]);
  expect([all?.output.split('\n').length, all?.metadata['truncated']]).toEqual([1000, false]);
  expect(more?.metadata).toEqual({ path: 'more', entries: 1005, truncated: true });
  const lines = more?.output.split('\n');
  expect(lines).toHaveLength(1001);
  expect(lines?.[999]).toBe('f0999');
  expect(lines?.[1000]).toBe('[1000 of 1005 entries; narrow it with glob.]');
});

test('hides files of hide rules in any letter case, by the requested path and by its target', async () => {
  const options = { files: { 'a/Secret.txt': '', 'a/b.txt': '', 'a/only.txt': '' }, links: { way: 'a' } };
  for (const tool of ['read_file', 'list_directory']) {
    const listed = await listUnderRules(options, tool, ['A/secret.*', 'way/only.txt'], ['a', 'way']);
    expect(listed, tool).toEqual(['b.txt\nonly.txt', 'b.txt']);
    expect(await listUnderRules(options, tool, ['a/?*'], ['a']), tool).toEqual(['[There is nothing to show.]']);
  }
});

test('reports a clear error for a file, a missing path and a path outside the workspace', async () => {
  const paths = ['a.txt', 'none', 'link', '..'];
  const found = await list(
    { files: { 'a.txt': '' }, links: { link: '/etc' } },
    paths.map((path) => ({ path })),
  );
  expect(found.map(({ status, output, metadata }) => [status, output, metadata])).toEqual([
    ['error', 'a.txt is not a folder', {}],
    ['error', 'none does not exist', {}],
    ['error', 'link is outside the workspace', { refused: true }],
    ['error', '.. is outside the workspace', { refused: true }],
  ]);
});

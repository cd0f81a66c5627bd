/** A folder of agents' files: the good ones are used, the bad ones are told. */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { phrase } from '#contract/approvals/phrases.ts';
import { type RawFile, unreadable } from '#core/agents/entries.ts';
import { definitionsOf, describeFault, loadFile, loadFiles, loadPlace, type UnlinkedFile } from '#core/agents/load.ts';
import { builtinPlaces } from '#core/agents/places.ts';
import { agentTemplate } from '#core/agents/template.ts';
import { parseDefinition } from '#core/agents/definition.ts';
import { allTools } from '#core/tools/all-tools.ts';
import { folderWith } from '../../support/workspace.ts';

const tools = allTools();
const good = (name: string) => `---\nname: ${name}\ndescription: d\n---\nPrompt of ${name}\n`;
const load = (folder: string) => loadPlace({ folder, source: 'user', dialect: 'triad' }, tools);
const faultsOf = (files: readonly UnlinkedFile[]) =>
  files.flatMap((file) => (file.ok ? [] : file.errors.map((error) => describeFault(file.path, error))));

test('a faulty file does not stop other files, and README.md is not an agent', async () => {
  const folder = await folderWith({
    'b.md': good('b'),
    'a.toml': 'name = "a"\ndescription = "d"\nprompt = "p"\n',
    'bad.md': '---\nname: c\ndescription: d\nmodle: x\n---\nP',
    'README.md': 'What these are',
    'notes.txt': 'x',
  });
  const files = await load(folder);
  expect(definitionsOf(files).map(({ name, source, sourcePath }) => [name, source, sourcePath])).toEqual([
    ['a', 'user', join(folder, 'a.toml')],
    ['b', 'user', join(folder, 'b.md')],
  ]);
  expect(faultsOf(files)).toEqual([`${join(folder, 'bad.md')}:4:1: unknown key modle (did you mean \`model\`?)`]);
});

test('a name that two files use belongs to the first file', async () => {
  const folder = await folderWith({ '1.md': good('same'), '2.md': good('same') });
  const files = await load(folder);
  expect(definitionsOf(files).map((agent) => agent.sourcePath)).toEqual([join(folder, '1.md')]);
  expect(faultsOf(files)).toEqual([`${join(folder, '2.md')}:1:1: the name same is taken by ${join(folder, '1.md')}`]);
});

test('a missing folder contains no agents; a pipe, a subfolder and a huge file are reported', async () => {
  const folder = await folderWith({ 'dir.md/x': '', 'huge.md': 'x'.repeat(1024 * 1024 + 1) });
  await promisify(execFile)('mkfifo', [join(folder, 'pipe.md')]);
  expect(await load(join(folder, 'none'))).toEqual([]);
  expect(await load(join(folder, 'huge.md'))).toEqual([]);
  expect(faultsOf(await load(folder))).toEqual([
    `${join(folder, 'dir.md')}:1:1: cannot be read: it is not a regular file`,
    `${join(folder, 'huge.md')}:1:1: cannot be read: it is larger than 1024 KiB`,
    `${join(folder, 'pipe.md')}:1:1: cannot be read: it is not a regular file`,
  ]);
});

test('the built-in agents and the template have no faults', async () => {
  const files = await loadPlace(builtinPlaces()[0], tools);
  expect(files.flatMap((file) => [...file.warnings, ...(file.ok ? [] : file.errors)])).toEqual([]);
  expect(definitionsOf(files).map(({ name, role, model }) => [name, role, model])).toEqual([
    ['code-reviewer', 'subagent', 'sonnet'],
    ['documentation-writer', 'subagent', 'haiku'],
    ['fact-finder', 'subagent', null],
    ['lead', 'primary', null],
    ['planner', 'primary', null],
    ['report-checker', 'subagent', null],
    ['report-writer', 'subagent', null],
    ['reviewer', 'subagent', null],
    ['test-generator', 'subagent', 'sonnet'],
    ['worker', 'subagent', null],
  ]);
  // What a person or a lead reads; the others hand their work to an agent.
  const reporting = ['code-reviewer', 'documentation-writer', 'test-generator', 'worker'];
  for (const { name, systemPrompt } of definitionsOf(files))
    if (reporting.includes(name)) expect(systemPrompt, name).toContain('## Summary');
  expect(await readdir(builtinPlaces()[0].folder)).toHaveLength(10 + 1);
  for (const name of ['docs', 'a b', 'true', '1.0']) {
    const parsed = parseDefinition(agentTemplate(name), { source: 'user', path: null, tools });
    expect(parsed).toMatchObject({ ok: true, definition: { name }, warnings: [] });
  }
});

test('each key that the template suggests is valid in its suggested form', () => {
  const offered = [...agentTemplate('x').matchAll(/^# ([a-z_-]+: .*?)(?: +#.*)?$/gm)].map(([, line]) => line);
  expect(offered.length).toBeGreaterThan(9);
  for (const line of offered) {
    const text = `---\nname: x\ndescription: d\n${line}\n---\nText`;
    const parsed = parseDefinition(text, { source: 'user', path: null, tools });
    expect([line, parsed.ok]).toEqual([line, true]);
  }
});

test('reading slow files yields to other tasks', async () => {
  let clock = 0;
  const time = vi.spyOn(performance, 'now').mockImplementation(() => clock);
  onTestFinished(() => time.mockRestore());
  const done: string[] = [];
  let isOver = false;
  onTestFinished(() => void (isOver = true));
  const other = (): void => {
    done.push('other');
    if (!isOver) setImmediate(other);
  };
  other();
  const slow = (raw: RawFile): UnlinkedFile => {
    clock += 12;
    done.push(raw.path);
    return loadFile(raw, { folder: '/', source: 'user', dialect: 'triad' }, tools);
  };
  const files = ['a', 'b', 'c', 'd', 'e'].map((path) => unreadable(path, [phrase('is_missing')]));
  expect((await loadFiles(files, slow)).map(({ path }) => path)).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(done.join(' ')).toMatch(/^other a b other (other )*c d other (other )*e/);
});

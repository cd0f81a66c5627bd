/** What comes with the program, linked: chains and compositions without a fault, and a composition as somebody's own beginning. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compositionTemplate } from '#core/agents/compositions/composition-template.ts';
import { editText, valuesOf } from '#core/agents/edit.ts';
import { builtinPlaces } from '#core/agents/places.ts';
import { schemaFault } from '#core/agents/schemas.ts';
import { startEngine } from '../../support/engine.ts';
import { Script } from '../../support/fake-model/script.ts';
import { folderWith } from '../../support/workspace.ts';

const [, compositions] = builtinPlaces();
const shipped = (name: string) => readFile(join(compositions.folder, `${name}.toml`), 'utf8');

/** `config`: the folder of the person's agents; `files`: those of the project. */
async function started(files: Record<string, string> = {}, config: Record<string, string> | null = null) {
  const agentsConfig = config && (await folderWith(config));
  return startEngine(new Script(), { files: { 'README.md': '', ...files }, ...(agentsConfig && { agentsConfig }) });
}

test('the shipped agents and compositions have no faults or warnings, and have the expected flows', async () => {
  const { runtime } = await started();
  const files = await runtime.request('agents.check', {});
  expect(files.flatMap(({ errors, warnings }) => [...warnings, ...errors])).toEqual([]);
  const agents = await runtime.request('agents.list', {});
  const definitions = await Promise.all(
    agents.map(async ({ name }) => (await runtime.request('agents.get', { name })).definition),
  );
  const schemas = definitions.flatMap(({ input, output }) =>
    [input?.schema, output?.schema].filter((schema) => schema != null),
  );
  expect(schemas.map(schemaFault), 'of those that come with the program this is not looked at').toEqual([null, null]);
  const made = agents.filter(({ flow }) => flow);
  expect(
    made.map(({ name, role, flow }) => [name, role, flow?.type, flow?.rounds, flow?.primary, flow?.coagent]),
  ).toEqual([
    ['BUILD-HITL', 'primary', 'hitl', 1, 'lead', null],
    ['BUILD-JUDGE', 'primary', 'judge', 3, 'lead', 'reviewer'],
    ['BUILD-LOOP', 'primary', 'loop', 3, 'lead', 'reviewer'],
    ['BUILD-SMART', 'primary', 'smart', 3, 'lead', 'reviewer'],
    ['PLAN', 'primary', 'hitl', 1, 'planner', null],
    ['TASK-SMART', 'subagent', 'smart', 3, 'worker', 'reviewer'],
  ]);
  expect(agents.find(({ name }) => name === 'fact-finder')?.chain).toEqual(['report-writer', 'report-checker']);
});

test('every default handoff text states what the answer is checked against', async () => {
  const { runtime } = await started();
  const textOf = async (name: string) => (await runtime.request('agents.get', { name })).definition.flow?.handoff.text;
  for (const name of ['BUILD-JUDGE', 'BUILD-SMART', 'TASK-SMART'])
    expect(await textOf(name)).toMatch(/against the request/);
  expect(await textOf('BUILD-LOOP')).toMatch(/still missing or wrong/);
});

test('a copy of a composition with three changed lines is a separate lead', async () => {
  const text = (await shipped('BUILD-SMART'))
    .replace('name = "BUILD-SMART"', 'name = "mine"')
    .replace('type = "smart"', 'type = "judge"')
    .replace('max_rounds = 3', 'max_rounds = 5');
  const { runtime } = await started({}, { 'compositions/mine.toml': text });
  expect((await runtime.request('agents.get', { name: 'mine' })).definition).toMatchObject({
    name: 'mine',
    role: 'primary',
    source: 'user',
    flow: { type: 'judge', rounds: 5, primary: 'lead', coagent: 'reviewer' },
  });
  for (const from of ['BUILD-HITL', 'BUILD-LOOP', 'PLAN', 'TASK-SMART'])
    expect(valuesOf(await compositionTemplate('x y', from), 'composition')).toMatchObject({ 'agent.name': 'x y' });
  await expect(compositionTemplate('x', '../lead')).rejects.toMatchObject({ code: 'not_found' });
});

test('an edit changes, adds and removes keys of a composition, and preserves its other keys and its comments', async () => {
  const text = await shipped('BUILD-JUDGE');
  const before = valuesOf(text, 'composition');
  const changes = {
    'control_flow.type': 'loop',
    'control_flow.max_rounds': null,
    'control_flow.max_iterations': 4,
    'handoff.text': 'Look\nagain.',
  };
  const after = editText(text, 'composition', changes);
  const { 'control_flow.max_rounds': _, ...kept } = before ?? {};
  expect(valuesOf(after, 'composition')).toEqual({
    ...kept,
    'control_flow.type': 'loop',
    'control_flow.max_iterations': 4,
    'handoff.text': 'Look\nagain.\n',
  });
  const comments = (all: string) => all.split('\n').filter((line) => line.startsWith('#'));
  expect(comments(after)).toEqual(comments(text));
  expect(() => editText(text, 'composition', { tools: ['grep'] })).toThrow('A composition has no key "tools"');
});

test('a composition of a project requires trust, and is excluded again after a change', async () => {
  const file = '.triad/compositions/mine.toml';
  const text = (await shipped('BUILD-SMART')).replace('"BUILD-SMART"', '"mine"');
  const { runtime, folder } = await started({ [file]: text });
  const has = async () => (await runtime.request('agents.list', { folder })).some(({ name }) => name === 'mine');
  const { files } = await runtime.request('trust.look', { folder });
  expect(files).toMatchObject([
    {
      path: file,
      says: expect.stringMatching(
        /^composition mine · primary lead · coagent reviewer · control flow smart, at most 3 answers: /,
      ) as string,
    },
  ]);
  expect(await has()).toBe(false);
  const looked = files.flatMap(({ path, hash }) => (hash === null ? [] : [{ path, hash }]));
  await runtime.request('trust.set', { folder, files: looked });
  expect(await has()).toBe(true);
  await writeFile(join(folder, file), `${text}#`);
  expect(await has()).toBe(false);
});

test('a link to an untrusted agent is an error, and untrusted files are still checked', async () => {
  const agent = (name: string, keys = '') => `---\nname: ${name}\ndescription: d\n${keys}---\nPrompt\n`;
  const project = {
    '.triad/agents/theirs.md': agent('theirs', 'next: more\n'),
    '.triad/agents/more.md': agent('more'),
  };
  const { runtime, folder } = await started(project, { 'agents/a.md': agent('a', 'next: theirs\n') });
  const files = await runtime.request('agents.check', { folder });
  const named = (name: string) => files.find(({ file }) => file.endsWith(`${name}.md`));
  expect([named('/a')?.ok, named('/theirs')?.ok, named('/more')?.ok]).toEqual([false, true, true]);
  expect((await runtime.request('agents.list', { folder })).map(({ name }) => name)).not.toContain('a');
  expect(named('/a')?.errors).toMatchObject([{ line: 4, column: 7, message: 'next theirs: there is no such agent' }]);
});

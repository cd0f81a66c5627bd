/** What comes with the program, linked: chains and compositions without a fault, and a composition as somebody's own beginning. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AgentFolders } from '#core/agents/agent-folders.ts';
import { compositionTemplate } from '#core/agents/compositions/composition-template.ts';
import { editText, valuesOf } from '#core/agents/edit.ts';
import { builtinPlaces, userPlaces } from '#core/agents/places.ts';
import { schemaFault } from '#core/agents/schemas.ts';
import { lookAtTrust } from '#core/agents/trust-look.ts';
import { Trust } from '#core/agents/trust.ts';
import { allTools } from '#core/tools/all-tools.ts';
import { folderWith } from '../../support/workspace.ts';

const tools = allTools();
const [, compositions] = builtinPlaces();
const shipped = (name: string) => readFile(join(compositions.folder, `${name}.toml`), 'utf8');

async function agentsOf(files: Record<string, string> = {}) {
  const root = await folderWith({ 'project/README.md': '', ...files });
  const trust = new Trust(join(root, 'data'));
  const places = [...builtinPlaces(), ...userPlaces(join(root, 'config'), join(root, 'home'))];
  const warnings: string[] = [];
  const agents = new AgentFolders({ tools, places, trust, warn: (line) => warnings.push(line) });
  return { root, agents, trust, warnings, project: join(root, 'project') };
}

test('the shipped agents and compositions have no faults or warnings, and have the expected flows', async () => {
  const { agents, project } = await agentsOf();
  const files = await agents.files(project);
  expect(files.flatMap((file) => [...file.warnings, ...(file.ok ? [] : file.errors)])).toEqual([]);
  const schemas = files.flatMap((file) =>
    file.ok ? [file.definition.input?.schema, file.definition.output?.schema].filter((schema) => schema != null) : [],
  );
  expect(schemas.map(schemaFault), 'of those that come with the program this is not looked at').toEqual([null, null]);
  const made = files.flatMap((file) => (file.ok && file.definition.flow ? [file.definition] : []));
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
  const registry = await agents.of(project);
  expect(registry.chainOf(registry.get('fact-finder')!)).toEqual(['report-writer', 'report-checker']);
  expect(registry.delegable().map(({ name }) => name)).toContain('TASK-SMART');
});

test('every default handoff text states what the answer is checked against', async () => {
  const { agents, project } = await agentsOf();
  const registry = await agents.of(project);
  for (const name of ['BUILD-JUDGE', 'BUILD-SMART', 'TASK-SMART'])
    expect(registry.get(name)?.flow?.handoff.text).toMatch(/against the request/);
  expect(registry.get('BUILD-LOOP')?.flow?.handoff.text).toMatch(/still missing or wrong/);
});

test('a copy of a composition with three changed lines is a separate lead', async () => {
  const text = (await shipped('BUILD-SMART'))
    .replace('name = "BUILD-SMART"', 'name = "mine"')
    .replace('type = "smart"', 'type = "judge"')
    .replace('max_rounds = 3', 'max_rounds = 5');
  const { agents, project } = await agentsOf({ 'config/compositions/mine.toml': text });
  expect((await agents.of(project)).lookup('mine')).toMatchObject({
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
  const file = 'project/.triad/compositions/mine.toml';
  const text = (await shipped('BUILD-SMART')).replace('"BUILD-SMART"', '"mine"');
  const { agents, project, trust, warnings } = await agentsOf({ [file]: text });
  const has = async () => (await agents.of(project)).lookup('mine') !== null;
  const [found] = (
    await lookAtTrust(project, await trust.hashes(project), { tools, findStartPlace: () => Promise.resolve(null) })
  ).files;
  expect(found).toMatchObject({
    path: '.triad/compositions/mine.toml',
    says: expect.stringMatching(
      /^composition mine · primary lead · coagent reviewer · control flow smart, at most 3 answers: /,
    ) as string,
  });
  expect([await has(), (await agents.of(project)).untrusted]).toEqual([false, ['.triad/compositions/mine.toml']]);
  await trust.add(project, '.triad/compositions/mine.toml', text);
  expect(await has()).toBe(true);
  await trust.add(project, '.triad/compositions/mine.toml', `${text}#`);
  expect(await has()).toBe(false);
  expect(warnings).toEqual([]);
});

test('a link to an untrusted agent is an error, and untrusted files are still checked', async () => {
  const agent = (name: string, keys = '') => `---\nname: ${name}\ndescription: d\n${keys}---\nPrompt\n`;
  const { agents, project, warnings } = await agentsOf({
    'config/agents/a.md': agent('a', 'next: theirs\n'),
    'project/.triad/agents/theirs.md': agent('theirs', 'next: more\n'),
    'project/.triad/agents/more.md': agent('more'),
  });
  const files = await agents.files(project);
  const ok = (name: string) => files.find((file) => file.path.endsWith(`${name}.md`))?.ok;
  expect([ok('/a'), ok('/theirs'), ok('/more')]).toEqual([false, true, true]);
  expect((await agents.of(project)).lookup('a')).toBeNull();
  expect(warnings).toEqual([expect.stringMatching(/a\.md:4:7: next theirs: there is no such agent$/)]);
  await agents.of(project);
  expect(warnings, 'told once for each version of a file').toHaveLength(1);
});

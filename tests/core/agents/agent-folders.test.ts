/** The agents of a folder: later places override earlier ones, what changed counts at the next reading, project files only once they are trusted. */
import { mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { phrase } from '#contract/approvals/phrases.ts';
import { AgentFolders } from '#core/agents/agent-folders.ts';
import { builtinPlaces, userPlaces } from '#core/agents/places.ts';
import { allTools } from '#core/tools/all-tools.ts';
import { lookAtTrust } from '#core/agents/trust-look.ts';
import { Trust } from '#core/agents/trust.ts';
import { settingsOf } from '../../support/settings/settings-of.ts';
import { folderWith } from '../../support/workspace.ts';

const tools = allTools();
const agent = (name: string, description: string) =>
  `---\nname: ${name}\ndescription: ${description}\n---\nPrompt of ${description}\n`;

async function place(files: Record<string, string>) {
  const root = await folderWith({ 'project/README.md': '', ...files });
  const trust = new Trust(join(root, 'data'));
  const warnings: string[] = [];
  const places = [...builtinPlaces(), ...userPlaces(join(root, 'config'), join(root, 'home'))];
  const agents = new AgentFolders({ tools, places, trust, warn: (line) => warnings.push(line) });
  const project = join(root, 'project');
  const look = async () =>
    lookAtTrust(project, await trust.hashes(project), { tools, findStartPlace: () => Promise.resolve(null) });
  return {
    root,
    project,
    trust,
    warnings,
    agents,
    look,
    /** Trusts everything as it is now. */
    agree: async () => {
      const known = (await look()).files.flatMap(({ path, hash }) => (hash === null ? [] : [[path, hash] as const]));
      await trust.set(project, new Map(known));
    },
    names: async () => (await agents.of(project)).list({ enabled: true }).map(({ name }) => name),
    said: async (name: string) => (await agents.of(project)).lookup(name)?.description ?? null,
    write: (path: string, text: string) => writeFile(join(root, path), text),
  };
}

test('project agents override user agents and built-in ones; Triad files override files of other programs', async () => {
  const { said, agree, names } = await place({
    'home/.claude/agents/a.md': agent('code-reviewer', 'of the other program'),
    'home/.claude/agents/b.md': agent('mine', 'of the other program'),
    'config/agents/a.toml': 'name = "mine"\ndescription = "of the person"\nprompt = "p"',
    'config/agents/c.md': agent('shared', 'of the person'),
    'project/.opencode/agent/oc.md': '---\ndescription: of opencode\n---\nPrompt',
    'project/.opencode/agents/shared.md': '---\ndescription: of opencode\n---\nPrompt',
    'project/.claude/agents/x.md': agent('shared', 'of the project, elsewhere'),
    'project/.triad/agents/x.md': agent('shared', 'of the project'),
  });
  await agree();
  expect(await said('code-reviewer')).toBe('of the other program');
  expect(await said('mine')).toBe('of the person');
  expect(await said('shared')).toBe('of the project');
  expect(await names()).toEqual([
    ...['BUILD-HITL', 'BUILD-JUDGE', 'BUILD-LOOP', 'BUILD-SMART', 'PLAN', 'TASK-SMART', 'code-reviewer'],
    ...['documentation-writer', 'fact-finder', 'lead', 'mine', 'oc', 'planner', 'report-checker', 'report-writer'],
    ...['reviewer', 'shared', 'test-generator', 'worker'],
  ]);
});

test('agents in nested folders are found only in the folders of other programs', async () => {
  const { agree, names, look, warnings } = await place({
    'home/.claude/agents/review/deep/a.md': agent('nested', 'of the person'),
    'project/.claude/agents/team/b.md': agent('in-team', 'of the project'),
    'project/.claude/agents/team/README.md': 'About the team.',
    'project/.claude/agents/.git/c.md': agent('hidden', 'of nobody'),
    'project/.triad/agents/team/d.md': agent('too-deep', 'of the project'),
  });
  const before = await names();
  expect(before).toContain('nested');
  expect(before).not.toContain('in-team');
  expect((await look()).files.map(({ path }) => path)).toEqual(['.claude/agents/team/b.md']);
  await agree();
  expect(await names()).toContain('in-team');
  for (const name of ['hidden', 'too-deep']) expect(await names()).not.toContain(name);
  expect(warnings).toEqual([]);
});

test('a saved file applies to the next reading, and an earlier reading stays unchanged', async () => {
  const { agents, project, said, write, root } = await place({ 'config/agents/a.md': agent('a', 'one') });
  const before = await agents.of(project);
  // The same size at the same time, as a quick hand or a program saves it.
  await write('config/agents/a.md', agent('a', 'two'));
  await utimes(join(root, 'config/agents/a.md'), 1, 1);
  expect(await said('a')).toBe('two');
  await write('config/agents/a.md', agent('a', 'six'));
  await utimes(join(root, 'config/agents/a.md'), 1, 1);
  expect(await said('a')).toBe('six');
  expect(before.lookup('a')?.description).toBe('one');
  await write('config/agents/new.md', agent('b', 'new'));
  await rename(join(root, 'config/agents/a.md'), join(root, 'config/agents/a.md.bak'));
  expect([await said('a'), await said('b')]).toEqual([null, 'new']);
  await write('config/agents/new.md', '---\nname: b\ndescription: new\nenabled: false\n---\nP');
  expect(await said('b')).toBeNull();
  await write('config/agents/new.md', '---\nname: b\ndescription: back\nenabled: true\n---\nP');
  expect(await said('b')).toBe('back');
});

test('warnings about reduced limits follow the current settings and the current file', async () => {
  const { agents, project, write } = await place({
    'config/agents/a.md': `---\nname: mine\ndescription: d\nmax_iterations: 9\n---\nPrompt\n`,
  });
  const { limits, models } = settingsOf('');
  const told = async (most: number) => {
    const files = await agents.files(project, { models, limits: { ...limits, max_iterations_ceiling: most } });
    return files.find(({ path }) => path.endsWith('/a.md'))?.warnings.map(({ message }) => message);
  };
  expect(await told(20)).toEqual([]);
  expect(await told(5)).toEqual([expect.stringContaining('9') as string]);
  expect(await told(5)).toHaveLength(1);
  await write('config/agents/a.md', agent('mine', 'without one'));
  expect(await told(5)).toEqual([]);
  expect((await agents.of(project)).lookup('mine')?.maxIterations).toBeNull();
});

test('a fault is reported once for each text of a file, and does not stop other agents', async () => {
  const { names, warnings, write, root } = await place({ 'config/agents/a.md': agent('a', 'one') });
  const bad = (key: string) => `---\nname: bad\ndescription: d\n${key}: x\n---\nP`;
  await write('config/agents/bad.md', bad('modle'));
  for (let i = 0; i < 3; i++) expect(await names()).toContain('a');
  await write('config/agents/bad.md', bad('tolls'));
  expect(await names()).not.toContain('bad');
  const file = join(root, 'config/agents/bad.md');
  expect(warnings).toEqual([
    `${file}:4:1: unknown key modle (did you mean \`model\`?)`,
    `${file}:4:1: unknown key tolls (did you mean \`tools\`?)`,
  ]);
});

test('a file with several faults is reported in one line', async () => {
  const bad = (keys: string) => `---\nname: bad\ndescription: d\n${keys}\n---\nP`;
  const { names, warnings, write, root } = await place({ 'config/agents/bad.md': bad('modle: x\ntolls: x') });
  await names();
  await write('config/agents/bad.md', bad('modle: x\ntolls: x\nefort: x'));
  await names();
  const first = `${join(root, 'config/agents/bad.md')}:4:1: unknown key modle (did you mean \`model\`?), and`;
  expect(warnings).toEqual([
    `${first} 1 more fault: see "triad agents validate"`,
    `${first} 2 more faults: see "triad agents validate"`,
  ]);
});

test('a project file is ignored until its exact text is trusted, and again after a change or a revocation', async () => {
  const { said, agree, look, write, trust, project, root, agents } = await place({
    'project/.triad/agents/a.md': agent('a', 'one'),
    'project/.triad/config.toml': '',
  });
  const states = async () => (await look()).files.map(({ path, state }) => [path, state]);
  expect(await said('a')).toBeNull();
  expect((await agents.of(project)).untrusted).toEqual(['.triad/agents/a.md', '.triad/config.toml']);
  await agree();
  expect([await said('a'), (await agents.of(project)).untrusted]).toEqual(['one', []]);

  await write('project/.triad/agents/a.md', agent('a', 'two'));
  await write('project/.triad/agents/b.md', agent('b', 'beside it'));
  expect([await said('a'), await said('b')]).toEqual([null, null]);
  expect(await states()).toEqual([
    ['.triad/agents/a.md', 'changed'],
    ['.triad/agents/b.md', 'new'],
    ['.triad/config.toml', 'same'],
  ]);
  // As it was when it was trusted, it counts again.
  await write('project/.triad/agents/a.md', agent('a', 'one'));
  expect([await said('a'), await said('b')]).toEqual(['one', null]);

  await rm(join(root, 'project/.triad/config.toml'));
  expect(await states()).toContainEqual(['.triad/config.toml', 'gone']);
  expect(await trust.revoke(project)).toBe(true);
  expect(await said('a')).toBeNull();
  expect(await trust.revoke(project)).toBe(false);
});

test('trust applies to one folder by any path to it, and not to another folder with identical files', async () => {
  const { root, project, agree, agents } = await place({
    'project/.triad/agents/a.md': agent('a', 'one'),
    'copy/.triad/agents/a.md': agent('a', 'one'),
  });
  await agree();
  await symlink(project, join(root, 'link'));
  expect((await agents.of(join(root, 'link'))).lookup('a')).not.toBeNull();
  expect((await agents.of(join(root, 'copy'))).lookup('a')).toBeNull();
});

test('an untrusted file cannot take the name of a trusted agent', async () => {
  const { root, said, agree, write } = await place({ 'project/.triad/agents/b.md': agent('a', 'trusted') });
  await agree();
  await write('project/.triad/agents/a.md', agent('a', 'slipped in before it'));
  expect(await said('a')).toBe('trusted');
  await mkdir(join(root, 'project/.claude/agents'), { recursive: true });
  await write('project/.claude/agents/c.md', agent('code-reviewer', 'slipped in'));
  expect(await said('code-reviewer')).not.toBe('slipped in');
});

test('a linked agent folder with very many folders is read only in part', async () => {
  const many = Array.from({ length: 250 }, (_, index) => [`far/${index}/a.md`, agent(`a${index}`, 'x')]);
  const { root, look } = await place(Object.fromEntries(many) as Record<string, string>);
  await mkdir(join(root, 'project/.claude'));
  await symlink(join(root, 'far'), join(root, 'project/.claude/agents'));
  const { files } = await look();
  expect(files.length).toBeLessThan(250);
  expect(files.some(({ says }) => says.includes('only the first 200 folders'))).toBe(true);
});

test('an agent with an unusable model is not offered, and is reported once as a file with a fault', async () => {
  const far = '---\nname: far\ndescription: Far away\nmodel: opus\n---\nYou are far.\n';
  const { agents, names, warnings, project } = await place({ 'config/agents/far.md': far });
  expect(await names()).toContain('far');
  const says = phrase('as_it_is', { words: 'opus is not there' });
  const fault = { says, what: 'opus is not there', suggestion: 'sonnet', kind: 'refused' as const };
  const fine = { temperatureFault: () => null, providerFault: () => null, modelMissing: () => null };
  agents.useModels({ ...fine, faultOf: (name) => (name === 'opus' ? fault : null) });
  expect(await names()).not.toContain('far');
  expect(await names()).toContain('code-reviewer');
  expect(warnings).toEqual([
    expect.stringMatching(/far\.md:4:8: model opus is not there \(did you mean `sonnet`\?\)$/),
  ]);
  const found = (await agents.files(project)).find(({ path }) => path.endsWith('far.md'));
  expect(found).toMatchObject({ ok: false, name: 'far', errors: [{ line: 4, key: 'model' }] });
});

/** The editor's methods on real files: nothing is lost, nothing outside is touched, nothing is trusted but what was saved. */
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { builtinPlaces } from '#core/agents/places.ts';
import { sha256 } from '#core/base/hash.ts';
import { Script } from '../../../../support/fake-model/script.ts';
import { folderWith } from '../../../../support/workspace.ts';
import { sharedEngine } from '../../../../support/shared-engine.ts';

const shared = sharedEngine();

const agent = (name: string, keys = '') => `---\nname: ${name}\ndescription: Helps # why\n${keys}---\nPrompt\n`;
const MINE = '.triad/agents/mine.md';

async function start(files: Record<string, string> = {}) {
  const { runtime, folder, agents } = await shared.start(new Script(), { files: { 'README.md': '', ...files } });
  const at = (path: string) => join(folder, path);
  const of = async (path: string) => {
    const all = await runtime.request('agents.files', { folder });
    return all.find(({ file }) => file === at(path));
  };
  return {
    folder,
    at,
    of,
    agents,
    request: runtime.request.bind(runtime),
    read: (path: string) => runtime.request('agents.read', { folder, file: at(path) }),
    save: (path: string, text: string, before: string | null) =>
      runtime.request('agents.save', { folder, file: at(path), text, before }),
    write: async (path: string, text: string) => {
      await mkdir(dirname(at(path)), { recursive: true });
      await writeFile(at(path), text);
    },
    onDisk: (path: string) => readFile(at(path), 'utf8'),
    trusted: async () => {
      const { files } = await runtime.request('trust.look', { folder });
      return files.filter(({ state }) => state === 'same').map(({ path }) => path);
    },
  };
}

test('a draft is not written to disk, and a saved agent is usable at once and the only trusted file', async () => {
  const { request, folder, at, save, of, trusted, onDisk } = await start({
    '.triad/agents/other.md': agent('other'),
  });
  const draft = await request('agents.draft', { folder, name: 'log reader', source: 'project' });
  expect(draft).toMatchObject({ file: at('.triad/agents/log-reader.md'), hash: null, readOnly: null });
  expect(await readdir(at('.triad/agents'))).toEqual(['other.md']);
  const saved = await save('.triad/agents/log-reader.md', draft.text, null);
  expect(saved.hash).toBe(sha256(await onDisk('.triad/agents/log-reader.md')));
  expect([await trusted(), (await of('.triad/agents/log-reader.md'))?.state]).toEqual([
    ['.triad/agents/log-reader.md'],
    'usable',
  ]);
  expect((await of('.triad/agents/other.md'))?.state).toBe('untrusted');
  await expect(request('agents.draft', { folder, name: 'log reader', source: 'project' })).rejects.toThrow(
    'is there already',
  );
});

test('does not overwrite an agent file that changed after it was read', async () => {
  const { read, save, write, onDisk, trusted } = await start({ [MINE]: agent('mine') });
  const { hash } = await read(MINE);
  await write(MINE, agent('mine', 'model: opus\n'));
  await expect(save(MINE, agent('mine', 'model: haiku\n'), hash)).rejects.toMatchObject({ code: 'conflict' });
  await expect(save(MINE, agent('mine'), null)).rejects.toMatchObject({ code: 'conflict' });
  expect(await onDisk(MINE)).toBe(agent('mine', 'model: opus\n'));
  expect(await trusted()).toEqual([]);
  await save(MINE, agent('mine', 'model: haiku\n'), (await read(MINE)).hash);
  expect(await onDisk(MINE)).toBe(agent('mine', 'model: haiku\n'));
});

test('rejects one of two simultaneous saves of an agent file', async () => {
  const { read, save, onDisk } = await start({ [MINE]: agent('mine') });
  const { hash } = await read(MINE);
  const both = await Promise.allSettled([
    save(MINE, agent('mine', 'model: opus\n'), hash),
    save(MINE, agent('mine', 'model: haiku\n'), hash),
  ]);
  const [done, ...more] = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  expect([await onDisk(MINE), more]).toEqual([done?.text, []]);
  expect(both).toContainEqual({
    status: 'rejected',
    reason: expect.objectContaining({ code: 'conflict' }) as unknown,
  });
});

test('rejects an agent file with a fault, naming line and key, and a second agent with a taken name', async () => {
  const { read, save, onDisk, request, folder, at } = await start({
    [MINE]: agent('mine'),
    '.triad/agents/z.md': agent('z'),
  });
  const { hash } = await read(MINE);
  await expect(save(MINE, agent('mine', 'modle: opus\n'), hash)).rejects.toThrow(
    'mine.md:4:1: unknown key modle (did you mean `model`?)',
  );
  const twice = { folder, file: at(MINE), text: agent('z') };
  expect((await request('agents.lint', twice)).report).toMatchObject({
    ok: false,
    errors: [{ key: 'name', message: `the name z is taken by ${at('.triad/agents/z.md')}` }],
  });
  await expect(save(MINE, agent('z'), hash)).rejects.toThrow('the name z is taken');
  expect(await onDisk(MINE)).toBe(agent('mine'));
});

test('an edit keeps comments and unknown keys, and returns the new values and faults', async () => {
  const { request, folder, at } = await start();
  const text = agent('mine', 'x-team: a # ours\n');
  const { text: edited, ...rest } = await request('agents.edit', {
    folder,
    file: at(MINE),
    text,
    changes: { model: 'opsu', description: null },
  });
  expect(edited).toBe('---\nname: mine\nx-team: a # ours\nmodel: opsu\n---\nPrompt\n');
  expect(rest).toMatchObject({
    report: {
      ok: false,
      errors: [
        { key: 'description', message: 'description is missing' },
        { key: 'model', suggestion: 'opus' },
      ],
    },
    values: { name: 'mine', model: 'opsu', prompt: 'Prompt' },
  });
});

test('a save keeps the line endings and the mode of an agent file', async () => {
  const { read, save, write, at, onDisk } = await start();
  await write(MINE, agent('mine').replaceAll('\n', '\r\n'));
  const { text, hash } = await read(MINE);
  expect(text).toBe(agent('mine'));
  const { mode } = await stat(at(MINE));
  await save(MINE, agent('mine', 'model: opus\n'), hash);
  expect(await onDisk(MINE)).toBe(agent('mine', 'model: opus\n').replaceAll('\n', '\r\n'));
  expect((await stat(at(MINE))).mode).toBe(mode);
});

test.for([
  'README.md',
  '.triad/agents/../../README.md',
  '.triad/agents/x.txt',
  '.triad/agents/README.md',
  '/etc/passwd',
])('rejects a path that is not an agent file: %s', async (path) => {
  const { request, folder, at } = await start();
  const file = path.startsWith('/') ? path : `${folder}/${path}`;
  const refused = { code: 'not_allowed', message: `${file} is no file of an agent of ${folder}` };
  await expect(request('agents.read', { folder, file })).rejects.toMatchObject(refused);
  await expect(request('agents.lint', { folder, file, text: '' })).rejects.toMatchObject(refused);
  await expect(request('agents.save', { folder, file, text: agent('a'), before: null })).rejects.toMatchObject(refused);
  expect(await readFile(at('README.md'), 'utf8')).toBe('');
});

test('built-in and foreign agents can be read but not saved, and a copy of a foreign agent can be saved', async () => {
  const { read, save, request, folder, of } = await start({
    '.claude/agents/cl.md': '---\nname: cl\ndescription: d\ntools: Read, Grep\ncolor: red\n---\nOther prompt',
  });
  const foreign = await read('.claude/agents/cl.md');
  expect(foreign.readOnly).toBe('it belongs to another program, and is changed there');
  await expect(save('.claude/agents/cl.md', agent('cl'), foreign.hash)).rejects.toThrow('cannot be saved');
  const edit = { folder, file: foreign.file, text: foreign.text, changes: { name: 'x' } };
  await expect(request('agents.edit', edit)).rejects.toMatchObject({ code: 'not_allowed' });
  const lint = await request('agents.lint', { folder, file: foreign.file, text: foreign.text });
  expect(lint.values).toMatchObject({ name: 'cl', prompt: 'Other prompt' });
  expect(await of('.claude/agents/cl.md')).toMatchObject({ dialect: 'claude', state: 'untrusted' });
  const copy = { folder, name: 'cl', source: 'project' as const, copyOf: foreign.file };
  const { text } = await request('agents.draft', copy);
  expect(text).toMatch(/^---\nname: cl\ndescription: d\ntools: \[.*grep.*\]\n---\n\nOther prompt\n$/);
  await save('.triad/agents/cl.md', text, null);

  const builtin = join(builtinPlaces()[0].folder, 'code-reviewer.md');
  const { readOnly, hash, text: reviewer } = await request('agents.read', { folder, file: builtin });
  expect(readOnly).toBe('it comes with Triad');
  await expect(request('agents.save', { folder, file: builtin, text: reviewer, before: hash })).rejects.toMatchObject({
    code: 'not_allowed',
  });
});

test('a copy of a composition is saved as a composition, and edits can change keys of its sections', async () => {
  const { request, folder, at, save, of } = await start();
  const copyOf = join(builtinPlaces()[1].folder, 'BUILD-SMART.toml');
  const draft = await request('agents.draft', { folder, name: 'ship it', source: 'project', copyOf });
  expect(draft).toMatchObject({ file: at('.triad/compositions/ship-it.toml'), hash: null, readOnly: null });
  const { file } = draft;
  const changes = { 'control_flow.type': 'judge', 'control_flow.max_rounds': 2 };
  const edited = await request('agents.edit', { folder, file, text: draft.text, changes });
  expect(edited.values).toMatchObject({ 'agent.name': 'ship it', 'composition.coagent': 'reviewer', ...changes });
  await save('.triad/compositions/ship-it.toml', edited.text, null);
  const flow = { type: 'judge', rounds: 2, primary: 'lead', coagent: 'reviewer' };
  expect(await of('.triad/compositions/ship-it.toml')).toMatchObject({ state: 'usable', name: 'ship it', flow });
});

test('agent files behind links can be read but not saved, even if the whole folder is a link', async () => {
  const outside = await folderWith({ 'real.md': agent('mine') });
  const { read, save, at } = await start({ '.triad/agents/a.md': agent('a') });
  await symlink(join(outside, 'real.md'), at('.triad/agents/mine.md'));
  const { readOnly, hash } = await read(MINE);
  expect(readOnly).toBe('it is a link: change the file that it leads to');
  await expect(save(MINE, agent('mine', 'model: opus\n'), hash)).rejects.toThrow('it is a link');

  const second = await start();
  await symlink(outside, second.at('.triad'));
  await expect(second.save('.triad/agents/new.md', agent('new'), null)).rejects.toThrow(
    'its folder is a link that leads out of the workspace',
  );
  expect(await readdir(outside)).toEqual(['real.md']);
  expect(await readFile(join(outside, 'real.md'), 'utf8')).toBe(agent('mine'));
});

test('lists each agent file with its state: usable, overridden, disabled, faulty or untrusted', async () => {
  const { of, save, write, at, request, folder } = await start();
  await save('.triad/agents/b.md', agent('b', 'enabled: false\n'), null);
  await save('.triad/agents/rev.md', agent('code-reviewer'), null);
  await save('.triad/agents/z.md', agent('z'), null);
  await write('.triad/agents/bad.md', agent('bad', 'modle: x\n'));
  await write('.triad/agents/a.md', agent('z'));
  expect((await of('.triad/agents/b.md'))?.state).toBe('disabled');
  expect(await of('.triad/agents/bad.md')).toMatchObject({ state: 'faulty', description: null });
  expect((await of('.triad/agents/a.md'))?.state).toBe('untrusted');
  expect(await of('.triad/agents/z.md')).toMatchObject({ state: 'usable', ok: true, errors: [] });
  const all = await request('agents.files', { folder });
  expect(all.find(({ name, source }) => name === 'code-reviewer' && source === 'builtin')).toMatchObject({
    state: 'overridden',
    overriddenBy: at('.triad/agents/rev.md'),
    dialect: 'triad',
  });
});

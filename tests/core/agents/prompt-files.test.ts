/** A prompt in a file of its own: found by its name, hashed with the agent, and never from elsewhere. */
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadPlace, type UnlinkedFile } from '#core/agents/load.ts';
import { userPlaces } from '#core/agents/places.ts';
import { allTools } from '#core/tools/all-tools.ts';
import { folderWith } from '../../support/workspace.ts';

const tools = allTools();
const agent = (prompt: string) => `name = "mine"\ndescription = "d"\n# mine\nprompt = ${prompt}\nmodel = "haiku"\n`;

async function loaded(files: Record<string, string>, kind: 1 | 2 = 1, source: 'user' | 'project' = 'user') {
  const config = await folderWith(files);
  const load = async (): Promise<UnlinkedFile> =>
    (await loadPlace({ ...userPlaces(config, config)[kind]!, source }, tools))[0]!;
  return { config, load, file: await load() };
}

const promptOf = (file: UnlinkedFile) => (file.ok && 'definition' in file ? file.definition.systemPrompt : file);
const faultOf = (file: UnlinkedFile) => (file.ok ? null : file.errors[0]);

test('a prompt file is found by name, with or without its extension, or by its path in the configuration folder', async () => {
  const text = 'You are "one".\n\nOf \\ many lines.\n';
  for (const name of ['x.md', 'x', 'prompts/system/x.md']) {
    const { file } = await loaded({ 'agents/mine.toml': agent(`{ file = "${name}" }`), 'prompts/system/x.md': text });
    expect(promptOf(file), name).toBe(text.trim());
  }
  const sections = '[agent]\nname = "mine"\ndescription = "d"\n[prompt]\nsystem = {file = "x"}\n';
  expect(promptOf((await loaded({ 'agents/mine.toml': sections, 'prompts/system/x.md': text })).file)).toBe(
    text.trim(),
  );
});

test('a change of the prompt file changes the prompt and the hash of the agent', async () => {
  const files = { 'agents/mine.toml': agent('{ file = "x" }'), 'prompts/system/x.md': 'One.' };
  const { config, load, file } = await loaded(files);
  await writeFile(join(config, 'prompts/system/x.md'), 'Two.');
  const later = await load();
  expect(promptOf(later)).toBe('Two.');
  const hash = (one: UnlinkedFile) => (one.ok && 'definition' in one ? one.definition.hash : null);
  expect(hash(later)).not.toBe(hash(file));
});

test('a handoff text can be in a prompt file', async () => {
  for (const [key, type] of [
    ['template', 'template'],
    ['generator_prompt', 'generated'],
    ['text', 'static'],
  ]) {
    const text = `[agent]\nname = "P"\ndescription = "d"\n[composition]\nprimary = "worker"\n[control_flow]\ntype = "loop"\n[handoff]\n${key} = {file = "x"}\n`;
    const { file } = await loaded({ 'compositions/p.toml': text, 'prompts/handoff/x.md': 'See {{answer}}' }, 2);
    const handoff = file.ok && 'composition' in file && file.composition.flow.handoff;
    expect(handoff, key).toEqual({ type, text: 'See {{answer}}' });
  }
});

test('a missing, outside, unsafe or project prompt file is reported where it is named', async () => {
  const place = { line: 4, column: 10 };
  const { config, file } = await loaded({ 'agents/mine.toml': agent('{ file = "x" }') });
  expect(faultOf(file)).toMatchObject({ ...place, message: `prompt: there is no ${join(config, 'prompts/system/x')}` });
  for (const path of ['../x.md', '/etc/hostname', 'system/../../config.toml']) {
    const outside = await loaded({ 'agents/mine.toml': agent(`{ file = "${path}" }`), 'prompts/x.md': 'x' });
    expect(faultOf(outside.file), path).toMatchObject({
      ...place,
      message: expect.stringContaining('must be the name of a file') as unknown,
    });
  }
  const linked = await loaded({ 'agents/mine.toml': agent('{ file = "x.md" }'), 'secret.md': 'Secret.' });
  await mkdir(join(linked.config, 'prompts/system'), { recursive: true });
  await symlink(join(linked.config, 'secret.md'), join(linked.config, 'prompts/system/x.md'));
  expect(faultOf(await linked.load())).toMatchObject({
    ...place,
    message: expect.stringContaining('leads out of') as unknown,
  });
  const shared = await loaded({ 'agents/mine.toml': agent('{ file = "x.md" }'), 'prompts/system/x.md': 'x' });
  await chmod(join(shared.config, 'prompts/system/x.md'), 0o666);
  expect(faultOf(await shared.load())).toMatchObject({
    ...place,
    message: expect.stringContaining('Others may write') as unknown,
  });
  const project = await loaded(
    { 'agents/mine.toml': agent('{ file = "x.md" }'), 'prompts/system/x.md': 'x' },
    1,
    'project',
  );
  expect(faultOf(project.file)).toMatchObject({
    ...place,
    message: expect.stringContaining('for your own agents') as unknown,
  });
});

test('reports the other faults of a file whose prompt is missing', async () => {
  const { file } = await loaded({ 'agents/mine.toml': `${agent('{ file = "x" }')}modle = 1\nrole = "primry"\n` });
  expect(file).toMatchObject({
    ok: false,
    name: 'mine',
    errors: [
      { line: 4, message: expect.stringContaining('prompt: there is no ') as string },
      { line: 6, key: 'modle' },
      { line: 7, key: 'role' },
    ],
  });
});

/** A prompt in a file of its own: found by its name, hashed with the agent, and never from elsewhere. */
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startConfigured } from '../../support/settings/configured.ts';
import { folderWith } from '../../support/workspace.ts';

const agent = (prompt: string) => `name = "mine"\ndescription = "d"\n# mine\nprompt = ${prompt}\nmodel = "haiku"\n`;

async function started(files: Record<string, string>) {
  const config = await folderWith(files);
  const runtime = await startConfigured(config);
  return {
    config,
    definition: async (name = 'mine') => (await runtime.request('agents.get', { name })).definition,
    report: async (file = 'agents/mine.toml') =>
      (await runtime.request('agents.check', {})).find((report) => report.file === join(config, file)),
  };
}

test('a prompt file is found by name, with or without its extension, or by its path in the configuration folder', async () => {
  const text = 'You are "one".\n\nOf \\ many lines.\n';
  for (const name of ['x.md', 'x', 'prompts/system/x.md']) {
    const files = { 'agents/mine.toml': agent(`{ file = "${name}" }`), 'prompts/system/x.md': text };
    const { definition } = await started(files);
    expect((await definition()).systemPrompt, name).toBe(text.trim());
  }
  const sections = '[agent]\nname = "mine"\ndescription = "d"\n[prompt]\nsystem = {file = "x"}\n';
  const { definition } = await started({ 'agents/mine.toml': sections, 'prompts/system/x.md': text });
  expect((await definition()).systemPrompt).toBe(text.trim());
});

test('a change of the prompt file changes the prompt and the hash of the agent', async () => {
  const files = { 'agents/mine.toml': agent('{ file = "x" }'), 'prompts/system/x.md': 'One.' };
  const { config, definition } = await started(files);
  const { hash } = await definition();
  await writeFile(join(config, 'prompts/system/x.md'), 'Two.');
  const later = await definition();
  expect(later.systemPrompt).toBe('Two.');
  expect(later.hash).not.toBe(hash);
});

test('a handoff text can be in a prompt file', async () => {
  for (const [key, type] of [
    ['template', 'template'],
    ['generator_prompt', 'generated'],
    ['text', 'static'],
  ]) {
    const text = `[agent]\nname = "P"\ndescription = "d"\n[composition]\nprimary = "worker"\n[control_flow]\ntype = "loop"\n[handoff]\n${key} = {file = "x"}\n`;
    const { definition } = await started({ 'compositions/p.toml': text, 'prompts/handoff/x.md': 'See {{answer}}' });
    expect((await definition('P')).flow?.handoff, key).toEqual({ type, text: 'See {{answer}}' });
  }
});

test('a missing, outside, unsafe or project prompt file is reported where it is named', async () => {
  const place = { line: 4, column: 10 };
  const faultOf = async ({ report }: Awaited<ReturnType<typeof started>>, file?: string) =>
    (await report(file))?.errors[0];
  const said = (message: string) => ({ ...place, message: expect.stringContaining(message) as unknown });
  const missing = await started({ 'agents/mine.toml': agent('{ file = "x" }') });
  const message = `prompt: there is no ${join(missing.config, 'prompts/system/x')}`;
  expect(await faultOf(missing)).toMatchObject({ ...place, message });
  for (const path of ['../x.md', '/etc/hostname', 'system/../../config.toml']) {
    const outside = await started({ 'agents/mine.toml': agent(`{ file = "${path}" }`), 'prompts/x.md': 'x' });
    expect(await faultOf(outside), path).toMatchObject(said('must be the name of a file'));
  }
  const linked = await started({ 'agents/mine.toml': agent('{ file = "x.md" }'), 'secret.md': 'Secret.' });
  await mkdir(join(linked.config, 'prompts/system'), { recursive: true });
  await symlink(join(linked.config, 'secret.md'), join(linked.config, 'prompts/system/x.md'));
  expect(await faultOf(linked)).toMatchObject(said('leads out of'));
  const shared = await started({ 'agents/mine.toml': agent('{ file = "x.md" }'), 'prompts/system/x.md': 'x' });
  await chmod(join(shared.config, 'prompts/system/x.md'), 0o666);
  expect(await faultOf(shared)).toMatchObject(said('Others may write'));
  const file = '.triad/agents/mine.toml';
  const project = await started({ [file]: agent('{ file = "x.md" }'), 'prompts/system/x.md': 'x' });
  expect(await faultOf(project, file)).toMatchObject(said('for your own agents'));
});

test('reports the other faults of a file whose prompt is missing', async () => {
  const { report } = await started({ 'agents/mine.toml': `${agent('{ file = "x" }')}modle = 1\nrole = "primry"\n` });
  expect(await report()).toMatchObject({
    ok: false,
    name: 'mine',
    errors: [
      { line: 4, message: expect.stringContaining('prompt: there is no ') as string },
      { line: 6, key: 'modle' },
      { line: 7, key: 'role' },
    ],
  });
});

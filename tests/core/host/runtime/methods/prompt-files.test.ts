/** An agent whose prompt is in a file of its own: read, changed by path and by the editor, and never lost. */
import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { AgentValue } from '#contract/agent.ts';
import { eventually } from '../../../../support/eventually.ts';
import { startEngine } from '../../../../support/engine.ts';
import { plainAnswer } from '../../../../support/fake-model/scenarios.ts';
import { folderWith } from '../../../../support/workspace.ts';

const TOML = `# mine
[agent]
name = "base"
description = "Leads" # why
role = "primary"

[prompt]
system = { file = "base.md" } # beside others
`;

async function start(files: Record<string, string> = {}) {
  const config = await folderWith({});
  const { runtime, folder } = await startEngine(plainAnswer(), { agentsConfig: config });
  const at = (path: string) => join(config, path);
  const write = async (path: string, text: string) => {
    await mkdir(dirname(at(path)), { recursive: true });
    await writeFile(at(path), text, { mode: 0o600 });
  };
  for (const [path, text] of Object.entries({
    'agents/base.toml': TOML,
    'prompts/system/base.md': '\nYou lead.\n\nAlways.\n',
    ...files,
  }))
    await write(path, text);
  const file = at('agents/base.toml');
  return {
    folder,
    file,
    at,
    write,
    runtime,
    prompt: at('prompts/system/base.md'),
    onDisk: (path: string) => readFile(at(path), 'utf8'),
    rows: async (path = 'agents.base') => {
      const rows = await runtime.request('settings.explain', { folder, path });
      return Object.fromEntries(rows.map((row) => [row.path.replace('agents.base.', ''), row]));
    },
    set: (path: string, value: string | number | null) =>
      runtime.request('agents.set', { folder, path, value, project: false }),
    edit: (text: string, changes: Record<string, AgentValue>, prompt?: { file: string; text: string }) =>
      runtime.request('agents.edit', { folder, file, text, changes, prompt }),
  };
}

test('reads the prompt of an agent by settings path and names the prompt file', async () => {
  const { rows, file, prompt } = await start();
  const { role, description, prompt: said, model } = await rows();
  expect(role).toMatchObject({ value: 'primary', origin: { from: 'user', file, line: 5 } });
  expect(description).toMatchObject({ value: 'Leads' });
  expect(said).toMatchObject({ value: 'You lead.\n\nAlways.', origin: { from: 'user', file: prompt, line: 1 } });
  expect(model).toMatchObject({ value: null, origin: { from: 'default' } });
});

test('writes a prompt set by path to its prompt file, and another key to the TOML file', async () => {
  const { set, onDisk, prompt } = await start();
  const said = await set('agents.base.prompt', "You plan.\n--- \"first\" ''' {{agent}}");
  expect(said).toMatchObject({ value: "You plan.\n--- \"first\" ''' {{agent}}", origin: { file: prompt } });
  expect(await onDisk('prompts/system/base.md')).toBe("\nYou plan.\n--- \"first\" ''' {{agent}}\n");
  expect(await onDisk('agents/base.toml')).toBe(TOML);
  await set('agents.base.model', 'opus');
  expect(await onDisk('agents/base.toml')).toBe(`${TOML}\n[model]\nmodel = "opus"\n`);
  expect(await onDisk('prompts/system/base.md')).toContain('You plan.');
});

test('rejects a faulty or empty prompt and changes no file', async () => {
  const { set, onDisk } = await start();
  await expect(set('agents.base.prompt', 'See {{fodler}}')).rejects.toMatchObject({ code: 'bad_input' });
  await expect(set('agents.base.prompt', null)).rejects.toMatchObject({ code: 'bad_input' });
  expect(await onDisk('prompts/system/base.md')).toBe('\nYou lead.\n\nAlways.\n');
  expect(await onDisk('agents/base.toml')).toBe(TOML);
});

test('the editor reads the values of the TOML and prompt files, and saves each change to the right file', async () => {
  const { runtime, folder, file, prompt, edit, onDisk } = await start();
  const read = await runtime.request('agents.read', { folder, file });
  expect(read).toMatchObject({ text: TOML, prompt: { key: 'prompt', file: prompt, text: '\nYou lead.\n\nAlways.\n' } });
  const { values } = await runtime.request('agents.lint', { folder, file, text: TOML });
  expect(values).toMatchObject({ name: 'base', role: 'primary', prompt: 'You lead.\n\nAlways.' });
  const first = await edit(TOML, { prompt: 'You plan.' });
  expect(first).toMatchObject({
    text: TOML,
    report: { ok: true },
    values: { prompt: 'You plan.' },
    prompt: { file: prompt, text: '\nYou plan.\n', isChanged: true },
  });
  const unsaved = { file: prompt, text: '\nYou plan.\n' };
  const second = await edit(TOML, { description: 'Plans' }, unsaved);
  expect(second).toMatchObject({ values: { description: 'Plans', prompt: 'You plan.' }, prompt: { isChanged: true } });
  expect(await onDisk('prompts/system/base.md'), 'nothing is written before the save').toContain('You lead.');
  const save = { folder, file, text: second.text, prompt: unsaved };
  const saved = await runtime.request('agents.save', { ...save, before: read.hash });
  expect(await onDisk('prompts/system/base.md')).toBe('\nYou plan.\n');
  expect(await onDisk('agents/base.toml')).toBe(TOML.replace('"Leads"', '"Plans"'));
  expect(saved.hash).toBe((await runtime.request('agents.read', { folder, file })).hash);
});

test('an emptied prompt field keeps the reference to the prompt file', async () => {
  const { edit } = await start();
  const { text, report, prompt } = await edit(TOML, { prompt: null });
  expect([text, prompt?.text.trim(), report.ok]).toEqual([TOML, '', false]);
});

test('does not overwrite a prompt file that changed meanwhile', async () => {
  const { runtime, folder, file, prompt, write, onDisk } = await start();
  const { hash } = await runtime.request('agents.read', { folder, file });
  await write('prompts/system/base.md', 'Theirs');
  const save = { folder, file, text: TOML.replace('Leads', 'Plans'), prompt: { file: prompt, text: 'Mine' } };
  await expect(runtime.request('agents.save', { ...save, before: hash })).rejects.toMatchObject({ code: 'conflict' });
  expect([await onDisk('prompts/system/base.md'), await onDisk('agents/base.toml')]).toEqual(['Theirs', TOML]);
});

test('saves only to the prompt file named in the TOML, and keeps its mode and a link to it', async () => {
  const { runtime, folder, file, at, write, onDisk } = await start({ 'prompts/system/real.md': 'Real' });
  await symlink(at('prompts/system/real.md'), at('prompts/system/link.md'));
  await write('agents/base.toml', TOML.replace('base.md', 'link.md'));
  const { hash, text, prompt } = await runtime.request('agents.read', { folder, file });
  expect(prompt?.file).toBe(at('prompts/system/link.md'));
  const save = (other: string, before: string | null) =>
    runtime.request('agents.save', { folder, file, text, prompt: { file: other, text: 'New' }, before });
  await save(at('config.toml'), hash);
  await expect(stat(at('config.toml'))).rejects.toThrow();
  expect(await onDisk('prompts/system/real.md')).toBe('Real');
  await save(at('prompts/system/link.md'), hash);
  expect(await onDisk('prompts/system/real.md')).toBe('New');
  expect((await stat(at('prompts/system/real.md'))).mode & 0o777).toBe(0o600);
});

test('an agent whose prompt file is missing keeps its other keys readable and reports a fault', async () => {
  const { rows, runtime, folder, file, write } = await start();
  await write('agents/base.toml', TOML.replace('base.md', 'none.md'));
  expect((await rows())['role']).toMatchObject({ value: 'primary' });
  const lint = await runtime.request('agents.lint', { folder, file, text: TOML.replace('base.md', 'none.md') });
  expect(lint).toMatchObject({ report: { ok: false, name: 'base' }, values: { name: 'base', role: 'primary' } });
});

test('writes the handoff of a composition to its file, and a copy includes the text', async () => {
  const { runtime, folder, at, write, onDisk } = await start();
  const text =
    '[agent]\nname = "PAIR"\ndescription = "d"\n[composition]\nprimary = "base"\n[control_flow]\ntype = "loop"\n[handoff]\ntemplate = { file = "pair" }\n';
  await write('compositions/pair.toml', text);
  await write('prompts/handoff/pair.md', 'See {{answer}}\n');
  const path = 'compositions.PAIR.handoff.template';
  const set = { folder, path, value: 'Check {{answer}}', project: false };
  expect(await runtime.request('agents.set', set)).toMatchObject({ value: 'Check {{answer}}' });
  expect([await onDisk('prompts/handoff/pair.md'), await onDisk('compositions/pair.toml')]).toEqual([
    'Check {{answer}}\n',
    text,
  ]);
  const draft = { folder, name: 'TWIN', source: 'project' as const, copyOf: at('compositions/pair.toml') };
  expect((await runtime.request('agents.draft', draft)).text).toContain('template = "Check {{answer}}\\n"');
  const copy = { folder, name: 'mine', source: 'project' as const, copyOf: at('agents/base.toml') };
  expect((await runtime.request('agents.draft', copy)).text).toMatch(/role: primary\n---\n\nYou lead\.\n\nAlways\.\n$/);
});

test('announces a change of a prompt file like a change of the agent', async () => {
  const { runtime, folder, write } = await start();
  const changed = vi.fn();
  onTestFinished(await runtime.subscribe('agents', { folder }, changed));
  await write('prompts/system/base.md', 'Another');
  await eventually(() => expect(changed).toHaveBeenCalledWith({ changed: true }));
});

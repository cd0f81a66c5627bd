/** Settings by dotted path: where each value comes from, what goes before what, and which files are changed at all. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ExplainedSetting } from '#contract/settings/setting-methods.ts';
import { type Harness, startEngine } from '../../../../support/engine.ts';
import { plainAnswer } from '../../../../support/fake-model/scenarios.ts';
import { agentText } from '../../../../support/linking.ts';
import { folderWith } from '../../../../support/workspace.ts';

async function startedWith(settings: string, files: Record<string, string> = {}, set: Record<string, string> = {}) {
  const configFolder = await folderWith({ 'config.toml': settings });
  const engine = await startEngine(plainAnswer(), {
    settings,
    configFolder,
    data: configFolder,
    files,
    programs: { ...process.env, ...set },
  });
  return { engine, file: join(configFolder, 'config.toml') };
}

const explained = async ({ runtime }: Harness, path: string): Promise<ExplainedSetting> => {
  const [row, ...more] = await runtime.request('settings.explain', { path });
  expect(more).toEqual([]);
  return row!;
};

test('explains a setting with its file and line, or as the default', async () => {
  const { engine, file } = await startedWith('# mine\n[limits]\n\nmax_sub_agents = 2\n');
  expect(await explained(engine, 'limits.max_sub_agents')).toMatchObject({
    value: 2,
    origin: { from: 'user', file, line: 4 },
    others: [],
  });
  expect(await explained(engine, 'limits.max_concurrent')).toMatchObject({ value: 3, origin: { from: 'default' } });
  const all = await engine.runtime.request('settings.explain', {});
  expect(all.filter(({ origin }) => origin.from === 'user').map(({ path }) => path)).toEqual(['limits.max_sub_agents']);
});

test('the environment overrides the settings file, and the explanation names the overridden value', async () => {
  const { engine, file } = await startedWith('[providers.anthropic]\nbase_url = "https://models.example"\n');
  expect(await explained(engine, 'providers.anthropic.base_url')).toMatchObject({
    value: engine.model.url,
    origin: { from: 'environment', variable: 'ANTHROPIC_BASE_URL' },
    others: [{ value: 'https://models.example', origin: { from: 'user', file, line: 2 }, reason: 'environment' }],
  });
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://me:words-of-mine@127.0.0.1:9';
  const traced = await startedWith('', {}, { OTEL_EXPORTER_OTLP_ENDPOINT });
  expect(await explained(traced.engine, 'telemetry.endpoint')).toMatchObject({
    value: 'http://me:[redacted: password]@127.0.0.1:9',
    origin: { from: 'environment', variable: 'OTEL_EXPORTER_OTLP_ENDPOINT' },
  });
});

test('a project lowers a limit once its file is trusted, and never raises one', async () => {
  const text = '[limits]\nmax_sub_agents = 1\ninactivity_seconds = 9000\nmax_concurrent = 3\n';
  const { engine, file } = await startedWith('[limits]\nmax_sub_agents = 2\n', { '.triad/config.toml': text });
  const project = { from: 'project', file: join(engine.folder, '.triad/config.toml') };
  const own = { from: 'user', file, line: 2 };
  expect(await explained(engine, 'limits.max_sub_agents')).toMatchObject({
    value: 2,
    origin: own,
    others: [
      {
        value: 1,
        origin: { ...project, line: 2 },
        reason: 'untrusted',
        why: expect.stringContaining('not trusted') as unknown,
      },
    ],
  });
  await engine.trust.add(engine.folder, '.triad/config.toml', text);
  expect(await explained(engine, 'limits.max_sub_agents')).toMatchObject({
    value: 1,
    origin: { ...project, line: 2 },
    others: [{ value: 2, origin: own, reason: 'lowered' }],
  });
  expect(await explained(engine, 'limits.inactivity_seconds')).toMatchObject({
    value: 300,
    others: [{ value: 9000, reason: 'idle', why: 'yours is not higher' }],
  });
  expect(await explained(engine, 'limits.max_concurrent')).toMatchObject({
    origin: { from: 'default' },
    others: [{ value: 3, why: 'yours is not higher' }],
  });
});

test('an external change of the settings file is reported, but takes effect only after a restart', async () => {
  const { engine, file } = await startedWith('limits.max_sub_agents = 2\n');
  await writeFile(file, '\nlimits.max_sub_agents = 1\n', { mode: 0o600 });
  expect(await explained(engine, 'limits.max_sub_agents')).toMatchObject({
    value: 2,
    origin: { from: 'user', file, line: null },
    others: [
      {
        value: 1,
        origin: { from: 'user', file, line: 2 },
        reason: 'late',
        why: expect.stringContaining('next start') as unknown,
      },
    ],
  });
  await writeFile(file, 'telemetry.endpoint = "https://me:pass-4711@host"\n', { mode: 0o600 });
  const { others } = await explained(engine, 'telemetry.endpoint');
  expect(others).toMatchObject([{ reason: 'late' }]);
  expect(JSON.stringify(others)).not.toContain('pass-4711');
});

test('rejects an unknown settings path with a suggestion, also for agents', async () => {
  const { engine } = await startedWith('');
  const refused = (path: string) =>
    engine.runtime.request('settings.explain', { path }).then(
      () => 'nothing',
      (error: Error) => error.message,
    );
  expect(await refused('limits.max_sub_agnts')).toContain('did you mean limits.max_sub_agents?');
  expect(await refused('agents.wroker')).toContain('did you mean agents.worker?');
  expect(await refused('agents.worker.modle')).toContain('did you mean model?');
  expect(await refused('agents.worker.tools')).toMatch(/tools is a list: it is written in .*worker\.md/);
});

test('does not change a built-in agent, and changes a project agent only if requested and trusted', async () => {
  const text = agentText('mine', '# mine');
  const { engine } = await startedWith('', { '.triad/agents/mine.md': text });
  const file = join(engine.folder, '.triad/agents/mine.md');
  const set = (path: string, project: boolean) =>
    engine.runtime.request('agents.set', { path, value: 'haiku', project });
  await expect(set('agents.worker.model', true)).rejects.toMatchObject({
    code: 'not_allowed',
    message: expect.stringContaining('"triad agents new worker --user --from worker"') as unknown,
  });
  await expect(set('agents.mine.model', false)).rejects.toMatchObject({
    message: expect.stringContaining('--project') as unknown,
  });
  await expect(set('agents.mine.model', true)).rejects.toMatchObject({
    message: expect.stringContaining('is not trusted as it is') as unknown,
  });
  expect(await readFile(file, 'utf8')).toBe(text);
  await engine.trust.add(engine.folder, '.triad/agents/mine.md', text);
  expect(await set('agents.mine.model', true)).toMatchObject({ value: 'haiku', origin: { from: 'project', file } });
  await expect(
    engine.runtime.request('agents.set', { path: 'agents.mine.max_iterations', value: 0, project: true }),
  ).rejects.toMatchObject({ message: expect.stringContaining('must be at least 1') as unknown });
  expect(
    (await engine.runtime.request('agents.set', { path: 'agents.mine.model', value: null, project: true })).value,
  ).toBe(null);
  expect(await readFile(file, 'utf8')).toBe(text);
});

test('sets an optional boolean setting from a command line word and explains it as a boolean', async () => {
  const settings = `[providers.local]\ntype = "openai-chat"\nbase_url = "http://127.0.0.1:9/v1"\n`;
  const { engine, file } = await startedWith(settings);
  const path = 'providers.local.models."a:b".supports_tools';
  await engine.runtime.request('settings.set', { path, value: 'false' });
  expect(await readFile(file, 'utf8')).toContain('supports_tools = false');
  expect(await explained(engine, path)).toMatchObject({ kind: 'boolean', value: false, default: null });
  expect((await engine.runtime.request('app.state', {})).settingsFile).toBe(file);
});

test('accepts quotes around any part of a path, and checks the path without them', async () => {
  const { engine, file } = await startedWith('');
  const { runtime } = engine;
  await runtime.request('settings.set', { path: '"limits".\'max_concurrent\'', value: 2 });
  expect(await readFile(file, 'utf8')).toContain('max_concurrent = 2');
  expect(await explained(engine, '"limits"."max_concurrent"')).toMatchObject({
    path: 'limits.max_concurrent',
    value: 2,
  });
  const group = await runtime.request('settings.explain', { path: '"limits"' });
  expect(group.map(({ path }) => path)).toContain('limits.max_concurrent');
  const unknown = { path: 'models."default"', value: 'no model' };
  await expect(runtime.request('settings.set', unknown)).rejects.toMatchObject({ code: 'bad_input' });
});

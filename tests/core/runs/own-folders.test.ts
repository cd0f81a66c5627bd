/** A model with every rule on its side changes and reads neither files of Triad nor files with keys. */
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { composeRuntime } from '#core/host/ownership/compose-runtime.ts';
import { workspaceOf } from '#core/runs/workspace-of.ts';
import { ownFolders } from '#core/settings/folders.ts';
import { memoryStore } from '../../support/stores/pooled.ts';
import { resolveInside } from '#core/workspace/places.ts';
import { PinnedFolders } from '#core/workspace/roots.ts';
import { NO_FILES } from '#core/settings/listed-files.ts';
import { startEngine } from '../../support/engine.ts';
import { CHILD, LEAD, spawn } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { folderWith } from '../../support/workspace.ts';

const ALLOW = '[permissions]\nmode = "auto"\n[[permissions.rules]]\neffect = "allow"\npermission = "FilesystemWrite"\n';
const TOKEN = 'the-token-of-the-owner';
const FILES = {
  'config/config.toml': ALLOW,
  'data/instance.json': `{"token":"${TOKEN}"}`,
  'data/trusted.json': '{}',
  'data/sessions/one/session.md': '# What was said before\n',
  '.env': `KEY=${TOKEN}`,
};

const ATTACKS: readonly (readonly [string, object])[] = [
  ['write_file', { path: 'config/config.toml', content: `${ALLOW}pattern = "**"\n` }],
  ['write_file', { path: 'config/agents/evil.md', content: '---\nname: evil\n---\n' }],
  ['write_file', { path: 'data/trusted.json', content: '{"/": {}}' }],
  ['read_file', { path: 'data/instance.json' }],
  ['read_file', { path: '.env' }],
  ['write_file', { path: '.env', content: 'KEY=mine' }],
  ['grep', { pattern: 'token' }],
  ['grep', { pattern: 'token', path: 'data/instance.json' }],
  ['glob', { pattern: 'data/**' }],
  ['list_directory', { path: 'data' }],
];

test('denies own folders and key files despite a rule for every write, mode auto and full approval', async () => {
  const home = await folderWith(FILES);
  const [config, data] = [join(home, 'config'), join(home, 'data')];
  const note = toolUse('read_note', { note: 'data/sessions/one/session.md' });
  const script = new Script();
  const attack = ATTACKS.map(([name, input]) => toolUse(name, input));
  script.on({ ...LEAD, step: 1 }).reply([...attack, note, spawn({ name: 'helper', prompt: 'Look.' })]);
  script.on({ ...CHILD, step: 1 }).reply([...attack, note]);
  script.on({}).reply([text('Done.')]);
  const engine = await startEngine(script, {
    configFolder: config,
    settings: ALLOW,
    own: await ownFolders({ config, data }, null),
  });
  const { id } = await engine.runtime.request('conversation.create', { folder: home });
  const ended = Promise.withResolvers<void>();
  const results: { agent: string; output: string }[] = [];
  await engine.runtime.subscribe('conversation', { conversationId: id }, (event) => {
    if (event.type === 'tool-end') results.push({ agent: event.agent, output: event.entry.output });
    if (event.type === 'workflow-end') ended.resolve();
  });
  await engine.runtime.request('message.send', { conversationId: id, text: 'Attack', approve: 'all' });
  await ended.promise;

  for (const [path, content] of Object.entries(FILES)) expect(await readFile(join(home, path), 'utf8')).toBe(content);
  await expect(readFile(join(config, 'agents/evil.md'))).rejects.toThrow('ENOENT');
  expect(results.map(({ output }) => output).join('\n')).not.toContain(TOKEN);
  const said = (agent: string) => results.filter((one) => one.agent === agent && one.output.includes('said before'));
  expect(said('lead'), 'a lead reads what was said in a session').toHaveLength(1);
  expect(said('helper'), 'a sub-agent does not').toHaveLength(0);
});

test('the composed runtime protects the folders of the program', async () => {
  const home = await folderWith(FILES);
  const compose = await composeRuntime(
    {
      folders: { config: join(home, 'config'), data: join(home, 'data') },
      secrets: { place: { backend: 'nowhere', warning: null }, get: async () => null, set: async () => undefined },
      environment: { apiKey: undefined, baseUrl: undefined, storeUrl: undefined, programs: {} },
      version: '0.0.0',
      folder: home,
      works: false,
      signal: new AbortController().signal,
      warn: () => undefined,
      report: () => undefined,
    },
    () => undefined,
  );
  const runtime = await compose(await memoryStore());
  onTestFinished(() => runtime.close());
  const explain = (path: string) =>
    runtime.request('permissions.explain', { agent: 'lead', tool: 'write_file', input: { path, content: '' } });
  for (const path of ['config/config.toml', 'data/instance.json', 'data/new'])
    expect(await explain(path)).toMatchObject({
      effect: 'deny',
      reason: expect.stringContaining('Triad itself') as string,
    });
  expect((await explain('notes.md')).effect).toBe('allow');
});

test('includes a store outside the data folder in the own folders', async () => {
  const home = await folderWith({ 'disk/store/CURRENT': 'x' });
  await mkdir(join(home, 'data'));
  const { folders } = await ownFolders(
    { config: join(home, 'config'), data: join(home, 'data') },
    join(home, 'disk/store'),
  );
  expect(folders).toEqual([join(home, 'config'), join(home, 'data'), join(home, 'disk/store')]);
});

test('denies sessions in the target folder if .triad is a link', async () => {
  const folder = await folderWith({ 'other/sessions/one/session.md': 'OWN' });
  await symlink(join(folder, 'other'), join(folder, '.triad'));
  const parts = {
    own: { folders: [], sessions: [] },
    permissions: { rules: () => ({ secretFiles: NO_FILES }) },
    workspaces: { roots: new PinnedFolders() },
  };
  const workspace = await workspaceOf(parts as unknown as Parameters<typeof workspaceOf>[0], folder, false);
  for (const path of ['other/sessions/one/session.md', '.triad/sessions/one/session.md'])
    await expect(resolveInside(workspace, path), path).rejects.toMatchObject({ code: 'not_allowed' });
});

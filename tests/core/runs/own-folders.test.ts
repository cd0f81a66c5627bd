/** A model with every rule on its side changes and reads neither files of Triad nor files with keys. */
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownFolders } from '#core/settings/folders.ts';
import { inProcess } from '../../hosts/support/engine.ts';
import { machine } from '../../hosts/support/process.ts';
import { startEngine } from '../../support/engine.ts';
import { CHILD, LEAD, spawn } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { sharedEngine } from '../../support/shared-engine.ts';
import { folderWith } from '../../support/workspace.ts';

const { start } = sharedEngine();

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

test('the program protects its configuration, its data and a store outside the data folder', async () => {
  const home = await folderWith({ 'config/triad/config.toml': ALLOW });
  const triad = inProcess(await machine(new Script()), 'disk');
  const env = {
    TRIAD_HOME: '',
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_DATA_HOME: join(home, 'data'),
    TRIAD_STORE: `rocksdb://${join(home, 'disk/store')}`,
  };
  const explain = async (path: string) => {
    const call = JSON.stringify({ path, content: '' });
    const { out } = await triad(['permissions', 'explain', 'lead', 'write_file', call], '', { folder: home, env });
    return out.split('\n')[0];
  };
  for (const path of ['config/triad/config.toml', 'data/triad/instance.json', 'data/triad/new', 'disk/store/new'])
    expect(await explain(path)).toMatch(/^deny: .*Triad itself/);
  for (const path of ['notes.md', 'disk/notes.md']) expect(await explain(path)).toMatch(/^allow: /);
});

test('denies sessions in the target folder if .triad is a link', async () => {
  const reads = ['other/sessions/one/session.md', '.triad/sessions/one/session.md'].map((path) =>
    toolUse('read_file', { path }),
  );
  const script = new Script();
  script.on({ ...LEAD, step: 1 }).reply([spawn({ name: 'helper', prompt: 'Look.' })]);
  script.on({ ...CHILD, step: 1 }).reply(reads);
  script.on({}).reply([text('Done.')]);
  const engine = await start(script, { files: { 'other/sessions/one/session.md': 'OWN' } });
  await symlink(join(engine.folder, 'other'), join(engine.folder, '.triad'));
  await engine.ask('Go');
  const ended = engine.of('tool-end').filter(({ agent }) => agent === 'helper');
  expect(ended.map(({ entry }) => entry.output)).toEqual(
    reads.map(() => expect.stringMatching(/belongs to Triad itself/) as string),
  );
});

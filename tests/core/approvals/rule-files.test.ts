/** Rules come from two files, each with its line; what cannot be read allows nothing. */
import { rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type RuleCache, readFolderRules, parseRules } from '#core/approvals/rule-files.ts';
import { NO_FILES } from '#core/settings/listed-files.ts';
import { folderWith } from '../../support/workspace.ts';

const USER = `# mine
[[permissions.rules]]
effect = "ask"
permission = "FilesystemWrite"

[[permissions.rules]]
effect = "allow"
agent = "lead"
tool = "write_file"
pattern = "docs/**"
`;
const PROJECT = `[[permissions.rules]]
effect = "allow"
tool = "*"

[[permissions.rules]]
effect = "deny"
tool = "read_file"
pattern = "private/**"
`;

test('rejects a project file whose rules would take long to check', () => {
  const rule = (pattern: string) => `[[permissions.rules]]\neffect = "deny"\ntool = "*"\npattern = "${pattern}"\n`;
  const faults = (text: string) => parseRules(text, 'x', 'project').faults.map(({ message }) => message);
  expect(faults(rule('a').repeat(501))).toEqual(['permissions.rules must have at most 500 items']);
  expect(faults('#'.repeat(300 * 1024))).toEqual(['is larger than 256 KiB']);
  expect(faults(rule(`${'{,a}'.repeat(6)}${'*a'.repeat(400)}`))).toEqual([
    expect.stringContaining('is too long') as string,
  ]);
  expect(faults(rule('src/{a,b,c}/**/*.ts').repeat(500))).toEqual([]);
});

const filesWith = (user: string, project: string) =>
  folderWith({ 'home/config.toml': user, 'work/.triad/config.toml': project });

test('each rule knows its file and line', async () => {
  const folder = await filesWith(USER, PROJECT);
  const file = join(folder, 'home/config.toml');
  const { rules, faults } = await readFolderRules(join(folder, 'work'), { file, isTrusted: async () => true });
  expect(faults).toEqual([]);
  expect(rules.map(({ id, effect, place }) => [id, effect, place.line])).toEqual([
    ['user:1', 'ask', 2],
    ['user:2', 'allow', 6],
    ['project:1', 'allow', 1],
    ['project:2', 'deny', 5],
  ]);
  expect(rules[1]?.place.file).toBe(file);
});

test('rules of an untrusted project that deny or ask still apply, also if the trust check fails', async () => {
  const folder = await filesWith(USER, PROJECT);
  const file = join(folder, 'home/config.toml');
  for (const isTrusted of [async () => false, () => Promise.reject(new Error('unreadable'))]) {
    const { rules, trusted } = await readFolderRules(join(folder, 'work'), { file, isTrusted });
    expect(trusted).toBe(false);
    expect(rules.map(({ id }) => id)).toEqual(['user:1', 'user:2', 'project:2']);
  }
});

test('a saved rule file applies to the next call, also with unchanged size and time', async () => {
  const folder = await filesWith(USER, PROJECT);
  const [file, work] = [join(folder, 'home/config.toml'), join(folder, 'work')];
  const project = join(work, '.triad/config.toml');
  const parsed: RuleCache = new Map();
  const effects = async () => {
    const { rules, faults } = await readFolderRules(work, { file, isTrusted: async () => true }, parsed);
    return [...rules.map(({ effect }) => effect), ...faults.map(() => 'fault')].join(' ');
  };
  expect(await effects()).toBe('ask allow allow deny');
  expect(await effects()).toBe('ask allow allow deny');
  for (const [path, text, said] of [
    [file, USER.replace('"ask"\n', '"deny"'), 'allow deny fault'],
    [file, USER.replace('"allow"', '"ask"  '), 'ask ask allow deny'],
    [file, USER, 'ask allow allow deny'],
    [project, PROJECT.replace('"deny"', '"asks"'), 'ask allow fault'],
    [project, PROJECT, 'ask allow allow deny'],
    [project, PROJECT.replace('"deny"', '"ask" '), 'ask allow allow ask'],
  ] as const) {
    await writeFile(path, text);
    await utimes(path, 1, 1);
    expect(await effects()).toBe(said);
  }
  await rm(project);
  expect(await effects()).toBe('ask allow');
});

test('without files there are no rules', async () => {
  const folder = await folderWith();
  const found = await readFolderRules(folder, { file: join(folder, 'none.toml'), isTrusted: async () => false });
  expect(found).toEqual({
    trusted: true,
    rules: [],
    alwaysAsk: NO_FILES,
    secretFiles: NO_FILES,
    project: new Map(),
    faults: [],
  });
});

test.for([
  ['effect = "alow"\ntool = "x"', 2, /effect must be deny or ask or allow, not "alow"/],
  ['effect = "deny"', 1, /needs a tool or a permission/],
  ['effect = "deny"\ntool = "x"\npermission = "NetworkAccess"', 1, /needs a tool or a permission, and not both/],
  ['effect = "deny"\ntool = "x"\npatern = "a"', 4, /patern is no key of a rule \(did you mean pattern\?\)/],
  ['effect = "deny"\npermission = "Root"', 3, /permission must be FilesystemRead or/],
  ['effect = "allow"\ntool = "x"\npattern = "../secret"', 4, /pattern must not have "\.\."/],
  ['effect = "allow"\ntool = "x"\npattern = "/etc/**"', 4, /pattern must be relative/],
  ['effect = "deny"\ntool = 5', 3, /tool must be a text, not 5/],
  ['effect = "deny"\n"tool', 3, /is not valid TOML: ./],
] as const)('%s is reported with its line, and no rule of the file applies', ([rule, line, message]) => {
  const text = `[[permissions.rules]]\n${rule}\n`;
  const { rules, faults } = parseRules(text, '/x/config.toml', 'user');
  expect(rules).toEqual([]);
  expect(faults[0]).toMatchObject({ file: '/x/config.toml', line });
  expect(faults[0]?.message).toMatch(message);
});

test('a project cannot choose the mode', () => {
  const { faults } = parseRules('[permissions]\nmode = "auto"\n', '/x/.triad/config.toml', 'project');
  expect(faults[0]?.message).toContain('permissions.mode is not for a project to set');
});

test('other settings of a project apply only while its exact file is trusted', async () => {
  const sets = 'sessions.project = true\n[limits]\nmax_sub_agents = 1\nrun.max_tokens = 5000\n';
  const folder = await filesWith(USER, `${sets}${PROJECT}`);
  const look = (trusted: boolean) =>
    readFolderRules(join(folder, 'work'), { file: join(folder, 'home/config.toml'), isTrusted: async () => trusted });
  const found = await look(true);
  expect(found.faults).toEqual([]);
  expect([...found.project]).toEqual([
    ['sessions.project', true],
    ['limits.max_sub_agents', 1],
    ['limits.run.max_tokens', 5000],
  ]);
  expect(found.rules).toHaveLength(4);
  expect((await look(false)).project.size).toBe(0);
});

test.for([
  ['[models]\ndefault = "opus"', 2, 'models.default is not for a project to set: its file may have permissions.rules'],
  [
    'providers.anthropic.base_url = "http://127.0.0.1:1"',
    1,
    'providers.anthropic.base_url is not for a project to set',
  ],
  ['[[agents]]\nname = "x"', 1, 'agents is not a setting'],
  ['[limits.run]\nmax_token = 5', 2, 'limits.run.max_token is not a setting (did you mean limits.run.max_tokens?)'],
  ['[limits]\nmax_sub_agents = 4', 2, 'limits.max_sub_agents must be at most 3, not 4'],
  ['[permissions]\nalways_ask = ["a"]', 2, 'permissions.always_ask is not for a project to set'],
  ['[permissions]\nmode = "auto"', 2, 'permissions.mode is not for a project to set'],
  ['permissions.mde = 1', 1, 'permissions.mde is not a setting (did you mean permissions.mode?)'],
] as const)('%s is reported in a project file, and nothing of the file applies', async ([text, line, message]) => {
  const folder = await filesWith('', `sessions.project = true\n${text}\n\n${PROJECT}`);
  const file = join(folder, 'home/config.toml');
  const { rules, project, faults } = await readFolderRules(join(folder, 'work'), { file, isTrusted: async () => true });
  expect([rules, project.size]).toEqual([[], 0]);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toMatchObject({ file: join(folder, 'work/.triad/config.toml'), line: line + 1 });
  expect(faults[0]?.message).toContain(message);
});

test('a rule file that is not a regular file is reported', async () => {
  const folder = await folderWith({ 'work/a': '' });
  await symlink(folder, join(folder, 'config.toml'));
  const found = await readFolderRules(join(folder, 'work'), {
    file: join(folder, 'config.toml'),
    isTrusted: async () => true,
  });
  expect(found.faults[0]?.message).toContain('cannot be read');
});

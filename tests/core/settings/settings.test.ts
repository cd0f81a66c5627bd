/** Settings are read strictly and changed key by key, comments kept. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  APPROVAL_TIMEOUT_MS,
  DOOM_LOOP_THRESHOLD,
  INACTIVITY_MS,
  MAX_ITERATIONS,
  MAX_SUB_AGENTS,
  UNATTENDED_WAIT_MINUTES,
} from '#contract/limits.ts';
import {
  checkSettings,
  loadSettings,
  saveMcpServer,
  saveSetting,
  settingPaths,
  settingRows,
} from '#core/settings/settings.ts';
import { folderWith } from '../../support/workspace.ts';
import { settingAt } from '../../support/settings/setting-at.ts';
import { samples } from '../../support/samples.ts';

const textOf = (folder: string) => readFile(join(folder, 'config.toml'), 'utf8');

/** Of one that comes with the program. */
const provider = {
  max_concurrent: null,
  base_url: null,
  auth: null,
  models: {},
  defaults: { model: null, max_tokens: null },
};
const MISSING = 'is missing: write "anthropic" or "openai-chat" or "openai-responses"';

test('every setting has its default without a file', async () => {
  const settings = await loadSettings(await folderWith());
  expect(settings).toEqual({
    models: {
      default: 'sonnet',
      aliases: { sonnet: 'claude-sonnet-5-5', haiku: 'claude-haiku-5-5', opus: 'claude-opus-5-5' },
      enabled: [],
    },
    limits: {
      max_sub_agents: MAX_SUB_AGENTS,
      max_concurrent: 3,
      child_minutes: null,
      run: { max_tokens: null, max_cost_usd: 2, max_minutes: null, max_iterations: 40 },
      workflow: { max_tokens: null, max_cost_usd: 10, max_minutes: null, max_iterations: 100 },
      max_iterations_ceiling: MAX_ITERATIONS,
      doom_loop_threshold: DOOM_LOOP_THRESHOLD,
      unattended_wait_minutes: UNATTENDED_WAIT_MINUTES,
      inactivity_seconds: INACTIVITY_MS / 1000,
      approval_seconds: APPROVAL_TIMEOUT_MS / 1000,
    },
    permissions: { mode: 'manual', rules: [], always_ask: [], secret_files: [] },
    approvals: { on_timeout: 'reject' },
    providers: {
      active: 'anthropic',
      embeddings: null,
      anthropic: { type: 'anthropic', web_search: 'auto', ...provider },
      openai: { type: 'openai-responses', embeddings: { model: null, dimensions: null }, ...provider },
    },
    context: { auto_compact: true, compact_at: 0.8 },
    web: { private_hosts: [], search: { url: null, key_header: null, results: 8, max_uses: 5 } },
    sandbox: { readable: [], env: {}, unix_sockets: false },
    sessions: { project: false },
    history: { filters: {} },
    attention: {
      sound_blocked: false,
      sound_done: false,
      volume: 50,
      notifications: 'blocked',
      repeats: 3,
      away_seconds: 60,
      quiet_from: null,
      quiet_to: null,
    },
    desktop: { tray: 'auto', keep_awake: true, quick_entry: null, spell_check: 'system' },
    mcp: { servers: {} },
    backups: { keep: 10, max_age_days: null, daily: true },
    updates: { check: true },
    telemetry: { endpoint: null, content: false },
    redact: { patterns: [], env: [] },
  });
});

test('reads values of the file from tables and dotted keys', async () => {
  const folder = await folderWith({
    'config.toml': 'models.aliases.opus = "my-opus"\n[limits]\nmax_sub_agents = 1\n',
  });
  const settings = await loadSettings(folder);
  expect(settingAt(settings, 'limits.max_sub_agents')).toBe(1);
  expect(settingAt(settings, 'models.aliases')).toEqual({
    sonnet: 'claude-sonnet-5-5',
    haiku: 'claude-haiku-5-5',
    opus: 'my-opus',
  });
  await expect(saveSetting(folder, 'limits.max_agents', '1')).rejects.toThrow('(did you mean limits.max_sub_agents?)');
  await expect(saveSetting(folder, 'nothing', '1')).rejects.toThrow(
    'nothing is not a setting: "triad config get" shows those that are',
  );
});

test.for([
  ['\n[limits]\n# cap\nmax_sub_agents = 4', 4, 'limits.max_sub_agents', 'must be at most 3, not 4', null],
  ['[limits.run]\nmax_iterations = 0', 2, 'limits.run.max_iterations', 'must be at least 1, not 0', null],
  ['limits.approval_seconds = "5"', 1, 'limits.approval_seconds', 'must be a number, not "5"', null],
  ['[limits.run]\nmax_iterations = 2.5', 2, 'limits.run.max_iterations', 'must be a whole number, not 2.5', null],
  ['limits = 5', 1, 'limits', 'must be a table, not 5', null],
  [
    '[providers]\nactive = "antropic"',
    2,
    'providers.active',
    'is "antropic", which is no provider: use anthropic, openai, demo (did you mean anthropic?)',
    null,
  ],
  [
    'providers.active = "vertex"',
    1,
    'providers.active',
    'is "vertex", which is no provider: use anthropic, openai, demo',
    null,
  ],
  ['[limits]\nmax_subagents = 2', 2, 'limits.max_subagents', 'is not a setting', 'limits.max_sub_agents'],
  ['[models]\nenabld = ["opus"]', 2, 'models.enabld', 'is not a setting', 'models.enabled'],
  ['max_iterations = 2', 1, 'max_iterations', 'is not a setting', 'limits.run.max_iterations'],
  [
    '[providers.mine]\ntype = "openai-chat"\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "x"',
    4,
    'providers.mine.model',
    'is not a setting',
    'providers.mine.defaults.model',
  ],
  [
    '[providers.mine]\ntype = "openai-chat"',
    1,
    'providers.mine.base_url',
    'is missing: write an http or https address',
    null,
  ],
  [
    '[providers.mine]\ntype = "openai-chat"\nbase_url = "http://127.0.0.1:1/v1"\napi_key = "x"',
    4,
    'providers.mine.api_key',
    'is not a setting',
    'providers.mine.auth.api_key',
  ],
  ['[models]\ndefault = ""', 2, 'models.default', 'must not be empty', null],
  [
    '[providers.anthropic]\nbase_url = "ftp://x"',
    2,
    'providers.anthropic.base_url',
    'must be an http or https address',
    null,
  ],
  ['[providers.antropic]\nbase_url = "http://x"', 1, 'providers.antropic.type', MISSING, null],
] as const)('rejects %j with the line and the key', ([text, line, key, message, suggestion]) => {
  const column = expect.any(Number) as number;
  expect(checkSettings(text)).toEqual({ ok: false, problems: [{ line, column, key, message, suggestion }] });
});

test('reports the path and line of invalid TOML or of an invalid value', async () => {
  const broken = await folderWith({ 'config.toml': '[limits]\nmax_sub_agents = = 2\n' });
  await expect(loadSettings(broken)).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringContaining('config.toml:2: is not valid TOML') as string,
  });
  const wrong = await folderWith({ 'config.toml': '[limits]\nmax_sub_agent = 2\n' });
  await expect(loadSettings(wrong)).rejects.toMatchObject({
    message: `${join(wrong, 'config.toml')}:2: limits.max_sub_agent is not a setting (did you mean limits.max_sub_agents?)`,
  });
  const typo = await folderWith({ 'config.toml': '[providers]\nactive = "Demo"\n' });
  await expect(loadSettings(typo)).rejects.toMatchObject({
    message: `${join(typo, 'config.toml')}:2: providers.active is "Demo", which is no provider: use anthropic, openai, demo (did you mean demo?)`,
  });
});

test('a change preserves comments, order and all other keys', async () => {
  const text =
    '# mine\nmodels.default = "opus" # best\n\n[limits]\n# two are enough\n  max_sub_agents = 2   # really\n\n[providers.anthropic]\nmax_concurrent = 1\n';
  const folder = await folderWith({ 'config.toml': text });
  await saveSetting(folder, 'limits.max_sub_agents', 1);
  await saveSetting(folder, 'models.default', 'a "quoted" # name');
  await saveSetting(folder, 'limits.inactivity_seconds', '50');
  await saveSetting(folder, 'models.aliases.haiku', 'small');
  expect(await textOf(folder)).toBe(
    '# mine\nmodels.default = "a \\"quoted\\" # name" # best\n\n[limits]\n# two are enough\n  max_sub_agents = 1   # really\n  inactivity_seconds = 50\n\n[providers.anthropic]\nmax_concurrent = 1\n\n[models.aliases]\nhaiku = "small"\n',
  );
  expect((await stat(join(folder, 'config.toml'))).mode & 0o777).toBe(0o600);
});

test('adds a key after a multi-line value, and replaces a multi-line value', async () => {
  const rules = 'rules = [\n  { effect = "deny", tool = "a # b" }, # mine\n]\n';
  const folder = await folderWith({
    'config.toml': `[permissions]\n${rules}[models]\ndefault = """\nopus""" # best\n`,
  });
  await saveSetting(folder, 'permissions.mode', 'auto');
  await saveSetting(folder, 'models.default', 'haiku');
  expect(await textOf(folder)).toBe(`[permissions]\n${rules}mode = "auto"\n[models]\ndefault = "haiku" # best\n`);
  await saveSetting(folder, 'models.default', null);
  expect(await textOf(folder)).toBe(`[permissions]\n${rules}mode = "auto"\n[models]\n`);
});

test('null removes a key and restores its default', async () => {
  const folder = await folderWith({ 'config.toml': '[limits]\n# c\nmax_sub_agents = 1\n' });
  expect((await saveSetting(folder, 'limits.max_sub_agents', null)).limits.max_sub_agents).toBe(3);
  expect(await textOf(folder)).toBe('[limits]\n# c\n');
  expect((await saveSetting(folder, 'models.default', null)).models.default).toBe('sonnet');
});

/** What stands in the file, the key and its value, and what stands there then. */
const KEPT: readonly (readonly [string, string, string | number | null, string])[] = [
  ['limits = { max_sub_agents = 1 } # b', 'limits.max_sub_agents', 2, 'limits = { max_sub_agents = 2 } # b'],
  ['limits = { run = {} } # b', 'limits.run.max_tokens', 2, 'limits = { run = { max_tokens = 2 } } # b'],
  [
    'limits = { run.max_tokens = 4 } # b',
    'limits.run.max_iterations',
    2,
    'limits = { run.max_tokens = 4, run.max_iterations = 2 } # b',
  ],
  [
    'limits = { max_sub_agents = 1, max_concurrent = 2 } # b',
    'limits.max_concurrent',
    null,
    'limits = { max_sub_agents = 1 } # b',
  ],
  [
    'limits = { # b\n  max_sub_agents = 1, # c\n  max_concurrent = 2\n}',
    'limits.max_sub_agents',
    null,
    'limits = { # b\n  # c\n  max_concurrent = 2\n}',
  ],
  ['limits.max_sub_agents = 1\n# b', 'limits.max_sub_agents', null, '# b'],
  ['# b\n[limits]', 'limits.max_concurrent', null, '# b\n[limits]'],
  ['limits = { max_concurrent = 2 } # b', 'limits.child_minutes', null, 'limits = { max_concurrent = 2 } # b'],
  ['[limits]\r\n# b', 'limits.max_concurrent', 2, '[limits]\r\nmax_concurrent = 2\r\n# b'],
  ['# b', 'models.default', 'a\x7fb', '# b\n\n[models]\ndefault = "a\\u007fb"'],
];

test.for(KEPT)('preserves comments and format: %j and %s = %j', async ([text, path, value, then]) => {
  const end = text.includes('\r') ? '\r\n' : '\n';
  const folder = await folderWith({ 'config.toml': `# mine${end}${text}${end}` });
  const settings = await saveSetting(folder, path, value);
  expect(await textOf(folder)).toBe(`# mine${end}${then}${end}`);
  expect(await loadSettings(folder)).toEqual(settings);
});

test('writes an MCP server into an existing inline table', async () => {
  const servers = 'a = { command = "a" }';
  const folder = await folderWith({ 'config.toml': `# mine\n[mcp]\nservers = { ${servers} } # b\n` });
  const entry = { url: 'http://127.0.0.1:1/' };
  await saveMcpServer(folder, 'b', entry);
  const both = `${servers}, b = { url = "http://127.0.0.1:1/" }`;
  expect(await textOf(folder)).toBe(`# mine\n[mcp]\nservers = { ${both} } # b\n`);
  await saveMcpServer(folder, 'b', null);
  expect(await textOf(folder)).toBe(`# mine\n[mcp]\nservers = { ${servers} } # b\n`);
});

test('rejects a change that would lose comments in a rewrite of the file', async () => {
  const text = `# ${'x'.repeat(300 * 1024)}\n[models]\ndefault = "opus"\n`;
  const folder = await folderWith({ 'config.toml': text });
  await expect(saveSetting(folder, 'models.default', 'haiku')).rejects.toThrow('the loss of its comments');
  expect(await textOf(folder)).toBe(text);
});

test('rejects invalid values, unknown keys and a broken file, and writes nothing', async () => {
  const folder = await folderWith({ 'config.toml': '# keep\n' });
  await expect(saveSetting(folder, 'limits.max_sub_agents', 4)).rejects.toMatchObject({
    message: 'limits.max_sub_agents must be at most 3, not 4',
  });
  await expect(saveSetting(folder, 'limits.max_sub_agents', 'many')).rejects.toMatchObject({
    code: 'bad_input',
  });
  await expect(saveSetting(folder, 'limit.max_sub_agents', 1)).rejects.toMatchObject({
    message: 'limit.max_sub_agents is not a setting (did you mean limits.max_sub_agents?)',
  });
  await expect(saveSetting(folder, 'limits', 1)).rejects.toMatchObject({ code: 'bad_input' });
  const secret = 'http://ada:s3cret@models.example';
  await expect(saveSetting(folder, 'providers.anthropic.base_url', secret)).rejects.toMatchObject({
    message: expect.stringMatching(/base_url must be without a name and password: the key belongs/) as string,
  });
  expect(await textOf(folder)).toBe('# keep\n');
  const broken = await folderWith({ 'config.toml': '[limits' });
  await expect(saveSetting(broken, 'limits.max_sub_agents', 1)).rejects.toMatchObject({ code: 'bad_input' });
  expect(await textOf(broken)).toBe('[limits');
});

test('reads back all saved values in any order of changes', async () => {
  const numbers = settingPaths().filter((path) => path.startsWith('limits.'));
  const change = fc.oneof(
    fc.record({ path: fc.constantFrom(...numbers), value: fc.integer({ min: 2, max: 3 }) }),
    fc.record({
      path: fc.constantFrom('models.default', 'models.aliases.opus', 'models.aliases.haiku'),
      value: fc.string({ minLength: 1, maxLength: 20 }).filter((text) => text.isWellFormed()),
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 8 }), async (changes) => {
      const folder = await folderWith({ 'config.toml': '# first\n[models] # here\n' });
      const last = new Map<string, string | number>();
      for (const { path, value } of changes) {
        await saveSetting(folder, path, value);
        last.set(path, value);
      }
      const settings = await loadSettings(folder);
      for (const [path, value] of last) expect(settingAt(settings, path)).toBe(value);
      expect(await textOf(folder)).toContain('# first\n[models] # here');
    }),
    samples(4, 100),
  );
});

test('each key has a row with all fields that a form needs', async () => {
  const folder = await folderWith({ 'config.toml': '[limits]\nmax_sub_agents = 1\n' });
  const rows = settingRows(await loadSettings(folder));
  expect(rows.map(({ path }) => path)).toEqual(settingPaths());
  for (const { description } of rows) expect(description).toMatch(/^[A-Z].*\.$/);
  const row = (path: string) => rows.find((one) => one.path === path);
  expect(row('limits.max_sub_agents')).toMatchObject({
    kind: 'integer',
    value: 1,
    default: MAX_SUB_AGENTS,
    min: 1,
    max: MAX_SUB_AGENTS,
    choices: null,
  });
  expect(row('providers.active')).toMatchObject({
    kind: 'text',
    value: 'anthropic',
    choices: null,
  });
  expect(row('providers.anthropic.base_url')).toMatchObject({
    kind: 'text',
    value: null,
    default: null,
    min: null,
    max: null,
  });
  expect(row('limits.run.max_cost_usd')).toMatchObject({ kind: 'number', value: 2 });
});

test.for([
  ['limits.run.max_tokens', '5000', 5000],
  ['limits.run.max_cost_usd', '0.25', 0.25],
  ['providers.anthropic.max_concurrent', ' 2 ', 2],
  ['models.default', '42', '42'],
] as const)('converts the text of %s to the type of the key', async ([path, text, value]) => {
  expect(settingAt(await saveSetting(await folderWith(), path, text), path)).toBe(value);
});

/** Settings are read strictly and changed key by key, comments kept. */
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
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
import { editToml } from '#core/settings/edit-toml.ts';
import { checkSettings, settingPaths, settingRows } from '#core/settings/settings.ts';
import { mustFit } from '#core/settings/toml-file.ts';
import { Script } from '../../support/fake-model/script.ts';
import { settingAt } from '../../support/settings/setting-at.ts';
import { settingsOf } from '../../support/settings/settings-of.ts';
import { sharedEngine } from '../../support/shared-engine.ts';
import { samples } from '../../support/samples.ts';

const shared = sharedEngine();
const file = join(shared.configFolder, 'config.toml');

/** Writes the settings file; the returned function changes a setting in it and returns the new value. */
async function withFile(text: string) {
  const { runtime } = await shared.start(new Script());
  await writeFile(file, text);
  return async (path: string, value: string | number | null) => {
    const rows = await runtime.request('settings.set', { path, value });
    return rows.find((row) => row.path === path)?.value;
  };
}

/** Sets keys in the text one after the other. */
function edited(text: string, ...changes: (readonly [path: string, value: unknown])[]): string {
  for (const [path, value] of changes) text = editToml(text, { kind: 'set', path: path.split('.'), value }) ?? '';
  return text;
}

/** Of one that comes with the program. */
const provider = {
  max_concurrent: null,
  base_url: null,
  auth: null,
  models: {},
  defaults: { model: null, max_tokens: null },
};
const MISSING = 'is missing: write "anthropic" or "openai-chat" or "openai-responses"';

test('every setting has its default without a file', () => {
  expect(settingsOf('')).toEqual({
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
  const text = 'models.aliases.opus = "my-opus"\n[limits]\nmax_sub_agents = 1\n';
  const settings = settingsOf(text);
  expect(settingAt(settings, 'limits.max_sub_agents')).toBe(1);
  expect(settingAt(settings, 'models.aliases')).toEqual({
    sonnet: 'claude-sonnet-5-5',
    haiku: 'claude-haiku-5-5',
    opus: 'my-opus',
  });
  const set = await withFile(text);
  await expect(set('limits.max_agents', '1')).rejects.toThrow('(did you mean limits.max_sub_agents?)');
  await expect(set('nothing', '1')).rejects.toThrow(
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

test('reports the path and line of invalid TOML or of an invalid value', () => {
  const check = (text: string) => () => mustFit(checkSettings(text), file);
  expect(check('[limits]\nmax_sub_agents = = 2\n')).toThrow(
    expect.objectContaining({
      code: 'bad_input',
      message: expect.stringContaining('config.toml:2: is not valid TOML') as string,
    }),
  );
  expect(check('[limits]\nmax_sub_agent = 2\n')).toThrow(
    `${file}:2: limits.max_sub_agent is not a setting (did you mean limits.max_sub_agents?)`,
  );
  expect(check('[providers]\nactive = "Demo"\n')).toThrow(
    `${file}:2: providers.active is "Demo", which is no provider: use anthropic, openai, demo (did you mean demo?)`,
  );
});

test('a change preserves comments, order and all other keys', () => {
  const text =
    '# mine\nmodels.default = "opus" # best\n\n[limits]\n# two are enough\n  max_sub_agents = 2   # really\n\n[providers.anthropic]\nmax_concurrent = 1\n';
  const then = edited(
    text,
    ['limits.max_sub_agents', 1],
    ['models.default', 'a "quoted" # name'],
    ['limits.inactivity_seconds', 50],
    ['models.aliases.haiku', 'small'],
  );
  expect(then).toBe(
    '# mine\nmodels.default = "a \\"quoted\\" # name" # best\n\n[limits]\n# two are enough\n  max_sub_agents = 1   # really\n  inactivity_seconds = 50\n\n[providers.anthropic]\nmax_concurrent = 1\n\n[models.aliases]\nhaiku = "small"\n',
  );
});

test('adds a key after a multi-line value, and replaces a multi-line value', () => {
  const rules = 'rules = [\n  { effect = "deny", tool = "a # b" }, # mine\n]\n';
  const text = `[permissions]\n${rules}[models]\ndefault = """\nopus""" # best\n`;
  const then = edited(text, ['permissions.mode', 'auto'], ['models.default', 'haiku']);
  expect(then).toBe(`[permissions]\n${rules}mode = "auto"\n[models]\ndefault = "haiku" # best\n`);
  expect(edited(then, ['models.default', null])).toBe(`[permissions]\n${rules}mode = "auto"\n[models]\n`);
});

test('null removes a key and restores its default', async () => {
  const set = await withFile('[limits]\n# c\nmax_sub_agents = 1\n');
  await chmod(file, 0o640);
  expect(await set('limits.max_sub_agents', null)).toBe(3);
  expect(await readFile(file, 'utf8')).toBe('[limits]\n# c\n');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await set('models.default', null)).toBe('sonnet');
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

test.for(KEPT)('preserves comments and format: %j and %s = %j', ([text, path, value, then]) => {
  const end = text.includes('\r') ? '\r\n' : '\n';
  const next = edited(`# mine${end}${text}${end}`, [path, value]);
  expect(next).toBe(`# mine${end}${then}${end}`);
  expect(checkSettings(next)).toMatchObject({ ok: true });
});

test('writes an MCP server into an existing inline table', () => {
  const servers = 'a = { command = "a" }';
  const text = `# mine\n[mcp]\nservers = { ${servers} } # b\n`;
  const both = `${servers}, b = { url = "http://127.0.0.1:1/" }`;
  const then = edited(text, ['mcp.servers.b', { url: 'http://127.0.0.1:1/' }]);
  expect(then).toBe(`# mine\n[mcp]\nservers = { ${both} } # b\n`);
  expect(edited(then, ['mcp.servers.b', null])).toBe(text);
});

test('rejects a change that would lose comments in a rewrite of the file', async () => {
  const text = `# ${'x'.repeat(300 * 1024)}\n[models]\ndefault = "opus"\n`;
  const set = await withFile(text);
  await expect(set('models.default', 'haiku')).rejects.toThrow('the loss of its comments');
  expect(await readFile(file, 'utf8')).toBe(text);
});

test('rejects invalid values, unknown keys and a broken file, and writes nothing', async () => {
  const set = await withFile('# keep\n');
  await expect(set('limits.max_sub_agents', 4)).rejects.toMatchObject({
    message: 'limits.max_sub_agents must be at most 3, not 4',
  });
  await expect(set('limits.max_sub_agents', 'many')).rejects.toMatchObject({ code: 'bad_input' });
  await expect(set('limit.max_sub_agents', 1)).rejects.toMatchObject({
    message: 'limit.max_sub_agents is not a setting (did you mean limits.max_sub_agents?)',
  });
  await expect(set('limits', 1)).rejects.toMatchObject({ code: 'bad_input' });
  expect(await readFile(file, 'utf8')).toBe('# keep\n');
  await writeFile(file, '[limits');
  await expect(set('limits.max_sub_agents', 1)).rejects.toMatchObject({ code: 'bad_input' });
  expect(await readFile(file, 'utf8')).toBe('[limits');
});

test('reads back all saved values in any order of changes', () => {
  const numbers = settingPaths().filter((path) => path.startsWith('limits.'));
  const change = fc.oneof(
    fc.record({ path: fc.constantFrom(...numbers), value: fc.integer({ min: 2, max: 3 }) }),
    fc.record({
      path: fc.constantFrom('models.default', 'models.aliases.opus', 'models.aliases.haiku'),
      value: fc.string({ minLength: 1, maxLength: 20 }).filter((text) => text.isWellFormed()),
    }),
  );
  fc.assert(
    fc.property(fc.array(change, { maxLength: 8 }), (changes) => {
      const sets = changes.map(({ path, value }) => [path, value] as const);
      const text = edited('# first\n[models] # here\n', ...sets);
      const settings = settingsOf(text);
      for (const [path, value] of new Map<string, string | number>(sets)) expect(settingAt(settings, path)).toBe(value);
      expect(text).toContain('# first\n[models] # here');
    }),
    samples(4, 100),
  );
});

test('each key has a row with all fields that a form needs', () => {
  const rows = settingRows(settingsOf('[limits]\nmax_sub_agents = 1\n'));
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
  const set = await withFile('');
  expect(await set(path, text)).toBe(value);
});

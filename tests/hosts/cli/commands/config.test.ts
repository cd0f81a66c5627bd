/** `triad config`: values by path, changes through the program, and a file that is checked line by line. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ProviderState } from '#contract/providers/provider.ts';
import type { ExplainedSetting } from '#contract/settings/setting-methods.ts';
import type { SettingRow } from '#contract/view.ts';
import { TriadError } from '#core/base/errors.ts';
import { appStateOf, providerState } from '../../../support/providers/app-state.ts';
import { memoryClient } from '../../support/memory-client.ts';
import { commandLine } from '../../support/memory-io.ts';
import { plainAnswer } from '../../../support/fake-model/scenarios.ts';
import { inProcess } from '../../support/engine.ts';
import { machine } from '../../support/process.ts';
import { inFullRun } from '../../../support/samples.ts';

const row = (rest: Partial<SettingRow>): SettingRow => ({
  path: 'limits.max_concurrent',
  kind: 'integer',
  description: 'At the same time.',
  value: 3,
  default: 3,
  min: 1,
  max: 3,
  choices: null,
  ...rest,
});
const rows = () => [
  row({}),
  row({
    path: 'models.default',
    kind: 'text',
    description: 'Which model.',
    value: 'opus',
    default: 'sonnet',
  }),
  row({
    path: 'providers.active',
    kind: 'choice',
    description: 'Who answers.',
    min: null,
    max: null,
    value: 'demo',
    default: 'demo',
    choices: ['anthropic', 'demo'],
  }),
];

const explained = (): ExplainedSetting[] => rows().map((one) => ({ ...one, origin: { from: 'default' }, others: [] }));

async function triad(args: string[], env = {}, folder?: string) {
  const client = memoryClient({
    'settings.explain': ({ path = '' }) => {
      const found = explained().filter((one) => path === '' || one.path === path || one.path.startsWith(`${path}.`));
      if (found.length === 0) throw new TriadError('bad_input', `${path} is not a setting`);
      return found;
    },
    'settings.set': ({ path, value }) => rows().map((one) => (one.path === path ? { ...one, value } : one)),
  });
  const setup = { env, ...(folder === undefined ? {} : { folder }) };
  const printed = await commandLine(client, setup)('config', ...args);
  const set = client.requests.filter(({ method }) => method === 'settings.set').map(({ input }) => input);
  return { ...printed, set };
}

test('stores a search key from standard input for its host, and removes it', async () => {
  const keep = async (args: string[], stdin: string | null) => {
    const state = { host: 'example.org', place: 'a file' };
    const client = memoryClient({
      'search.set-key': ({ apiKey }) => ({ ...state, keyOf: apiKey === '' ? null : state.host }),
    });
    const { code, err } = await commandLine(client, { stdin })('config', 'key', ...args);
    return { code, err, inputs: client.requests.map(({ input }) => input) };
  };
  expect(await keep(['web_search'], 's3cret\n')).toEqual({
    code: 0,
    err: 'The key is kept in a file and sent to example.org only.\n',
    inputs: [{ apiKey: 's3cret' }],
  });
  expect(await keep(['web_search', '--remove'], null)).toMatchObject({ code: 0, inputs: [{ apiKey: '' }] });
  expect(await keep(['web_search'], null)).toMatchObject({
    code: 2,
    inputs: [],
    err: expect.stringContaining('Pipe the key in') as unknown,
  });
  expect(await keep(['web_search'], ' \n')).toMatchObject({
    code: 2,
    inputs: [],
    err: expect.stringContaining('There is no key in it') as unknown,
  });
});

test('stores the key of a provider for its address, and reports an environment variable that overrides it', async () => {
  const keep = async (args: string[], stdin: string | null, keySource: ProviderState['keySource'] = 'store') => {
    const ollama = providerState({ name: 'ollama', address: 'http://10.0.0.2/v1', keyEnv: 'OLLAMA_KEY', keySource });
    const client = memoryClient({ 'provider.set': () => appStateOf({ providers: [providerState(), ollama] }) });
    const { code, err } = await commandLine(client, { stdin })('config', 'key', 'ollama', ...args);
    return { code, err, inputs: client.requests.map(({ input }) => input) };
  };
  const kept = 'The key is kept in nowhere and sent to http://10.0.0.2/v1 only.';
  expect(await keep([], 's3cret\n')).toEqual({
    code: 0,
    err: `${kept}\n`,
    inputs: [{ name: 'ollama', apiKey: 's3cret' }],
  });
  expect((await keep([], 's3cret', 'environment')).err).toBe(`${kept} The one in OLLAMA_KEY goes before it.\n`);
  expect(await keep(['--remove'], null, 'none')).toEqual({
    code: 0,
    err: 'No key of ollama is kept from now on.\n',
    inputs: [{ name: 'ollama', apiKey: '' }],
  });
  for (const ofStore of [['--user', 'ada'], ['--token']])
    expect(await keep(ofStore, 's3cret\n')).toMatchObject({ code: 2, inputs: [] });
});

test('get prints one value alone, and a group or all settings as a table', async () => {
  expect(await triad(['get', 'models.default'])).toMatchObject({ code: 0, out: 'opus\n' });
  expect((await triad(['get', 'limits'])).out).toBe(
    'SETTING                VALUE  WHAT IT IS\nlimits.max_concurrent  3      At the same time.\n',
  );
  expect((await triad(['get'])).out).toContain('models.default         opus *  Which model.\n');
  expect(JSON.parse((await triad(['get', '--json'])).out)).toEqual(rows());
});

test('set converts the value to the type of the setting, and restores the default without a value', async () => {
  const number = await triad(['set', 'limits.max_concurrent', '2']);
  expect(number).toMatchObject({ code: 0, err: 'limits.max_concurrent is 2 from now on.\n' });
  expect(number.set).toEqual([{ path: 'limits.max_concurrent', value: 2 }]);
  expect((await triad(['set', 'models.default', '2'])).set).toEqual([{ path: 'models.default', value: '2' }]);
  expect((await triad(['set', 'models.default'])).set).toEqual([{ path: 'models.default', value: null }]);
});

test('rejects an unknown path or a wrong value in one line, and changes nothing', async () => {
  expect(await triad(['set', 'limits.max_concurent', '2'])).toEqual({
    code: 2,
    out: '',
    set: [],
    err: 'triad: limits.max_concurent is not a setting\n',
  });
  expect(await triad(['set', 'limits.max_concurrent', 'two'])).toMatchObject({
    code: 2,
    set: [],
    err: 'triad: limits.max_concurrent is a number, not "two"\n',
  });
  expect(await triad(['set', 'providers.active', 'foo'])).toMatchObject({
    code: 2,
    set: [],
    err: 'triad: providers.active must be anthropic or demo, not "foo"\n',
  });
  expect((await triad(['get', 'nothing.like.it'])).code).toBe(2);
});

test('set and get reject a list and name its file, and set rejects a group', async () => {
  const home = await machine(plainAnswer());
  const here = inProcess(home, 'kept');
  const file = join(home.home, 'config.toml');
  for (const list of ['permissions.always_ask', 'permissions.rules', 'mcp.servers'])
    for (const args of [
      ['set', list, 'x'],
      ['set', `${list}.0`, 'x'],
      ['get', list],
    ])
      expect(await here(['config', ...args])).toMatchObject({
        code: 2,
        out: '',
        err: `triad: ${list} is a list: it is written in ${file}\n`,
      });
  expect(await here(['config', 'set', 'limits.run', '3'])).toMatchObject({
    code: 2,
    err: 'triad: limits.run is a group of settings: see "triad config get limits.run"\n',
  });
});

test('rejects a provider key on the command line, where other programs can read it', async () => {
  for (const key of ['auth.api_key', 'api_key'])
    expect(await triad(['set', `providers.local.${key}`, 's3cret-s3cret'])).toMatchObject({
      code: 2,
      set: [],
      err: expect.stringMatching(
        /"triad config key local" keeps it where no file shows it; providers\.local\.auth\.api_key\.env names/,
      ) as unknown,
    });
});

test('rejects a single setting of a provider that does not exist, and tells to add the provider', async () => {
  const here = inProcess(await machine(plainAnswer()), 'kept');
  for (const [key, value] of [
    ['type', 'openai-chat'],
    ['base_url', 'http://127.0.0.1:1/v1'],
    ['models."a:1b".context_window', '8192'],
  ] as const)
    expect((await here(['config', 'set', `providers.mine.${key}`, value])).err).toContain(
      'There is no provider "mine", but anthropic, openai: add it',
    );
});

test('set warns if an environment variable overrides the new value', async () => {
  const here = inProcess(await machine(plainAnswer()), 'kept');
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
  expect((await here(['config', 'set', 'telemetry.endpoint', 'http://127.0.0.1:8'], '', { env })).err).toBe(
    'telemetry.endpoint is http://127.0.0.1:8 in your file, which does not hold here: OTEL_EXPORTER_OTLP_ENDPOINT goes before it.\n',
  );
});

test('set without a value clears a setting that has no default', async () => {
  const here = inProcess(await machine(plainAnswer()), 'kept');
  expect((await here(['config', 'set', 'limits.child_minutes', '5'])).err).toBe(
    'limits.child_minutes is 5 from now on.\n',
  );
  expect((await here(['config', 'set', 'limits.child_minutes'])).err).toBe(
    'limits.child_minutes is not set from now on.\n',
  );
});

test('prices prints each price with its list and date, and the models in use without a price', async () => {
  const home = await machine(plainAnswer());
  const here = inProcess(home, 'memory');
  await writeFile(join(home.home, 'config.toml'), '[models]\ndefault = "llama3.2:1b"\naliases.opus = "mistral"\n');
  const before = await here(['config', 'prices']);
  expect(before.out).toMatch(/^claude-sonnet-5-5 .* built-in \d{4}-\d\d-\d\d$/m);
  expect(before.out).toMatch(/^llama3\.2:1b +unknown .* no list$/m);
  expect(before.err).toContain('with an unknown price (llama3.2:1b, mistral)');
  expect(before.err).toContain(`list them in ${join(home.home, 'prices.toml')}.`);
  const own =
    'version = "2027-02-03"\n[models."llama3.2:1b"]\ninput = 0\noutput = 0.25\n[models.mistral]\ninput = 0\noutput = 0\n';
  await writeFile(join(home.home, 'prices.toml'), own);
  const after = await here(['config', 'prices']);
  expect(after.out).toMatch(/^llama3\.2:1b +0 +0\.25 +unknown .* prices\.toml 2027-02-03$/m);
  expect(after.err).toBe('');
  expect(JSON.parse((await here(['config', 'prices', '--json'])).out)).toMatchObject({
    file: join(home.home, 'prices.toml'),
    unpriced: [],
  });
});

test('an invalid price file prevents the start, and validate and doctor report its line', async () => {
  const home = await machine(plainAnswer());
  const here = inProcess(home, 'memory');
  const file = join(home.home, 'prices.toml');
  await writeFile(file, 'version = "2027-02-03"\n[models.m]\ninputs = 1\n');
  const line = `${file}:3: models.m.inputs is not a price or a key of this file`;
  expect(await here(['config', 'prices'])).toMatchObject({
    code: 2,
    err: `triad: ${line} (did you mean models.m.input?); run "triad config validate"\n`,
  });
  expect(await here(['config', 'validate'])).toMatchObject({
    code: 1,
    out: expect.stringContaining(
      `${file}:3:1: models.m.inputs is not a price or a key of this file; to do: write models.m.input\n`,
    ) as unknown,
  });
  if (!inFullRun) return;
  expect((await here(['doctor'])).out).toContain(
    `problem prices: ${line}; to do: write models.m.input; "triad check" lists all`,
  );
  await writeFile(file, 'version');
  expect((await here(['doctor'])).out).toContain(`problem prices: ${file}:1: is not valid TOML: `);
});

test('set and get take a path with any of its parts in quotes', async () => {
  const home = await machine(plainAnswer());
  const run = inProcess(home, 'memory');
  for (const [path, value] of [
    ['limits."max_concurrent"', '2'],
    [`'limits'.max_concurrent`, '1'],
    ['"limits"."max_concurrent"', '2'],
  ] as const) {
    expect(await run(['config', 'set', path, value])).toMatchObject({
      code: 0,
      err: `limits.max_concurrent is ${value} from now on.\n`,
    });
    expect(await run(['config', 'get', path])).toMatchObject({ code: 0, out: `${value}\n` });
  }
  expect((await run(['config', 'get', '"limits"'])).out).toContain('limits.max_concurrent');
  expect(await run(['config', 'set', 'agents."worker".model', 'opus'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('"worker" comes with Triad') as unknown,
  });
  expect((await run(['config', 'get', 'agents."worker".role'])).out).toBe('subagent\n');
});

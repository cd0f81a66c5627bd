/** Which models may be used: by the settings, and by the list that an endpoint gave. */
import { expect, test } from 'vitest';
import { sentenceOf } from '#contract/approvals/phrases.ts';
import { ModelLists } from '#core/model/model-lists.ts';
import { ModelRules } from '#core/model/model-rules.ts';
import { settingsOf } from '../../support/compose.ts';

const URL = 'http://127.0.0.1:9';

async function rulesOf({ toml = '', listed }: { toml?: string; listed?: string[] }): Promise<ModelRules> {
  const lists = new ModelLists();
  if (listed) await lists.keep(URL, { models: listed });
  return new ModelRules({ settings: settingsOf(toml), lists, environment: { baseUrl: `${URL}/` } });
}

const ENABLED = 'models.enabled = ["sonnet", "my-model-1"]\n';

test.for([
  ['sonnet', 'claude-sonnet-5-5'],
  ['SONNET', 'claude-sonnet-5-5'],
  ['claude-sonnet-5-5', 'claude-sonnet-5-5'],
  ['my-model-1', 'my-model-1'],
  ['opus', null, 'opus (claude-opus-5-5) is not enabled: models.enabled has sonnet, my-model-1'],
  ['my-model-2', null, 'my-model-2 is not enabled: models.enabled has sonnet, my-model-1 (did you mean my-model-1?)'],
  ['other', null, 'other is not enabled: models.enabled has sonnet, my-model-1'],
  ['two words', null, '"two words" is not a model: use the id of a model of anthropic'],
] as const)('models.enabled allows or rejects the model %s', async ([name, id, words = '']) => {
  const rules = await rulesOf({ toml: ENABLED });
  if (id !== null) return expect(rules.idFor('anthropic', name)).toBe(id);
  expect(() => rules.idFor('anthropic', name)).toThrow(words);
});

test('models configured for a provider are enabled, even if models.enabled and the list of the endpoint lack them', async () => {
  const own =
    '[providers.anthropic]\ndefaults.model = "mine-1"\n[providers.anthropic.models."mine-2"]\nmax_output = 9\n';
  const rules = await rulesOf({ toml: ENABLED + own, listed: ['claude-sonnet-5-5'] });
  expect(['mine-1', 'mine-2'].map((name) => rules.idFor('anthropic', name))).toEqual(['mine-1', 'mine-2']);
  expect(() => rules.idFor('anthropic', 'mine-3')).toThrow('mine-3 is not enabled');
});

test('explains that a temperature has no effect at an endpoint of the environment, and which setting helps', async () => {
  const rules = await rulesOf({});
  const said = sentenceOf(rules.temperatureFault()!);
  expect(said).toContain(`changes nothing at ${URL}: it is sent only to a server on this machine`);
  expect(said).toContain('that providers.anthropic.base_url names');
});

const LISTED = ['claude-sonnet-5-5-20260101', 'claude-opus-5-5', 'llama3.2:latest', 'vendor/*', 'pinned-20250101'];
test.for([
  ['claude-sonnet-5-5', true],
  ['sonnet', true],
  ['claude-sonnet-5-5-20260101', true],
  ['claude-sonnet-5-5-20250101', false],
  ['claude-opus-5-5-20260101', true],
  ['claude-sonnet-5-5-latest', true],
  ['llama3.2', true],
  ['llama3.2:1b', false],
  ['vendor/any-9', true],
  ['haiku', false],
  ['Claude-Opus-5-5', true],
  ['models/claude-opus-5-5', true],
  ['claude-opus-5-5:nitro', true],
  ['claude-opus-5-5:32b', false],
] as const)('with a list of the endpoint, the model %s is listed: %s', async ([name, isFine]) => {
  const rules = await rulesOf({ listed: LISTED });
  const fault = rules.faultOf(name);
  expect(fault === null).toBe(isFine);
  if (!isFine)
    expect(fault).toMatchObject({
      kind: 'unlisted',
      what: expect.stringContaining(`the list of ${URL} of 2`) as string,
    });
});

test('an unlisted model passes with a warning that has the nearest listed name', async () => {
  const rules = await rulesOf({ listed: ['llama3.2:1b', 'claude-haiku-5-5'] });
  expect(rules.idFor('anthropic', 'llama3.1:1b')).toBe('llama3.1:1b');
  expect(rules.faultOf('llama3.1:1b')).toMatchObject({
    suggestion: 'llama3.2:1b',
    what: expect.stringMatching(
      /^llama3\.1:1b is not in the list of .*, which has llama3\.2:1b, claude-haiku-5-5$/,
    ) as string,
  });
  expect(rules.faultOf('haiku-5')?.suggestion).toBe('haiku');
});

test('without a list of the endpoint an id passes unchecked, and an alias passes without a warning', async () => {
  const rules = await rulesOf({});
  expect(rules.idFor('anthropic', 'llama3.1:1b')).toBe('llama3.1:1b');
  expect(rules.faultOf('llama3.1:1b')).toMatchObject({ kind: 'unchecked', suggestion: null });
  expect(rules.faultOf('sonnet')).toBeNull();
  const lists = new ModelLists();
  await lists.keep('http://127.0.0.1:10', { models: ['a-1'] });
  const elsewhere = new ModelRules({ settings: settingsOf(''), lists, environment: { baseUrl: URL } });
  expect(elsewhere.idFor('anthropic', 'b-1')).toBe('b-1');
});

test('the demo provider always uses the demo model, whatever is enabled or listed', async () => {
  const rules = await rulesOf({ toml: `${ENABLED}providers.active = "demo"\n`, listed: ['a-1'] });
  expect([rules.idFor('demo', 'opus'), rules.faultOf('opus')]).toEqual(['demo', null]);
});

test('offers the default aliases, or the enabled models', async () => {
  expect((await rulesOf({})).offered('anthropic').map(({ alias }) => alias)).toEqual(['sonnet', 'haiku', 'opus']);
  expect((await rulesOf({ toml: ENABLED })).offered('anthropic')).toEqual([
    { alias: 'sonnet', id: 'claude-sonnet-5-5' },
    { alias: 'my-model-1', id: 'my-model-1' },
  ]);
});

const OPENAI = '[providers.local]\ntype = "openai-chat"\nbase_url = "http://127.0.0.1:9"\n';
test.for<[name: string, listed: string[], id: string]>([
  ['sonnet', ['claude-sonnet-5-5', 'claude-sonnet-6'], 'claude-sonnet-5-5'],
  ['sonnet', ['claude-sonnet-4-5', 'claude-sonnet-5', 'claude-haiku-5-5'], 'claude-sonnet-5'],
  ['SONNET', ['claude-3-5-sonnet-20241022', 'claude-3-7-sonnet-20250219', 'x-1'], 'claude-3-7-sonnet-20250219'],
  ['opus', ['anthropic/claude-opus-4.6', 'anthropic/claude-opus-4.6:thinking', 'x-1'], 'anthropic/claude-opus-4.6'],
  ['sonnet', ['Qwen3-32B'], 'Qwen3-32B'],
  ['haiku', ['claude-sonnet-5', 'claude-opus-5'], 'claude-haiku-5-5'],
  ['haiku', ['vendor/*'], 'claude-haiku-5-5'],
  ['qwen3-32b', ['Qwen3-32B', 'x-1'], 'Qwen3-32B'],
  ['gemini-3-pro', ['models/gemini-3-pro', 'x-1'], 'models/gemini-3-pro'],
  ['qwen/qwen3-coder:nitro', ['qwen/qwen3-coder'], 'qwen/qwen3-coder:nitro'],
  ['qwen3:32b', ['qwen3:8b', 'qwen3:32b'], 'qwen3:32b'],
])('requests the model %s from an endpoint with the list %j as %s', async ([name, listed, id]) => {
  const rules = await rulesOf({ listed, toml: OPENAI });
  for (const provider of ['anthropic', 'local']) {
    expect(rules.idFor(provider, name)).toBe(id);
    // An id that was resolved stays the same.
    expect(rules.idFor(provider, id)).toBe(id);
  }
});

test('without a default model, an OpenAI endpoint with one model uses that model, and one with several fails', async () => {
  expect((await rulesOf({ toml: OPENAI, listed: ['Qwen3-32B'] })).idFor('local', null)).toBe('Qwen3-32B');
  const several = await rulesOf({ toml: OPENAI, listed: ['a-1', 'b-1'] });
  expect(() => several.idFor('local', null)).toThrow('local has no model for agents that name none');
});

test('offers listed models after the aliases available at the endpoint', async () => {
  const listed = ['claude-sonnet-5', 'mistral', 'vendor/*'];
  expect((await rulesOf({ listed })).offered('anthropic')).toEqual([
    { alias: 'sonnet', id: 'claude-sonnet-5' },
    { alias: 'mistral', id: 'mistral' },
  ]);
  const enabled = await rulesOf({ toml: 'models.enabled = ["sonnet"]\n', listed });
  expect(enabled.offered('anthropic')).toEqual([{ alias: 'sonnet', id: 'claude-sonnet-5' }]);
});

test('models.enabled refuses a listed model, whatever its alias resolves to', async () => {
  const listed = ['claude-sonnet-5', 'claude-opus-5'];
  const rules = await rulesOf({ toml: 'models.enabled = ["sonnet"]\n', listed });
  expect(rules.idFor('anthropic', 'sonnet')).toBe('claude-sonnet-5');
  expect(() => rules.idFor('anthropic', 'opus')).toThrow('opus (claude-opus-5) is not enabled');
  expect(() => rules.idFor('anthropic', 'claude-opus-5')).toThrow('claude-opus-5 is not enabled');
});

test.for([
  ['anthropic', 'claude-sonnet-5-5', 32_000],
  ['anthropic', 'some-model-1', 8192],
  ['local', 'small-1', 4096],
  ['local', 'Qwen3-32B', 8192],
  ['set', 'claude-sonnet-5-5', 9000],
] as const)('the default output limit at provider %s for model %s is %i', async ([provider, model, limit]) => {
  const table = '[providers.local.models.small-1]\nmax_output = 4096\n';
  const set = '[providers.set]\ntype = "anthropic"\nbase_url = "http://127.0.0.1:9"\ndefaults.max_tokens = 9000\n';
  expect((await rulesOf({ toml: OPENAI + table + set })).maxTokens(provider, model)).toBe(limit);
});

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
  ['other', null, '"other" is not a model: use one of sonnet, haiku, opus'],
] as const)('with models.enabled, %s', async ([name, id, words = '']) => {
  const rules = await rulesOf({ toml: ENABLED });
  if (id !== null) return expect(rules.idFor('anthropic', name)).toBe(id);
  expect(() => rules.idFor('anthropic', name)).toThrow(words);
});

test('what the person wrote down for a provider is enabled, and there', async () => {
  const own =
    '[providers.anthropic]\ndefaults.model = "mine-1"\n[providers.anthropic.models."mine-2"]\nmax_output = 9\n';
  const rules = await rulesOf({ toml: ENABLED + own, listed: ['claude-sonnet-5-5'] });
  expect(['mine-1', 'mine-2'].map((name) => rules.idFor('anthropic', name))).toEqual(['mine-1', 'mine-2']);
  expect(() => rules.idFor('anthropic', 'mine-3')).toThrow('mine-3 is not enabled');
});

test('a temperature for a server of the environment on this machine changes nothing, and the setting that would change that is named', async () => {
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
] as const)('with a list of the endpoint, %s may be used: %s', async ([name, isFine]) => {
  const rules = await rulesOf({ listed: LISTED });
  const fault = rules.faultOf(name);
  expect(fault === null).toBe(isFine);
  if (!isFine)
    expect(fault).toMatchObject({ isFatal: true, what: expect.stringContaining(`the list of ${URL} of 2`) as string });
});

test('what is outside of the list is named with the nearest name in it, and how the list is had anew', async () => {
  const rules = await rulesOf({ listed: ['llama3.2:1b', 'claude-haiku-5-5'] });
  expect(() => rules.idFor('anthropic', 'llama3.1:1b')).toThrow(
    /^The model llama3\.1:1b is not in the list of .*, which has llama3\.2:1b, claude-haiku-5-5; "triad doctor" asks for it anew \(did you mean llama3\.2:1b\?\)$/,
  );
  expect(rules.faultOf('haiku-5')?.suggestion).toBe('haiku');
});

test('without a list an id passes, with a word; an alias needs none; the list of another endpoint says nothing', async () => {
  const rules = await rulesOf({});
  expect(rules.idFor('anthropic', 'llama3.1:1b')).toBe('llama3.1:1b');
  expect(rules.faultOf('llama3.1:1b')).toMatchObject({ isFatal: false, suggestion: null });
  expect(rules.faultOf('sonnet')).toBeNull();
  const lists = new ModelLists();
  await lists.keep('http://127.0.0.1:10', { models: ['a-1'] });
  const elsewhere = new ModelRules({ settings: settingsOf(''), lists, environment: { baseUrl: URL } });
  expect(elsewhere.idFor('anthropic', 'b-1')).toBe('b-1');
});

test('the demo has one model, whatever is enabled or listed', async () => {
  const rules = await rulesOf({ toml: `${ENABLED}providers.active = "demo"\n`, listed: ['a-1'] });
  expect([rules.idFor('demo', 'opus'), rules.faultOf('opus')]).toEqual(['demo', null]);
});

test('what is offered: the aliases, or what is enabled', async () => {
  expect((await rulesOf({})).offered('anthropic').map(({ alias }) => alias)).toEqual(['sonnet', 'haiku', 'opus']);
  expect((await rulesOf({ toml: ENABLED })).offered('anthropic')).toEqual([
    { alias: 'sonnet', id: 'claude-sonnet-5-5' },
    { alias: 'my-model-1', id: 'my-model-1' },
  ]);
});

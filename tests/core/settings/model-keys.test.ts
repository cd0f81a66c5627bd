/** Every key that says what a model can do changes what is asked of it, or what is held against it. */
import { expect, test } from 'vitest';
import { settingRows } from '#core/settings/settings.ts';
import { settingsOf } from '../../support/compose.ts';
import { type Harness, startEngine } from '../../support/engine.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { RED } from '../../support/images.ts';
import { agentText } from '../../support/linking.ts';
import { folderWith } from '../../support/workspace.ts';

const MODEL = 'claude-sonnet-5-5';
const AGENT = '.triad/agents/one.md';

/** In the envelope that a run of the agent would have; a fault where it would have none. */
const envelope = async ({ runtime }: Harness) =>
  runtime.request('agents.preview', { agent: 'one' }).then(
    ({ envelope: { maxTokens, effort, temperature } }) => ({ maxTokens, effort, temperature }),
    ({ message }: Error) => message,
  );
const window = async ({ runtime }: Harness) =>
  (await runtime.request('app.state', {})).provider.models.find(({ id }) => id === MODEL)?.window;
const isShown = async (engine: Harness) => {
  await engine.ask('Look');
  return !JSON.stringify(engine.model.requests.at(-1)?.body).includes('This model is not shown images');
};

const USUAL = { maxTokens: 900, effort: 'low', temperature: 0.3 };

/** What is seen before, and with the value. */
const PROOFS: Readonly<
  Record<
    string,
    { value: number | boolean; seen: (engine: Harness) => Promise<unknown>; before: unknown; then: unknown }
  >
> = {
  context_window: { value: 4711, seen: window, before: 1_000_000, then: 4711 },
  max_output: { value: 77, seen: envelope, before: USUAL, then: { ...USUAL, maxTokens: 77 } },
  supports_tools: { value: false, seen: envelope, before: USUAL, then: expect.stringContaining('calls no tools') },
  supports_vision: { value: false, seen: isShown, before: true, then: false },
  supports_extended_thinking: { value: false, seen: envelope, before: USUAL, then: { ...USUAL, effort: null } },
  supports_temperature: { value: false, seen: envelope, before: USUAL, then: { ...USUAL, temperature: undefined } },
};

test('every model key has a test of its effect', () => {
  const above = 'providers.anthropic.models.m.';
  const paths = settingRows(settingsOf('[providers.anthropic.models.m]\n')).map(({ path }) => path);
  const keys = paths.filter((path) => path.startsWith(above)).map((path) => path.slice(above.length));
  expect(Object.keys(PROOFS).sort()).toEqual(keys.sort());
});

test('each model key changes the requests or the checks until it is removed', async () => {
  const script = new Script()
    .on({ step: 1 })
    .reply([toolUse('read_file', { path: 'red.png' })])
    .on({})
    .reply([text('Red.')]);
  const lines = `model: ${MODEL}\nmax_tokens: 900\neffort: low\ntemperature: 0.3\nrole: primary\ntools: [write_file]`;
  const agent = agentText('one', lines);
  const engine = await startEngine(script, {
    files: { 'red.png': RED, [AGENT]: agent },
    configFolder: await folderWith({}),
    settings: 'providers.anthropic.base_url = "http://127.0.0.1:9"\n',
    environment: { baseUrl: undefined },
  });
  await engine.trust.add(engine.folder, AGENT, agent);
  // Only a server on this machine is sent a temperature.
  await engine.runtime.request('settings.set', { path: 'providers.anthropic.base_url', value: engine.model.url });
  for (const [key, { value, seen, before, then }] of Object.entries(PROOFS)) {
    const set = (to: typeof value | null) =>
      engine.runtime.request('settings.set', { path: `providers.anthropic.models."${MODEL}".${key}`, value: to });
    expect(await seen(engine), `before ${key}`).toEqual(before);
    await set(value);
    expect(await seen(engine), key).toEqual(then);
    await set(null);
  }
});

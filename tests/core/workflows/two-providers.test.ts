/** A lead at one provider and its sub-agents at others: each asks its own, over its own protocol, within its own limits. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Envelope } from '#contract/agent.ts';
import { type Harness, outcomes, startEngine } from '../../support/engine.ts';
import { spawn } from '../../support/fake-model/scenarios.ts';
import { type FakeModel, startFakeModel } from '../../support/fake-model/server.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { variations } from '../../support/samples.ts';
import { folderWith } from '../../support/workspace.ts';

const REPORTS = (): Script => new Script().on({}).reply([text('The report.')]);

/** A model server of its own; `key`: the one that it takes, or none. */
async function other(script = REPORTS(), key: string | null = null): Promise<FakeModel> {
  const model = await startFakeModel(script, { keys: key === null ? null : [key] });
  onTestFinished(() => model.close());
  return model;
}

const tables = (providers: Record<string, { type: string; url: string; more?: string }>): string =>
  Object.entries(providers)
    .map(([name, { type, url, more = '' }]) => `[providers.${name}]\ntype = "${type}"\nbase_url = "${url}"\n${more}`)
    .join('\n');

const leadOf = (calls: Parameters<typeof spawn>[0][]): Script =>
  new Script()
    .on({ step: 1 })
    .reply(calls.map((call) => spawn(call)))
    .on({})
    .reply([text('All done.')]);

const envelopesIn = (engine: Harness): Envelope[] => engine.of('run-start').map(({ envelope }) => envelope);

test.for(
  variations([
    ['openai-chat', '/v1', '/v1/chat/completions'],
    ['anthropic', '', '/v1/messages'],
    ['openai-responses', '/v1', '/v1/responses'],
  ] as const),
)('runs a sub-agent at a provider of type %s while its lead uses another provider', async ([type, under, path]) => {
  const second = await other();
  const settings = tables({
    second: { type, url: second.url + under, more: 'defaults.model = "small-1"\n' },
  });
  const engine = await startEngine(leadOf([{ name: 'helper', prompt: 'Do it.', provider: 'second' }]), { settings });
  const end = await engine.ask('Go');
  expect(outcomes(end)).toEqual(['completed', 'completed']);
  expect(second.requests.map((request) => [request.path, request.body.model])).toEqual([[path, 'small-1']]);
  expect(engine.model.requests.map(({ body }) => body.model)).toEqual(['claude-sonnet-5-5', 'claude-sonnet-5-5']);
  expect(envelopesIn(engine).map(({ provider, model }) => [provider, model])).toEqual([
    ['anthropic', 'claude-sonnet-5-5'],
    ['second', 'small-1'],
  ]);
  // What was asked about is what runs, and each request is accounted for where it was made.
  const { subject } = engine.of('approval-request')[0]!.approval;
  expect(subject).toMatchObject({ items: [{ envelope: { provider: 'second', model: 'small-1' } }] });
  const counted = engine.of('usage').map(({ request }) => request.provider);
  expect(counted.toSorted()).toEqual(['anthropic', 'anthropic', 'second']);
});

test('provider and model come from the call, else from the definition, and a model stays with its provider', async () => {
  const [second, third] = await Promise.all([other(), other()]);
  const settings = tables({
    second: { type: 'openai-chat', url: `${second.url}/v1`, more: 'defaults.model = "second-1"\n' },
    third: { type: 'openai-chat', url: `${third.url}/v1`, more: 'defaults.model = "third-1"\n' },
  });
  const delegate = (more: object) =>
    toolUse('delegate_task', { operation: 'delegate', agent_id: 'scout', prompt: 'Look.', ...more });
  const script = new Script()
    .on({ step: 1 })
    .reply([delegate({}), delegate({ provider: 'third' }), delegate({ model: 'second-2' })])
    .on({})
    .reply([text('Done.')]);
  const scout =
    '---\nname: scout\ndescription: Looks.\nprovider: second\nmodel: mine\ntools: [read_file]\n---\nYou look.\n';
  const engine = await startEngine(script, { settings, files: { '.triad/agents/scout.md': scout } });
  const look = await engine.runtime.request('trust.look', {});
  await engine.runtime.request('trust.set', {
    folder: engine.folder,
    files: look.files.map(({ path, hash }) => ({ path, hash: hash ?? '' })),
  });
  const end = await engine.ask('Go');
  expect(end.outcome).toBe('completed');
  const children = envelopesIn(engine).slice(1);
  expect(children.map(({ provider, model }) => `${provider} ${model}`).toSorted()).toEqual([
    'second mine',
    'second second-2',
    'third third-1',
  ]);
  expect([second.requests.length, third.requests.length]).toEqual([2, 1]);
});

test('each provider has its own limit of concurrent requests', async () => {
  // Each request waits until `limit` requests have arrived, and then 150 ms for one more.
  const slow = (limit: number): Script => {
    const [full, more] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let arrived = 0;
    const until = async (): Promise<void> => {
      arrived += 1;
      if (arrived >= limit) full.resolve();
      if (arrived > limit) more.resolve();
      await full.promise;
      await Promise.race([more.promise, delay(150)]);
    };
    return new Script().on({}).reply([text('Report.')], { hold: { after: 0, until } });
  };
  const [one, two] = await Promise.all([other(slow(1)), other(slow(2))]);
  const settings = tables({
    // On this machine: one at a time.
    one: { type: 'anthropic', url: one.url },
    two: { type: 'openai-chat', url: `${two.url}/v1`, more: 'max_concurrent = 2\ndefaults.model = "m"\n' },
  });
  const peak = ({ requests }: FakeModel): number => {
    const spans = requests.map(({ receivedAt, endedAt }) => ({ from: receivedAt, to: endedAt ?? Infinity }));
    return Math.max(...spans.map(({ from: at }) => spans.filter(({ from, to }) => from <= at && at < to).length));
  };
  const at = (provider: string) => ['a', 'b', 'c'].map((name) => ({ name, prompt: `Do ${name}.`, provider }));
  for (const [provider, model, most] of [
    ['one', one, 1],
    ['two', two, 2],
  ] as const) {
    const engine = await startEngine(leadOf(at(provider)), { settings });
    expect((await engine.ask('Go')).outcome).toBe('completed');
    expect(peak(model), provider).toBe(most);
  }
});

test('sends each API key only to its own provider', async () => {
  const [second, third] = await Promise.all([other(REPORTS(), 'second-key'), other(REPORTS(), 'third-key')]);
  const settings = tables({
    second: {
      type: 'openai-chat',
      url: `${second.url}/v1`,
      more: 'auth.api_key.env = "SECOND_KEY"\ndefaults.model = "m"\n',
    },
    third: { type: 'anthropic', url: third.url, more: 'auth = { api_key = "third-key", in_file = true }\n' },
  });
  const calls = ['second', 'third'].map((provider) => ({ name: provider, prompt: 'Do it.', provider }));
  const engine = await startEngine(leadOf(calls), {
    settings,
    keys: ['first-key'],
    environment: { apiKey: 'first-key', baseUrl: undefined, programs: { SECOND_KEY: 'second-key' } },
    configFolder: await folderWith({ 'config.toml': settings }),
  });
  await engine.runtime.request('settings.set', { path: 'providers.third.base_url', value: third.url });
  // The key of the environment stays with the address for which it was set.
  await expect(
    engine.runtime.request('settings.set', { path: 'providers.second.base_url', value: `${third.url}/v1` }),
  ).rejects.toMatchObject({
    code: 'no_key',
    message: expect.stringContaining('SECOND_KEY would be sent to') as unknown,
  });
  const keysOf = ({ requests }: FakeModel) =>
    requests.map(({ headers }) => headers['x-api-key'] ?? headers.authorization);
  const { runtime } = engine;
  for (const name of ['second', 'third']) await runtime.request('provider.test', { name });
  expect([keysOf(second), keysOf(third)]).toEqual([['Bearer second-key'], ['third-key']]);
});

test('rejects a sub-agent that its provider cannot run, with the reason and without an approval request', async () => {
  const model = await other();
  const at = (more: string) => ({ type: 'openai-chat', url: `${model.url}/v1`, more });
  const settings = tables({
    second: at(''),
    third: at('defaults.model = "m"\n[providers.third.models.m]\nsupports_tools = false\n'),
  });
  const refusals = {
    nowhere: /There is no provider \\"nowhere\\", but anthropic, openai/,
    second: /second has no model for agents that name none: name one, or set providers\.second\.defaults\.model/,
    third: /The model m calls no tools, and this agent would have/,
  };
  const calls = Object.keys(refusals).map((provider) => ({ name: 'helper', prompt: 'Do it.', provider }));
  const engine = await startEngine(leadOf(calls), { settings });
  expect((await engine.ask('Go')).outcome).toBe('completed');
  expect(engine.of('approval-request')).toEqual([]);
  const told = engine.of('tool-end').map(({ entry }) => JSON.stringify(entry));
  for (const [index, words] of Object.values(refusals).entries()) expect(told[index]).toMatch(words);
  expect(model.requests).toEqual([]);
});

test('a conversation only needs a key for the provider of its lead', async () => {
  const second = await other();
  const settings = `[providers]\nactive = "second"\n${tables({
    second: { type: 'openai-chat', url: `${second.url}/v1`, more: 'defaults.model = "m"\n' },
  })}`;
  const scout = '---\nname: scout\ndescription: Looks.\nprovider: second\ntools: [read_file]\n---\nYou look.\n';
  const { runtime, folder } = await startEngine(new Script(), {
    settings,
    configFolder: await folderWith({ 'config.toml': settings }),
    files: { '.triad/agents/scout.md': scout },
    environment: { apiKey: undefined, baseUrl: undefined, programs: {} },
  });
  const { files } = await runtime.request('trust.look', {});
  await runtime.request('trust.set', { folder, files: files.map(({ path, hash }) => ({ path, hash: hash ?? '' })) });
  await runtime.request('settings.set', { path: 'providers.active', value: 'anthropic' });
  await expect(runtime.request('conversation.create', {})).rejects.toMatchObject({
    code: 'no_key',
    message: expect.stringContaining('use "triad config key anthropic < FILE", or set ANTHROPIC_API_KEY') as unknown,
  });
  expect(await runtime.request('conversation.create', { agent: 'scout' })).toMatchObject({ agent: 'scout' });
  expect(await runtime.request('conversation.create', { provider: 'second' })).toMatchObject({ agent: 'lead' });
});

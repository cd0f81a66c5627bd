/** The lists of models that endpoints give: when they are asked for, what is kept, and what then cannot start. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { startEngine } from '../../support/engine.ts';
import { KEY } from '../../support/fake-model/exchange.ts';
import { delegateTo, LEAD, plainAnswer, spawn } from '../../support/fake-model/scenarios.ts';
import { type Block, Script, text } from '../../support/fake-model/script.ts';
import { startFakeModel } from '../../support/fake-model/server.ts';
import { folderWith } from '../../support/workspace.ts';
import { variations } from '../../support/samples.ts';

const SONNET = 'claude-sonnet-5-5';
const kept = async (data: string) =>
  JSON.parse(await readFile(join(data, 'models.json'), 'utf8').catch(() => '{}')) as Record<
    string,
    { at: string; models: string[] }
  >;

test('the list is requested once, before the first message; it is stored with its date, by endpoint', async () => {
  const data = await folderWith();
  const engine = await startEngine(plainAnswer(), { models: [SONNET, 'b-1'], data });
  await engine.ask('Hello');
  await engine.ask('Again');
  await eventually(async () => expect((await kept(data))[engine.model.url]?.models).toEqual([SONNET, 'b-1']));
  expect(engine.model.asked()).toBe(1);
  expect(Date.parse((await kept(data))[engine.model.url]?.at ?? '')).toBeGreaterThan(0);
});

test('reuses a model list of today and requests an older list again', async () => {
  const engine = await startEngine(plainAnswer(), { models: [SONNET] });
  const { url } = engine.model;
  for (const [days, asked] of [
    [0, 1],
    [2, 2],
  ] as const) {
    const at = new Date(Date.now() - days * 86_400_000).toISOString();
    const data = await folderWith({ 'models.json': JSON.stringify({ [url]: { at, models: [SONNET] } }) });
    const other = await startEngine(plainAnswer(), { data, environment: { apiKey: 'k', baseUrl: url } });
    await other.ask('Hello');
    await eventually(() => expect(engine.model.asked()).toBe(asked));
  }
});

test('a model missing from an old list works if the endpoint has the model now', async () => {
  const fake = await startFakeModel(plainAnswer(), { models: ['new-model-2'] });
  onTestFinished(() => fake.close());
  const old = { at: '2026-01-02T03:04:05.000Z', models: ['old-model-1'] };
  const settings = 'models.default = "new-model-2"\nproviders.active = "demo"\n';
  const engine = await startEngine(plainAnswer(), {
    data: await folderWith({ 'models.json': JSON.stringify({ [fake.url]: old }) }),
    environment: { apiKey: 'k', baseUrl: fake.url },
    settings,
    files: { 'config.toml': settings },
  });
  // The message is the first that asks the endpoint for anything.
  await engine.runtime.request('settings.set', { path: 'providers.active', value: 'anthropic' });
  expect(await engine.ask('Hello')).toMatchObject({ outcome: 'completed' });
});

test('the first use of an endpoint waits for its model list, also if an old list is stored', async () => {
  const fake = await startFakeModel(plainAnswer(), { models: ['new-model-2'] });
  onTestFinished(() => fake.close());
  const old = { [fake.url]: { at: '2026-01-02T03:04:05.000Z', models: ['old-model-1'] } };
  for (const stored of [old, {}]) {
    const data = await folderWith({ 'models.json': JSON.stringify(stored) });
    await startEngine(plainAnswer(), { data, environment: { apiKey: 'k', baseUrl: fake.url } });
    expect((await kept(data))[fake.url]?.models).toEqual(['new-model-2']);
  }
});

test('a provider test stores the model list of the endpoint, unless the list is incomplete', async () => {
  const data = await folderWith();
  const engine = await startEngine(plainAnswer(), { data });
  for (const [hasMore, models] of [
    [false, ['a-1']],
    [true, undefined],
  ] as const) {
    const server = createServer((_, response) =>
      response.end(JSON.stringify({ data: [{ id: 'a-1' }], has_more: hasMore })),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await engine.runtime.request('provider.test', { baseUrl, apiKey: 'k' });
    expect((await kept(data))[baseUrl]?.models).toEqual(models);
    // The same where work that starts asks for it.
    await engine.runtime.request('provider.set', { name: 'openai', baseUrl: `${baseUrl}/v1` });
    const listed = await engine.runtime.request('provider.models', { name: 'openai' });
    expect(listed).toMatchObject({ address: `${baseUrl}/v1`, models: models ?? null });
  }
});

const listed = [
  ['names that nobody could see are left out of', { data: ['a-1', 'b\u001b[2K-2', 'c\u202e-3', 'd 4', ''] }, ['a-1']],
  ['an answer that is longer than any list is none:', { data: ['a-1'], padding: 'x'.repeat(4_000_000) }, undefined],
] as const;
test.for(variations(listed))('%s what an endpoint lists', async ([, { data: ids, ...rest }, models]) => {
  const answer = JSON.stringify({ data: ids.map((id) => ({ id })), ...rest });
  const server = createServer((_, response) => response.end(answer));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const data = await folderWith();
  const engine = await startEngine(plainAnswer(), { data });
  const tested = await engine.runtime.request('provider.test', { baseUrl, apiKey: 'k' });
  expect(tested.models).toEqual(models ?? []);
  expect((await kept(data))[baseUrl]?.models).toEqual(models);
});

test('starting the program, checking agents and listing prices do not request the model list', async () => {
  const engine = await startEngine(plainAnswer(), { models: [SONNET], settings: 'providers.active = "demo"\n' });
  await engine.runtime.request('agents.check', {});
  await engine.runtime.request('app.state', {});
  await engine.runtime.request('prices.list', {});
  expect(engine.model.asked()).toBe(0);
});

test('an empty or unreadable model list is ignored', async () => {
  const engine = await startEngine(plainAnswer(), { models: [] });
  expect(await engine.runtime.request('provider.models', {})).toMatchObject({ models: null });
  // Nothing answers there, so that only the stored list is known.
  const baseUrl = 'http://127.0.0.1:1';
  for (const [stored, models] of [
    [`{"${baseUrl}": {"at": "never"`, null],
    [`{"${baseUrl}": {"at": "2026-01-02T03:04:05Z", "models": ["x-1"]}}`, ['x-1']],
    [`{"${baseUrl}": {"at": "2026-01-02T03:04:05Z", "models": ["x\\u001b-1"]}}`, null],
  ] as const) {
    const data = await folderWith({ 'models.json': stored });
    const { runtime } = await startEngine(plainAnswer(), { data, environment: { apiKey: 'k', baseUrl } });
    expect(await runtime.request('provider.models', {})).toMatchObject({ models });
  }
});

/** The lead's one call, and what it read of it. */
async function called(call: Block, models: string[]) {
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([call])
    .on({})
    .reply([text('Done.')]);
  const engine = await startEngine(script, { models });
  await eventually(() => expect(engine.model.asked()).toBe(1));
  await engine.runtime.request('provider.models', {});
  const end = await engine.ask('Go');
  const [tool] = engine.of('tool-end');
  return { engine, end, output: tool?.entry.output ?? '' };
}

test('a sub-agent with an unlisted model starts, with a warning in the approval and in its run', async () => {
  const { engine, end } = await called(spawn({ name: 'a', prompt: 'Do.', model: 'big-modle-9' }), [
    SONNET,
    'big-model-9',
  ]);
  const warning = /^big-modle-9 is not in the list of .*, which has claude-sonnet-5-5, big-model-9/;
  const { subject } = engine.of('approval-request')[0]!.approval;
  const [item] = subject.kind === 'envelopes' ? subject.items : [];
  expect(item?.envelope.model).toBe('big-modle-9');
  expect(item?.modelWarnings).toEqual([
    {
      message: expect.stringMatching(warning) as string,
      says: [{ key: 'model_unlisted' }, { key: 'may_be_refused' }].map((one) => expect.objectContaining(one) as object),
    },
  ]);
  const notices = engine.of('notice').filter(({ level }) => level === 'warning');
  expect(notices.map(({ agent, text }) => [agent, text.replace('The model ', '')])).toEqual([
    ['a', expect.stringMatching(warning)],
  ]);
  expect(engine.model.requests.map(({ body }) => body.model)).toEqual([SONNET, 'big-modle-9', SONNET]);
  expect(end.subAgents).toMatchObject([{ agent: 'a', outcome: 'completed' }]);
});

test.for<[protocol: 'messages' | 'chat' | 'responses', listed: string]>([
  ['messages', 'claude-sonnet-5'],
  ['messages', 'Qwen3-32B'],
  ['chat', 'Qwen3-32B'],
  ['responses', 'Qwen3-32B'],
  ['chat', 'models/gemini-3-pro'],
])(
  'the first message works with default settings at an endpoint (%s) that lists only %s',
  async ([protocol, listed]) => {
    const fake = await startFakeModel(plainAnswer(), { models: [listed] });
    onTestFinished(() => fake.close());
    const settings = { messages: '', chat: 'providers.openai.type = "openai-chat"\n', responses: '' }[protocol];
    const active = protocol === 'messages' ? '' : 'providers.active = "openai"\n';
    const programs = { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${fake.url}/v1` };
    const environment = protocol === 'messages' ? { apiKey: KEY, baseUrl: fake.url } : { baseUrl: undefined, programs };
    const engine = await startEngine(plainAnswer(), { environment, settings: `${active}${settings}` });
    expect(await engine.ask('Hello')).toMatchObject({ outcome: 'completed' });
    expect(fake.requests.map(({ body, path }) => [body.model, path.includes(protocol)])).toEqual([[listed, true]]);
    const [start] = engine.of('run-start');
    expect(start?.envelope.model).toBe(listed);
    expect(engine.of('notice').filter(({ level }) => level === 'warning')).toEqual([]);
  },
);

test('a sub-agent at another provider gets the only model of that endpoint', async () => {
  const vllm = await startFakeModel(plainAnswer(), { models: ['Qwen3-32B'], keys: null });
  onTestFinished(() => vllm.close());
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([spawn({ name: 'a', prompt: 'Do.', provider: 'vllm' })])
    .on({})
    .reply([text('Done.')]);
  const settings = `[providers.vllm]\ntype = "openai-chat"\nbase_url = "${vllm.url}/v1"\n`;
  const engine = await startEngine(script, { settings });
  expect(await engine.ask('Go')).toMatchObject({ subAgents: [{ agent: 'a', outcome: 'completed' }] });
  expect(vllm.requests.map(({ body }) => body.model)).toEqual(['Qwen3-32B']);
});

test('a built-in agent whose model is not listed uses the model of its lead', async () => {
  const { engine } = await called(delegateTo('documentation-writer', 'Do.'), [SONNET, 'b-1']);
  expect(engine.of('run-start').map(({ agent, envelope }) => [agent, envelope.model])).toEqual([
    ['lead', SONNET],
    ['documentation-writer', SONNET],
  ]);
  const reports = await engine.runtime.request('agents.check', {});
  expect(reports.find(({ name }) => name === 'documentation-writer')).toMatchObject({
    ok: true,
    warnings: [{ key: 'model', message: expect.stringMatching(/is not in the list .*: the lead's is used/) as string }],
  });
});

test('an unlisted default model is requested with a warning that names what is listed', async () => {
  const engine = await startEngine(plainAnswer(), { models: ['llama3.2:1b', 'b-1'] });
  expect(await engine.runtime.request('provider.models', {})).toMatchObject({
    models: ['llama3.2:1b', 'b-1'],
    fault: null,
    unlisted: 'sonnet',
  });
  expect(await engine.ask('Hello')).toMatchObject({ outcome: 'completed' });
  expect(engine.model.requests.map(({ body }) => body.model)).toEqual([SONNET]);
  const notices = engine.of('notice').filter(({ level }) => level === 'warning');
  expect(notices.map(({ text: words }) => words)).toEqual([
    expect.stringMatching(/^The model claude-sonnet-5-5 is not in the list of .*, which has llama3\.2:1b, b-1/),
  ]);
  await engine.runtime.request('settings.set', { path: 'providers.anthropic.defaults.model', value: 'mine-1' });
  expect(await engine.runtime.request('provider.models', {})).toMatchObject({ fault: null, unlisted: 'mine-1' });
  await engine.runtime.request('settings.set', { path: 'providers.anthropic.defaults.model', value: 'llama3.2:1b' });
  expect(await engine.runtime.request('provider.models', {})).toMatchObject({ fault: null, unlisted: null });
});

test('models.enabled applies to agents, spawns and edits by the person', async () => {
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([spawn({ name: 'a', prompt: 'Do.', model: 'opus' }), spawn({ name: 'b', prompt: 'Do.', model: 'sonnet' })])
    .on({})
    .reply([text('Done.')]);
  const refusals: unknown[] = [];
  const engine = await startEngine(script, { settings: 'models.enabled = ["sonnet"]\n', person: () => null });
  const { workflowId } = await engine.send('Go');
  const { approval } = await engine.event('approval-request');
  const { subject } = approval;
  if (subject.kind !== 'envelopes') throw new Error('nothing is asked about');
  const value = { ...subject.items[0]!.envelope, model: 'haiku' };
  const answer = (answered: object) =>
    engine.runtime.request('approval.decide', { approvalId: approval.id, item: 0, answer: answered as never });
  await answer({ kind: 'edit', value }).catch((error: unknown) => refusals.push(error));
  expect(refusals).toMatchObject([{ code: 'bad_input', message: expect.stringContaining('is not enabled') as string }]);
  await answer({ kind: 'allow' });
  const end = await engine.ended(workflowId);
  expect(end.subAgents.map(({ agent }) => agent)).toEqual(['b']);
  expect(
    engine.of('tool-end').some(({ entry }) => entry.output.includes('opus (claude-opus-5-5) is not enabled')),
  ).toBe(true);
  const writer = (await engine.runtime.request('agents.list', {})).find(({ name }) => name === 'documentation-writer');
  expect(writer?.model).toBeNull();
  expect((await engine.runtime.request('app.state', {})).provider.models).toEqual([
    { alias: 'sonnet', id: SONNET, window: 1_000_000, vision: null, inputPrice: expect.any(Number) as number },
  ]);
});

/** A test of the provider: one sentence for each thing that can be wrong, and nothing saved. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdir } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createModel } from '#core/model/adapters.ts';
import { suggestModel, testEndpoint } from '#core/model/providers/test-endpoint.ts';
import type { Model } from '#core/model/model.ts';
import { type ProviderPorts, Providers } from '#core/model/providers/providers.ts';
import { startConfigured } from '../../support/settings/configured.ts';
import { plainAnswer } from '../../support/fake-model/scenarios.ts';
import type { Script } from '../../support/fake-model/script.ts';
import { startFakeModel } from '../../support/fake-model/server.ts';
import { folderWith } from '../../support/workspace.ts';

const KEY = 'sk-very-secret';

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

const json =
  (status: number, value: unknown): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };

async function tried(baseUrl: string, model?: string) {
  const config = await folderWith({});
  const runtime = await startConfigured(config);
  const result = await runtime.request('provider.test', { apiKey: KEY, baseUrl, ...(model ? { model } : {}) });
  expect(await readdir(config), 'nothing is saved').toEqual([]);
  expect(JSON.stringify(result), 'the key is not echoed').not.toContain(KEY);
  return result;
}

async function fake(script: Script, keys: string[]): Promise<string> {
  const model = await startFakeModel(script, { keys });
  onTestFinished(() => model.close());
  return model.url;
}

test('reports the answering model and the duration for a working key', async () => {
  const url = await fake(plainAnswer(), [KEY]);
  const { ok, message, durationMs } = await tried(url);
  expect([ok, message]).toEqual([
    true,
    `${new URL(url).host} answered in ${Math.round(durationMs)} ms with claude-sonnet-5-5`,
  ]);
});

test('reports a wrong key with the sentence of the server', async () => {
  const url = await fake(plainAnswer(), ['another']);
  expect(await tried(url)).toMatchObject({
    ok: false,
    message: `${new URL(url).host} refused the key: "invalid x-api-key". Check the key or set another one.`,
  });
});

test.for([
  ['anthropic', '', 'sonnet'],
  ['openai-chat', '/v1', 'any'],
] as const)('reports that a local server requires a key if none is set: %s', async ([type, path, model]) => {
  const url = await fake(plainAnswer(), [KEY]);
  const runtime = await startConfigured(await folderWith({}));
  expect(await runtime.request('provider.test', { name: 'local', type, baseUrl: url + path, model })).toMatchObject({
    ok: false,
    message: `${new URL(url).host} wants a key: "invalid x-api-key". No key is set: set one.`,
  });
});

test('reports an address where no server answers', async () => {
  const model = await startFakeModel(plainAnswer());
  await model.close();
  expect(await tried(model.url)).toMatchObject({
    ok: false,
    message: `No connection to ${new URL(model.url).host}: nothing answers at that address; check the network and the base URL`,
  });
});

test.for([
  ['/', ''],
  ['/v1', ', without /v1 at its end'],
])('reports a server without the Messages API, at %s', async ([path, hint]) => {
  const url = await serve(json(404, { detail: 'Not Found' }));
  expect(await tried(url + path!)).toMatchObject({
    ok: false,
    message: `${new URL(url).host} has no Messages API at this address: "Not Found". Check the base URL${hint}.`,
  });
});

test('reports an unknown model and lists the models of the endpoint', async () => {
  const url = await serve((request, response) => {
    const list = json(200, { data: [{ id: 'llama3:8b' }, { id: 'qwen3:4b' }] });
    const unknown = json(404, {
      type: 'error',
      error: { type: 'not_found_error', message: 'no such model' },
    });
    return (request.url?.startsWith('/v1/models') ? list : unknown)(request, response);
  });
  expect(await tried(url, 'mistral:7b')).toMatchObject({
    ok: false,
    message: `${new URL(url).host} does not have the model mistral:7b: "no such model". Choose another model. It lists llama3:8b, qwen3:4b`,
    models: ['llama3:8b', 'qwen3:4b'],
  });
});

test('an error that names the model is reported as a missing model, even if the address ends with /v1', async () => {
  const url = await serve(
    json(404, { type: 'error', error: { type: 'not_found_error', message: 'model: mistral:7b' } }),
  );
  expect(await tried(`${url}/v1`, 'mistral:7b')).toMatchObject({
    ok: false,
    message: `${new URL(url).host} does not have the model mistral:7b: "model: mistral:7b". Choose another model.`,
  });
});

test('gives up a slow server after the time limit and closes the connections', async () => {
  let open = 0;
  const url = await serve((request) => {
    open += 1;
    request.socket.once('close', () => (open -= 1));
  });
  const result = await testEndpoint({
    endpoint: { name: 'anthropic', type: 'anthropic', apiKey: KEY, baseUrl: url },
    address: url,
    model: 'm1',
    createModel,
    patienceMs: 200,
  });
  expect(result).toMatchObject({
    ok: false,
    message: `${new URL(url).host} did not answer within 0.2 s: it may still be loading the model`,
    models: [],
  });
  await expect.poll(() => open).toBe(0);
});

test('sends no request without a key, unless the server is on this machine', async () => {
  const runtime = await startConfigured(await folderWith({}));
  expect(await runtime.request('provider.test', {})).toMatchObject({
    ok: false,
    code: 'no_key',
    message: 'There is no key to test: enter one',
  });
  const url = await fake(plainAnswer(), ['none']);
  expect(await runtime.request('provider.test', { baseUrl: url })).toMatchObject({ ok: true });
});

test('tests the stored key at the endpoint in use if none are given', async () => {
  const runtime = await startConfigured(await folderWith({}), { baseUrl: await fake(plainAnswer(), [KEY]) });
  await runtime.request('provider.set', { apiKey: KEY });
  expect(await runtime.request('provider.test', {})).toMatchObject({ ok: true });
});

test('the demo uses the language of the latest message, and forgets the oldest of many conversations', async () => {
  const asked: (() => string)[] = [];
  const createDemo: ProviderPorts['createDemo'] = ({ language }) => {
    asked.push(language);
    return {} as Model;
  };
  const providers = new Providers({ createDemo } as ProviderPorts);
  const languageIn = async (conversationId: string) => {
    await providers.model('demo', conversationId);
    return asked.at(-1)?.();
  };
  for (const at of ['first', 'second']) providers.speakInDemo(at, 'fr');
  providers.speakInDemo('second');
  expect([await languageIn('first'), await languageIn('second'), await languageIn('third')]).toEqual([
    'fr',
    'en',
    'en',
  ]);
  expect(providers.concurrency('demo'), 'the demo has nothing to wait for').toBe(3);
  for (let index = 0; index < 100; index++) providers.speakInDemo(String(index), 'fr');
  expect([await languageIn('first'), await languageIn('0'), await languageIn('99')]).toEqual(['en', 'fr', 'fr']);
});

test.for([
  [['whisper-1', 'gpt-5.9', 'gpt-5.10', 'gpt-5.10-mini', 'gpt-4.1-2025-04-14'], 'gpt-5.10'],
  [['gpt-4', 'gpt-5'], 'gpt-5'],
  [['llama3:8b', 'qwen3:4b'], 'llama3:8b'],
  [[], null],
] as const)('suggests the newest general model, else the first: %s', ([models, suggested]) => {
  expect(suggestModel(models)).toBe(suggested);
});

test('returns the model of the request and the sentence of the server, without the key', async () => {
  // No pattern of secrets matches this key.
  const plainKey = 'my local pass phrase'.replaceAll(' ', '-');
  const url = await serve((request, response) => {
    const error = { type: 'invalid_request_error', code: 'invalid_api_key', message: `Incorrect API key: ${plainKey}` };
    const list = json(200, { data: [{ id: 'm1' }] });
    return (request.url?.startsWith('/v1/models') ? list : json(401, { error }))(request, response);
  });
  const runtime = await startConfigured(await folderWith({}));
  const given = { name: 'new', type: 'openai-chat', baseUrl: `${url}/v1`, apiKey: plainKey } as const;
  expect(await runtime.request('provider.test', given)).toMatchObject({
    ok: false,
    code: 'auth',
    model: 'm1',
    message: expect.stringContaining('"Incorrect API key: …"') as string,
  });
});

test('a wrong key is reported although no model is named or listed', async () => {
  const url = await fake(plainAnswer(), ['another']);
  const runtime = await startConfigured(await folderWith({}));
  const given = { name: 'new', type: 'openai-chat', baseUrl: `${url}/v1`, apiKey: KEY } as const;
  expect(await runtime.request('provider.test', given)).toMatchObject({ ok: false, code: 'auth', model: null });
});

/** A key goes to the address that it was given for: what a second server hears while everything points there. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { startConfigured } from '../../support/settings/configured.ts';
import { type Harness, talkIn } from '../../support/engine.ts';
import { plainAnswer } from '../../support/fake-model/scenarios.ts';
import { type FakeModel, startFakeModel } from '../../support/fake-model/server.ts';
import { folderWith } from '../../support/workspace.ts';

const KEY = 'sk-kept';
/** No address of this machine, so that no server there is taken for one that needs no key. */
const REMOTE = 'https://models.example/api';

let config: string;
let own: FakeModel;
let other: { url: string; heard: IncomingHttpHeaders[] };
beforeEach(async () => {
  config = await folderWith({});
  own = await startFakeModel(plainAnswer());
  onTestFinished(() => own.close());
  other = await listening();
});

/** A server that writes down what it is sent, and sends whoever asks on to `location`. */
async function listening(location?: string): Promise<typeof other> {
  const heard: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    heard.push(request.headers);
    response.writeHead(location === undefined ? 404 : 307, location === undefined ? {} : { location }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
}

type Runtime = Harness['runtime'];
/** As a program that is started now. */
const started = (environment = {}): Promise<Runtime> => startConfigured(config, environment);

/** Sends a message in a new conversation, and returns the error of its workflow. */
async function ask(runtime: Runtime) {
  const { id } = await runtime.request('conversation.create', {});
  const talk = await talkIn(runtime, id);
  const { error } = await talk.ask('hi');
  talk.leave();
  return error;
}

const configured = (baseUrl: string) =>
  writeFile(join(config, 'config.toml'), `[providers.anthropic]\nbase_url = "${baseUrl}"\n`);
const line = (to: string) =>
  `The kept key belongs to ${own.url} and is not sent to ${to}: enter the key of this endpoint in the settings, or set the endpoint back`;
const keysIn = (heard: readonly IncomingHttpHeaders[]) => JSON.stringify(heard);

test('sends the stored key to its endpoint, in any spelling of the address', async () => {
  await (await started()).request('provider.set', { apiKey: KEY, baseUrl: own.url });
  await ask(await started());
  await ask(await started({ baseUrl: `${own.url}//` }));
  expect(own.requests.map(({ headers }) => headers['x-api-key'])).toEqual([KEY, KEY]);
});

test('a test of another endpoint uses only the key entered for that endpoint', async () => {
  const provider = await started();
  await provider.request('provider.set', { apiKey: KEY, baseUrl: own.url });
  expect(await provider.request('provider.test', { baseUrl: REMOTE })).toMatchObject({
    ok: false,
    message: line(REMOTE),
  });
  await provider.request('provider.test', { baseUrl: other.url });
  await provider.request('provider.test', { baseUrl: other.url, apiKey: 'sk-typed' });
  expect(keysIn(other.heard)).toContain('sk-typed');
  expect(keysIn(other.heard)).not.toContain(KEY);
});

test('saving another endpoint requires its own key, and saves nothing without a key', async () => {
  const provider = await started();
  await provider.request('provider.set', { apiKey: KEY, baseUrl: own.url });
  await expect(provider.request('provider.set', { baseUrl: REMOTE, active: true })).rejects.toMatchObject({
    code: 'no_key',
    message: line(REMOTE),
  });
  expect((await provider.request('app.state', {})).provider).toMatchObject({
    name: 'anthropic',
    baseUrl: own.url,
    keySource: 'store',
  });
  await provider.request('provider.set', { baseUrl: REMOTE, apiKey: 'sk-typed' });
  expect((await provider.request('app.state', {})).provider).toMatchObject({
    baseUrl: REMOTE,
    keySource: 'store',
    ready: true,
  });
  // Back again: the key of the other one stays where it belongs.
  await provider.request('provider.set', { baseUrl: own.url });
  await ask(provider);
  expect(keysIn(own.requests.map(({ headers }) => headers))).not.toContain('sk-typed');
});

test('another endpoint in the settings file or environment does not get the stored key', async () => {
  await (await started()).request('provider.set', { apiKey: KEY, baseUrl: own.url });
  const byEnvironment = await started({ baseUrl: other.url });
  await expect(ask(byEnvironment)).rejects.toMatchObject({ code: 'no_key', message: line(other.url) });
  const state = (await byEnvironment.request('app.state', {})).provider;
  expect(state).toMatchObject({ keyElsewhere: { source: 'store', of: own.url, to: other.url }, ready: false });
  expect(other.heard).toEqual([]);

  await configured(REMOTE);
  await expect(ask(await started())).rejects.toMatchObject({ code: 'no_key', message: line(REMOTE) });
  // A server of this machine is asked without a key.
  await configured(other.url);
  await ask(await started());
  expect(new Set(other.heard.map((headers) => headers['x-api-key']))).toEqual(new Set(['none']));
  await configured(own.url);
  await ask(await started());
});

test('creating a conversation fails if the stored key belongs to another endpoint', async () => {
  await (await started()).request('provider.set', { apiKey: KEY, baseUrl: own.url });
  const runtime = await started({ baseUrl: other.url });
  await expect(runtime.request('conversation.create', { folder: config })).rejects.toMatchObject({
    code: 'no_key',
    message: line(other.url),
  });
  expect(other.heard).toEqual([]);
});

test('does not follow a redirect of the endpoint with the key', async () => {
  const leading = await listening(`${other.url}/v1/messages`);
  const provider = await started();
  await provider.request('provider.set', { apiKey: KEY, baseUrl: leading.url });
  expect(await ask(provider)).toMatchObject({ code: 'provider' });
  await provider.request('provider.test', {});
  expect(keysIn(leading.heard)).toContain(KEY);
  expect(other.heard).toEqual([]);
});

test.for(['openai-chat', 'openai-responses'])('follows no redirect of an endpoint of type %s', async (type) => {
  const leading = await listening(`${other.url}/v1`);
  const entry = `defaults.model = "m"\ntype = "${type}"\nbase_url = "${leading.url}"\nauth = { api_key = "${KEY}", in_file = true }\n`;
  await writeFile(join(config, 'config.toml'), `providers.active = "mine"\n[providers.mine]\n${entry}`);
  expect(await ask(await started())).not.toBeNull();
  expect(keysIn(leading.heard)).toContain(KEY);
  expect(other.heard).toEqual([]);
});

test('the key of the environment goes to the endpoint of the environment, else to the configured one', async () => {
  const provider = await started({ apiKey: KEY, baseUrl: own.url });
  await configured(other.url);
  await ask(provider);
  expect(await provider.request('provider.test', { baseUrl: REMOTE })).toMatchObject({
    message: expect.stringContaining(`ANTHROPIC_API_KEY belongs to ${own.url} and is not sent to`) as unknown,
  });
  await provider.request('provider.test', { baseUrl: other.url });
  expect(keysIn(other.heard)).not.toContain(KEY);
  await configured(own.url);
  const alone = await started({ apiKey: KEY });
  await ask(alone);
  for (const input of [{ baseUrl: other.url }, { baseUrl: REMOTE, apiKey: 'sk-typed' }])
    await expect(alone.request('provider.set', input)).rejects.toMatchObject({
      code: 'no_key',
      message: expect.stringContaining('ANTHROPIC_API_KEY would be sent to') as unknown,
    });
});

test('a key in the settings file goes only to the endpoint beside it, not to the endpoint of the environment', async () => {
  const auth = `auth = { api_key = "${KEY}", in_file = true }`;
  const file = `[providers.anthropic]\nbase_url = "${own.url}"\n${auth}\n`;
  await writeFile(join(config, 'config.toml'), file);
  await ask(await started());
  expect(own.requests.map(({ headers }) => headers['x-api-key'])).toEqual([KEY]);
  const message = `The key in the settings file belongs to ${own.url} and is not sent to ${other.url}`;
  await expect(ask(await started({ baseUrl: other.url }))).rejects.toThrow(message);
  expect(other.heard).toEqual([]);
});

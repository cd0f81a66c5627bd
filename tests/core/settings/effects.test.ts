/** Settings change what happens: default model, aliases, endpoint and key. (The limits are tested where they bind.) */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { settingsOf } from '../../support/compose.ts';
import { startConfigured } from '../../support/settings/configured.ts';
import { startEngine, talkIn } from '../../support/engine.ts';
import { LEAD, plainAnswer, spawn } from '../../support/fake-model/scenarios.ts';
import { Script, text } from '../../support/fake-model/script.ts';
import { startFakeModel } from '../../support/fake-model/server.ts';
import { folderWith } from '../../support/workspace.ts';

describe('settings', () => {
  test('the default model and the aliases select the model of a request', async () => {
    const script = new Script()
      .on({ ...LEAD, step: 1 })
      .reply([spawn({ name: 'small', prompt: 'Say hi.', model: 'haiku' }), spawn({ name: 'same', prompt: 'Say ho.' })])
      .on({})
      .reply([text('Done.')]);
    const settings = '[models]\ndefault = "opus"\n[models.aliases]\nopus = "big-model-9"\nhaiku = "small-model-9"\n';
    const engine = await startEngine(script, { settings });
    await engine.ask('Go');
    const asked = engine.model.requests.map(({ seen, body }) => [seen.prompt, body.model]);
    expect(Object.fromEntries(asked)).toEqual({
      Go: 'big-model-9',
      'Say hi.': 'small-model-9',
      'Say ho.': 'big-model-9',
    });
    expect(engine.of('notice').map(({ text: words }) => words)).toEqual([
      expect.stringContaining('big-model-9'),
      expect.stringContaining('small-model-9'),
    ]);
    expect((await engine.store.workflow(engine.of('workflow-end')[0]?.workflowId ?? ''))?.usage.unpriced).toBe(4);
  });

  test('a used model is listed as unpriced, even if no agent uses it any more', async () => {
    const configFolder = await folderWith();
    const settings = 'models.default = "past-model-9"\n';
    const engine = await startEngine(plainAnswer(), { settings, configFolder });
    await engine.ask('Go');
    await engine.runtime.request('settings.set', { path: 'models.default', value: 'sonnet' });
    expect((await engine.runtime.request('prices.list', {})).unpriced).toEqual(['past-model-9']);
  });

  test('the key and the endpoint are stored in their files and overridden by the environment', async () => {
    const config = await folderWith();
    const [own, other] = await Promise.all([
      startFakeModel(plainAnswer(), { keys: ['own-key'] }),
      startFakeModel(plainAnswer()),
    ]);
    onTestFinished(async () => void (await Promise.all([own.close(), other.close()])));
    const ask = async (runtime: typeof provider): Promise<void> => {
      const { id } = await runtime.request('conversation.create', {});
      const talk = await talkIn(runtime, id);
      await talk.ask('hi');
      talk.leave();
    };
    const provider = await startConfigured(config);
    await expect(ask(provider)).rejects.toMatchObject({ code: 'no_key' });
    await expect(provider.request('provider.set', { apiKey: 'two words' })).rejects.toMatchObject({
      code: 'bad_input',
    });
    const set = await provider.request('provider.set', { apiKey: ' own-key ', baseUrl: own.url });
    expect(set.provider).toMatchObject({
      ready: true,
      keySource: 'store',
      baseUrl: own.url,
      baseUrlSource: 'file',
    });
    await ask(provider);
    expect(own.requests).toHaveLength(1);

    const restarted = await startConfigured(config);
    await ask(restarted);
    expect(own.requests).toHaveLength(2);
    const overruled = await startConfigured(config, { apiKey: 'env-key', baseUrl: other.url });
    const state = await overruled.request('app.state', {});
    expect(state.provider).toMatchObject({ keySource: 'environment', baseUrlSource: 'environment' });
    await ask(overruled);
    expect(other.requests).toHaveLength(1);

    const unset = await restarted.request('provider.set', { apiKey: '', baseUrl: '' });
    expect(unset.provider).toMatchObject({
      ready: false,
      keySource: 'none',
      baseUrl: null,
      baseUrlSource: 'default',
    });
    expect(settingsOf(await readFile(join(config, 'config.toml'), 'utf8'))).toEqual(settingsOf(''));
  });

  test('a local model server needs no key and gets one request at a time by default', async () => {
    const runtime = await startConfigured(await folderWith());
    const { provider, providers } = await runtime.request('app.state', {});
    expect(provider).toMatchObject({ maxConcurrent: 3, ready: false });
    expect(providers.at(-1), 'the demo has nothing to wait for').toMatchObject({ name: 'demo', maxConcurrent: 3 });
    const local = await runtime.request('provider.set', { baseUrl: 'http://localhost:11434' });
    expect(local.provider).toMatchObject({ maxConcurrent: 1, ready: true });
    const gateway = await startConfigured(await folderWith(), { baseUrl: 'http://127.0.0.1:4000' });
    expect((await gateway.request('app.state', {})).provider, 'a gateway of the environment').toMatchObject({
      maxConcurrent: 3,
    });
    await runtime.request('settings.set', { path: 'providers.anthropic.max_concurrent', value: 4 });
    expect((await runtime.request('app.state', {})).provider).toMatchObject({ maxConcurrent: 4 });
    const elsewhere = await runtime.request('provider.set', { baseUrl: 'https://models.example' });
    expect(elsewhere.provider.ready, 'elsewhere a key is needed').toBe(false);
  });
});

/** Settings change what happens: default model, aliases, endpoint and key. (The limits are tested where they bind.) */
import { describe, expect, onTestFinished, test } from 'vitest';
import { LiveSettings } from '#core/settings/live-settings.ts';
import { createModel } from '#core/model/adapters.ts';
import { ModelLists } from '#core/model/model-lists.ts';
import { Providers } from '#core/model/providers/providers.ts';
import { fileSecrets } from '#core/settings/secrets.ts';
import { loadSettings } from '#core/settings/settings.ts';
import { settingsOf } from '../../support/compose.ts';
import { startEngine } from '../../support/engine.ts';
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
    const make = (
      environment: { apiKey: string | undefined; baseUrl: string | undefined },
      settings = settingsOf(''),
    ): Providers =>
      new Providers({
        secrets: fileSecrets(config),
        lists: new ModelLists(),
        settings: new LiveSettings(config, settings),
        environment,
        createModel,
      });
    const request = {
      model: 'claude-haiku-5-5',
      maxTokens: 10,
      effort: null,
      system: '',
      messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hi' }] }],
      tools: [],
      toolChoice: 'auto' as const,
    };
    const ask = async (provider: Providers): Promise<void> => {
      for await (const event of (await provider.model()).stream(request, AbortSignal.timeout(5000)))
        if (event.type === 'end') return;
    };
    const nothing = { apiKey: undefined, baseUrl: undefined };
    const provider = make(nothing);
    await expect(provider.model()).rejects.toMatchObject({ code: 'no_key' });
    await expect(provider.set({ apiKey: 'two words' })).rejects.toMatchObject({ code: 'bad_input' });
    await provider.set({ apiKey: ' own-key ', baseUrl: own.url });
    expect(await provider.state()).toMatchObject({
      ready: true,
      keySource: 'store',
      baseUrl: own.url,
      baseUrlSource: 'file',
    });
    await ask(provider);
    expect(own.requests).toHaveLength(1);

    const restarted = make(nothing, await loadSettings(config));
    await ask(restarted);
    expect(own.requests).toHaveLength(2);
    const overruled = make({ apiKey: 'env-key', baseUrl: other.url }, await loadSettings(config));
    expect(await overruled.state()).toMatchObject({ keySource: 'environment', baseUrlSource: 'environment' });
    await ask(overruled);
    expect(other.requests).toHaveLength(1);

    await restarted.set({ apiKey: '', baseUrl: '' });
    expect(await restarted.state()).toMatchObject({
      ready: false,
      keySource: 'none',
      baseUrl: null,
      baseUrlSource: 'default',
    });
    expect(await loadSettings(config)).toEqual(settingsOf(''));
  });

  test('a local model server needs no key and gets one request at a time by default', async () => {
    const config = await folderWith();
    const settings = new LiveSettings(config, settingsOf(''));
    const provider = (baseUrl?: string): Providers =>
      new Providers({
        secrets: fileSecrets(config),
        lists: new ModelLists(),
        settings,
        createModel,
        environment: { apiKey: undefined, baseUrl },
      });
    const local = provider();
    expect([local.concurrency('anthropic'), (await local.state()).ready]).toEqual([3, false]);
    await local.set({ baseUrl: 'http://localhost:11434' });
    expect([local.concurrency('anthropic'), (await local.state()).ready]).toEqual([1, true]);
    expect(local.concurrency('demo'), 'the demo has nothing to wait for').toBe(3);
    expect(provider('http://127.0.0.1:4000').concurrency('anthropic'), 'a gateway of the environment').toBe(3);
    await settings.set('providers.anthropic.max_concurrent', 4);
    expect(local.concurrency('anthropic')).toBe(4);
    await local.set({ baseUrl: 'https://models.example' });
    expect((await local.state()).ready, 'elsewhere a key is needed').toBe(false);
  });
});

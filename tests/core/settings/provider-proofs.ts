/** Each setting of the providers that come with the program changes who is asked, what, or how many at a time. */
import { expect, onTestFinished } from 'vitest';
import type { ProviderState } from '#contract/providers/provider.ts';
import { plainAnswer } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { type FakeModel, startFakeModel } from '../../support/fake-model/server.ts';
import type { Harness } from '../../support/engine.ts';
import type { Proof } from './live-settings.test.ts';

const answers = (): Script => new Script().on({}).reply([text('Done.')]);
const openai = async ({ runtime }: Harness): Promise<ProviderState | undefined> =>
  (await runtime.request('app.state', {})).providers.find(({ name }) => name === 'openai');

/** From now on the lead is asked at a second server, as `openai`. */
async function atOpenAi({ runtime }: Harness, model = true): Promise<FakeModel> {
  const other = await startFakeModel(answers(), { keys: null });
  onTestFinished(() => other.close());
  await runtime.request('settings.set', { path: 'providers.openai.base_url', value: `${other.url}/v1` });
  if (model) await runtime.request('settings.set', { path: 'providers.openai.defaults.model', value: 'gpt' });
  await runtime.request('settings.set', { path: 'providers.active', value: 'openai' });
  return other;
}

const askedAt = ({ requests }: FakeModel): unknown[] => requests.map(({ path, body }) => [path, body.model]);

/** What the settings file says for these proofs. */
export const EMBEDDINGS = '[providers.openai.embeddings]\nmodel = "small"\ndimensions = 3\n';
const EMBEDS = { 'providers.embeddings': 'openai' };
const searches = (): Script =>
  new Script()
    .on({ step: 1 })
    .reply([toolUse('semantic_search', { query: 'workspace' })])
    .on({})
    .reply([text('Done.')]);

/** Has a search of notes made, with a server that embeds them; `asked`: how often, and whether it could be used. */
async function search(engine: Harness, dimensions: number): Promise<{ asked: number; isUsed: boolean }> {
  let asked = 0;
  const embed = (): number[] => {
    asked += 1;
    return Array.from({ length: dimensions }, () => 1);
  };
  const other = await startFakeModel(answers(), { keys: null, embed });
  onTestFinished(() => other.close());
  await engine.runtime.request('settings.set', { path: 'providers.openai.base_url', value: `${other.url}/v1` });
  await engine.ask('Go');
  return { asked, isUsed: !JSON.stringify(engine.of('tool-end')).includes('Ranked by words alone') };
}

export const PROVIDER_PROOFS: Readonly<Record<string, Proof>> = {
  'limits.unattended_wait_minutes': {
    value: 0,
    script: () => new Script().on({}).reply([], { status: 529 }),
    own: { isAttended: false },
    check: async (engine) => {
      expect(await engine.ask('Go')).toMatchObject({ outcome: 'interrupted' });
      expect(engine.model.requests).toHaveLength(1);
    },
  },
  'providers.active': {
    value: 'demo',
    script: plainAnswer,
    check: async ({ runtime }) => {
      expect((await runtime.request('app.state', {})).provider.name).toBe('demo');
      expect((await runtime.request('agents.preview', { agent: 'lead' })).envelope.model).toMatch(/demo/);
    },
  },
  'providers.anthropic.defaults.model': {
    value: 'haiku',
    script: plainAnswer,
    check: async ({ runtime }) => {
      const { envelope } = await runtime.request('agents.preview', { agent: 'lead' });
      expect(envelope.model).toBe('claude-haiku-5-5');
    },
  },
  'providers.anthropic.defaults.max_tokens': {
    value: 77,
    script: plainAnswer,
    check: async (engine) => {
      await engine.ask('Go');
      expect(engine.model.requests.map(({ sent }) => sent)).toMatchObject([{ max_tokens: 77 }]);
    },
  },
  'providers.openai.type': {
    value: 'openai-chat',
    script: plainAnswer,
    check: async (engine) => {
      const other = await atOpenAi(engine);
      await engine.ask('Go');
      expect(askedAt(other)).toEqual([['/v1/chat/completions', 'gpt']]);
    },
  },
  'providers.openai.base_url': {
    value: 'http://127.0.0.1:9/v1',
    script: plainAnswer,
    check: async (engine) => {
      expect((await openai(engine))?.address).toBe('http://127.0.0.1:9/v1');
      const other = await atOpenAi(engine);
      await engine.ask('Go');
      expect([other.requests.length, engine.model.requests.length]).toEqual([1, 0]);
    },
  },
  'providers.openai.max_concurrent': {
    value: 2,
    script: plainAnswer,
    check: async (engine) => expect(await openai(engine)).toMatchObject({ maxConcurrent: 2 }),
  },
  'providers.openai.defaults.model': {
    value: 'gpt-mine',
    script: plainAnswer,
    check: async (engine) => {
      const other = await atOpenAi(engine, false);
      await engine.ask('Go');
      expect(askedAt(other)).toEqual([['/v1/responses', 'gpt-mine']]);
    },
  },
  'providers.openai.defaults.max_tokens': {
    value: 55,
    script: plainAnswer,
    check: async (engine) => {
      const other = await atOpenAi(engine);
      await engine.ask('Go');
      expect(other.requests.map(({ sent }) => sent)).toMatchObject([{ max_output_tokens: 55 }]);
    },
  },
  'providers.embeddings': {
    value: 'openai',
    script: searches,
    check: async (engine) => {
      const { asked, isUsed } = await search(engine, 3);
      expect([asked > 0, isUsed]).toEqual([true, true]);
    },
  },
  'providers.openai.embeddings.model': {
    value: 'large',
    before: EMBEDS,
    script: searches,
    check: async (engine) => {
      // A vector of another model than the one that is set would not be compared with the others.
      expect((await search(engine, 2)).isUsed).toBe(false);
      expect(JSON.stringify(engine.of('tool-end'))).toContain('openai/large failed');
    },
  },
  'providers.openai.embeddings.dimensions': {
    value: 2,
    before: EMBEDS,
    script: searches,
    check: async (engine) => expect(await search(engine, 2)).toMatchObject({ isUsed: true }),
  },
};

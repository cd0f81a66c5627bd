/** What the settings of searches of the web change: proofs for `live-settings.test.ts`. */
import { expect } from 'vitest';
import type { Harness } from '../../support/engine.ts';
import { plainAnswer } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { searchServer } from '../../support/web/search-server.ts';
import type { Proof } from './live-settings.test.ts';

/** What the settings file says for these proofs. */
export const ALLOWED = '[[permissions.rules]]\neffect = "allow"\ntool = "web_search"\n';
const NOBODY = { 'web.search.url': 'http://127.0.0.1:1/?q={query}' };

async function offered(engine: Harness) {
  await engine.ask('Go');
  return engine.model.requests.at(-1)?.body.tools?.find(({ name }) => name === 'web_search');
}

const searching = (): Script =>
  new Script()
    .on({ step: 1 })
    .reply([toolUse('web_search', { query: 'sums' })])
    .on({})
    .reply([text('Done.')]);

async function searched(engine: Harness): Promise<string | undefined> {
  await engine.ask('Go');
  return engine.of('tool-end')[0]?.entry.output;
}

export const SEARCH_PROOFS: Record<string, Proof> = {
  'providers.anthropic.web_search': {
    value: 'always',
    script: plainAnswer,
    check: async (engine) => {
      expect(await offered(engine)).toHaveProperty('type', 'web_search_20260318');
      await engine.runtime.request('settings.set', { path: 'providers.anthropic.web_search', value: 'never' });
      expect(await offered(engine)).toBeUndefined();
    },
  },
  'web.search.max_uses': {
    value: 2,
    before: { 'providers.anthropic.web_search': 'always' },
    script: plainAnswer,
    check: async (engine) => expect(await offered(engine)).toHaveProperty('max_uses', 2),
  },
  'web.search.url': {
    value: 'http://127.0.0.1:1/?q={query}',
    script: searching,
    check: async (engine) => expect(await searched(engine)).toContain('127.0.0.1:1 cannot be reached'),
  },
  'web.search.key_header': {
    value: 'X-Key',
    before: NOBODY,
    script: searching,
    check: async (engine) => expect(await searched(engine)).toContain('wants a key in X-Key'),
  },
  'web.search.results': {
    value: 1,
    before: NOBODY,
    script: searching,
    check: async (engine) => {
      const results = [1, 2].map((n) => ({ title: `Page ${n}`, url: `https://example.org/${n}` }));
      const { url: value } = await searchServer({ body: { results } });
      await engine.runtime.request('settings.set', { path: 'web.search.url', value });
      expect(await searched(engine)).toBe('1. Page 1\n   https://example.org/1');
    },
  },
};

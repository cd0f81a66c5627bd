/** What the settings of contexts change: proofs for `live-settings.test.ts`. */
import { expect } from 'vitest';
import { summarising, words } from '../../support/fake-model/compacting.ts';
import { text, toolUse } from '../../support/fake-model/script.ts';
import type { Proof } from './live-settings.test.ts';

const look = () => toolUse('list_directory', {});
const MODEL = { 'models.default': 'claude-haiku-4-5' };

/** A context of 100,000 of 200,000 tokens. */
const long = () =>
  summarising()
    .on({ step: 1 })
    .reply([words(90_000), look()])
    .on({ step: 2 })
    .reply([look()], { usage: { input: 100_000 } })
    .on({})
    .reply([text('Done.')]);

export const CONTEXT_PROOFS: Record<string, Proof> = {
  'context.compact_at': {
    value: 0.5,
    before: MODEL,
    script: long,
    check: async (engine) => {
      await engine.ask('Go');
      expect(engine.of('compaction')).toHaveLength(1);
    },
  },
  'context.auto_compact': {
    value: false,
    before: { ...MODEL, 'context.compact_at': 0.5 },
    script: long,
    check: async (engine) => {
      await engine.ask('Go');
      expect(engine.of('compaction')).toEqual([]);
    },
  },
};

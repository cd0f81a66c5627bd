// Notes are found by what they mean where the settings name a provider that embeds, and by their words where it fails.
import { expect, test } from 'vitest';
import { startEngine } from '../../support/engine.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';

const KIND = ['car', 'vehicle', 'automobile'];
const files = {
  'notes/garage.md': 'The automobile stands in the garage.',
  'notes/kitchen.md': 'The soup is on the stove.',
};
const EMBEDS = 'providers.embeddings = "local"\nproviders.local.embeddings = { model = "embed-1", dimensions = 2 }\n';

async function found(...embedders: ((words: string) => number[])[]): Promise<string[]> {
  const script = new Script()
    .on({ step: 1 })
    .reply([toolUse('semantic_search', { query: 'vehicle' })])
    .on({})
    .reply([text('Done.')]);
  const left = [...embedders];
  const embed = (words: string): number[] => left[0]!(words);
  const options = { files, protocol: 'chat', settings: EMBEDS } as const;
  const engine = await startEngine(script, { ...options, ...(left.length > 0 ? { embed } : {}) });
  do {
    await engine.ask('Look');
    left.shift();
  } while (left.length > 0);
  return engine.of('tool-end').map(({ entry }) => entry.output);
}

test('finds a note by its meaning, and reports a wrong vector length with the setting to correct', async () => {
  const byKind = (words: string) => (KIND.some((one) => words.includes(one)) ? [1, 0.1] : [0.1, 1]);
  const [output, other] = await found(byKind, () => [1, 2, 3]);
  expect(output).toContain('garage');
  expect(output).not.toContain('by words alone');
  expect(other).toContain('gives vectors of 3 numbers, not 2: correct embeddings.dimensions');
});

test('names an endpoint without embeddings and ranks by words', async () => {
  expect((await found())[0]).toContain('Ranked by words alone: local/embed-1 failed: ');
});

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

async function found(embed?: (words: string) => number[]): Promise<string> {
  const script = new Script()
    .on({ step: 1 })
    .reply([toolUse('semantic_search', { query: 'vehicle' })])
    .on({})
    .reply([text('Done.')]);
  const engine = await startEngine(script, { files, protocol: 'chat', settings: EMBEDS, ...(embed ? { embed } : {}) });
  await engine.ask('Look');
  return engine.of('tool-end')[0]!.entry.output;
}

test('a note that says it in other words is found first', async () => {
  const output = await found((words) => (KIND.some((one) => words.includes(one)) ? [1, 0.1] : [0.1, 1]));
  expect(output).toContain('garage');
  expect(output).not.toContain('by words alone');
});

test('an endpoint that embeds nothing is named, and words find what they find', async () => {
  expect(await found()).toContain('Ranked by words alone: local/embed-1 failed: ');
});

test('vectors of another length are an error that names the setting', async () => {
  expect(await found(() => [1, 2, 3])).toContain('gives vectors of 3 numbers, not 2: correct embeddings.dimensions');
});

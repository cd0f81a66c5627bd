/** What a sub-agent reported can be searched by the next workflow of the folder, and by no other folder's. */
import { expect, test } from 'vitest';
import { canonicalHash } from '#core/base/hash.ts';
import { startEngine } from '../../support/engine.ts';
import { CHILD, spawn } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { folderWith } from '../../support/workspace.ts';

const search = toolUse('semantic_search', { query: 'wombat' });

function script(): Script {
  return new Script()
    .on(CHILD)
    .reply([text('# Report\n\nThe wombat is in the cellar.')])
    .on({ asked: /^First/, step: 1 })
    .reply([search, spawn({ name: 'scout', prompt: 'Find it.' })])
    .on({ asked: /^Then/, step: 1 })
    .reply([search])
    .on({})
    .reply([text('Done.')]);
}

const found = (engine: Awaited<ReturnType<typeof startEngine>>) =>
  engine
    .of('tool-end')
    .filter(({ entry }) => entry.name === 'semantic_search')
    .map(({ entry }) => entry.output);

test('a search finds a report after its workflow ended, but not in another folder or in the trash', async () => {
  const engine = await startEngine(script());
  await engine.ask('First look');
  await engine.ask('Then search');
  const [during, after] = found(engine);
  expect(during).toContain('Nothing was found');
  expect(after).toMatch(/^report of scout, .* — .*\n {2}.*wombat is in the cellar/);

  const { runtime, conversationId } = engine;
  const ask = async (folder?: string) => {
    const { id } = await runtime.request('conversation.create', folder === undefined ? {} : { folder });
    const ended = Promise.withResolvers<string>();
    await runtime.subscribe('conversation', { conversationId: id }, (event) => {
      if (event.type === 'tool-end') ended.resolve(event.entry.output);
    });
    await runtime.request('message.send', { conversationId: id, text: 'Then search', approve: 'ask' });
    return ended.promise;
  };
  expect(await ask()).toContain('wombat is in the cellar');
  expect(await ask(await folderWith({ 'a.md': '# A' }))).toContain('Nothing was found');
  await runtime.request('conversation.delete', { conversationId });
  expect(await ask()).toContain('Nothing was found');
});

test('a sub-agent finds only reports of its own workflow, and only if its approved envelope allows it', async () => {
  const asked = (name: string, more = {}) => spawn({ name, prompt: `Search: ${name}.`, ...more });
  const again = new Script()
    .on({ ...CHILD, asked: /^Find/ })
    .reply((seen) => [text(`# Report\n\nThe wombat is in the ${seen.prompt.includes('cellar') ? 'cellar' : 'attic'}.`)])
    .on({ ...CHILD, step: 1 })
    .reply([search])
    .on(CHILD)
    .reply([text('# Report\n\nNothing.')])
    .on({ asked: /^First/, step: 1 })
    .reply([spawn({ name: 'scout', prompt: 'Find it in the cellar.' })])
    .on({ asked: /^Then/, step: 1 })
    .reply([spawn({ name: 'scout', prompt: 'Find it.' })])
    .on({ asked: /^Then/, step: 2 })
    .reply([asked('seeing', { sees_reports: true }), asked('refused', { sees_reports: true })])
    .on({})
    .reply([text('Done.')]);
  const engine = await startEngine(again, {
    person: ({ request: { subject } }) => {
      const [envelope] = subject.kind === 'envelopes' ? subject.items.map((one) => one.envelope) : [];
      if (envelope?.agent !== 'refused') return { kind: 'allow' };
      const { seesReports: _, ...value } = envelope;
      return { kind: 'edit', value };
    },
  });
  await engine.ask('First look');
  await engine.ask('Then search');
  const outputs = new Map(
    engine
      .of('tool-end')
      .flatMap(({ agent, entry }) => (entry.name === 'semantic_search' ? [[agent, entry.output]] : [])),
  );
  expect(outputs.get('seeing')).toMatch(/^report of scout, .*\n {2}.*wombat is in the attic\.$/);
  expect(outputs.get('refused'), 'the person took it away').toContain('Nothing was found');
  const start = (agent: string) => engine.of('run-start').find((event) => event.agent === agent);
  expect(start('seeing')?.envelope.seesReports).toBe(true);
  expect(start('scout')?.envelope).not.toHaveProperty('seesReports');
  const { envelope, envelopeHash } = start('seeing')!;
  const { seesReports: _, ...without } = envelope;
  expect([canonicalHash(envelope), canonicalHash(without) === envelopeHash]).toEqual([envelopeHash, false]);
});

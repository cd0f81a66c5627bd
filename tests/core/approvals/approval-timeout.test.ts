/** The time that an agent's definition gives for an answer is that of its questions alone; without an answer they end as no. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startEngine } from '../../support/engine.ts';
import { delegateTo, LEAD } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';

const HELPER = '---\nname: helper\ndescription: Helps\napproval_timeout: 1\n---\nHelp.\n';

test('rejects a call of an agent after its own approval timeout of one second', async () => {
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([delegateTo('helper', 'Write it.')])
    .on(LEAD)
    .reply([text('It was not written.')])
    .on({ step: 1 })
    .reply([toolUse('write_file', { path: 'a.md', content: 'written' })])
    .on({})
    .reply((seen) => [text(`# Report\n\n${seen.results[0]?.text}`)]);
  const engine = await startEngine(script, {
    files: { '.triad/agents/helper.md': HELPER },
    person: ({ request }) => (request.subject.kind === 'envelopes' ? { kind: 'allow' } : null),
  });
  const { folder, runtime } = engine;
  const { files } = await runtime.request('trust.look', { folder });
  const seen = files.flatMap(({ path, hash }) => (hash === null ? [] : [{ path, hash }]));
  await runtime.request('trust.set', { folder, files: seen });

  const end = await engine.ask('Have it written');
  const asked = engine.of('approval-request').map(({ approval }) => [approval.agent, approval.remainingMs]);
  expect(asked).toEqual([
    ['lead', 300_000],
    ['helper', 1000],
  ]);
  expect(engine.of('approval-decide').map(({ decision }) => [decision.allowed, decision.decidedBy])).toEqual([
    [true, 'person'],
    [false, 'timeout'],
  ]);
  expect(engine.of('tool-start').filter(({ name }) => name === 'write_file')).toEqual([]);
  await expect(readFile(join(folder, 'a.md'))).rejects.toThrow('ENOENT');
  expect(end.subAgents).toMatchObject([{ agent: 'helper', outcome: 'completed' }]);
  expect(engine.model.requests.at(-2)?.seen.results[0]).toMatchObject({ isError: true });
});

/** The model is told what the person changed in its call, on its next request. */
import { expect, test } from 'vitest';
import type { Harness } from '../../support/engine.ts';
import { delegateTo, LEAD, CHILD, spawn } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import type { Person } from '../../support/compose.ts';
import { sharedEngine } from '../../support/shared-engine.ts';

const { start } = sharedEngine();

const results = (engine: Harness) => engine.model.requests.at(-1)!.seen.results.map((result) => result.text);

test('the tool result shows the model how the person changed the content of a file', async () => {
  const script = new Script();
  script.on({ step: 1 }).reply([toolUse('write_file', { path: 'a.md', content: 'Mine.\n' })]);
  script.on({}).reply([text('Done.')]);
  const engine = await start(script, {
    person: () => ({ kind: 'edit', value: { path: 'a.md', content: 'Yours.\nAll of it.\n' } }),
  });
  await engine.ask('Write');
  expect(results(engine)).toEqual([
    expect.stringMatching(
      /^Made a\.md: [\s\S]*The person changed this call before allowing it[\s\S]*-Mine\.\n\+Yours\./,
    ),
  ]);
});

test('the tool results show the model the changed prompt of a spawn, a delegation and a batch', async () => {
  const calls = [
    spawn({ name: 'scout', prompt: 'Look.' }),
    delegateTo('code-reviewer', 'Look.'),
    toolUse('parallel_tasks', {
      operation: 'execute_batch',
      tasks: [{ agent_id: 'code-reviewer', prompt: 'Look.' }],
    }),
  ];
  const script = new Script();
  script.on({ ...LEAD, step: 1 }).reply(calls);
  script.on(CHILD).reply([text('# Report\n\nSeen.')]);
  script.on({}).reply([text('Done.')]);
  const person: Person = ({ request: { subject } }, item) => {
    if (subject.kind !== 'envelopes') throw new Error('no envelope');
    return { kind: 'edit', value: { ...subject.items[item]!.envelope, prompt: 'Look twice.' } };
  };
  const engine = await start(script, { person });
  await engine.ask('Start');
  const told = results(engine).map(
    (result) => JSON.parse(result) as { changed_by_person?: string; results?: { changed_by_person?: string }[] },
  );
  expect(told.map((one) => one.changed_by_person ?? one.results?.[0]?.changed_by_person)).toEqual(
    calls.map(() => 'prompt: "Look." → "Look twice."'),
  );
});

test('the tool result has no note about changes if the person changed nothing', async () => {
  const script = new Script();
  script.on({ ...LEAD, step: 1 }).reply([spawn({ name: 'scout', prompt: 'Look.' })]);
  script.on(CHILD).reply([text('# Report\n\nSeen.')]);
  script.on({}).reply([text('Done.')]);
  const engine = await start(script);
  await engine.ask('Start');
  expect(results(engine)[0]).not.toContain('changed_by_person');
});

/** How many work at the same time: as many as the settings say, first come first served, and results in the order of the calls. */
import { expect, test } from 'vitest';
import type { Answer } from '#contract/approval.ts';
import { maxQueueDepth } from '#core/records/sessions/trace-entries.ts';
import { eventually } from '../../support/eventually.ts';
import { type Harness, startEngine } from '../../support/engine.ts';
import { firstLines, LEAD, spawn } from '../../support/fake-model/scenarios.ts';
import { Script, text } from '../../support/fake-model/script.ts';

const NAMES = ['a', 'b', 'c'];

/** Each of three sub-agents makes one request; all of them wait until so many have come at the same time. */
function three(together: number): Script {
  const enough = Promise.withResolvers<void>();
  let came = 0;
  const until = (): Promise<void> => {
    came += 1;
    if (came >= together) enough.resolve();
    return enough.promise;
  };
  return new Script()
    .on({ ...LEAD, step: 1 })
    .reply(NAMES.map((name) => spawn({ name, prompt: `Do ${name}.` })))
    .on(LEAD)
    .reply(({ results }) => [text(results.flatMap(firstLines).join(', '))])
    .on({})
    .reply(({ prompt }) => [text(`Report on ${prompt}`)], { hold: { after: 0, until } });
}

/** Most requests of sub-agents that were answered at the same time. */
function peak({ model }: Harness): number {
  const spans = model.requests
    .filter(({ seen }) => !seen.tools.includes('spawn_agent'))
    .map(({ receivedAt, endedAt }) => ({ from: receivedAt, to: endedAt ?? Infinity }));
  return Math.max(...spans.map(({ from: at }) => spans.filter(({ from, to }) => from <= at && at < to).length));
}

test.for([
  [1, '[providers.anthropic]\nmax_concurrent = 1\n'],
  [2, '[providers.anthropic]\nmax_concurrent = 2\n'],
  [3, ''],
  [1, '[limits]\nmax_concurrent = 1\n'],
  [2, '[limits]\nmax_concurrent = 2\n'],
] as const)('%i at the same time: %j', async ([most, settings]) => {
  const engine = await startEngine(three(most), { settings });
  const end = await engine.ask('Go');
  expect(peak(engine)).toBe(most);
  expect(end.text).toBe('Report on Do a., Report on Do b., Report on Do c.');
});

test('one at a time, answered in another order: they begin in the order of the calls, never two at once', async () => {
  const engine = await startEngine(three(1), {
    settings: '[limits]\nmax_concurrent = 1\n',
    person: () => null,
  });
  const { workflowId } = await engine.send('Go');
  await eventually(() => expect(engine.of('approval-request')).toHaveLength(3));
  for (const { approval } of engine.of('approval-request').reverse())
    await engine.runtime.request('approval.decide', { approvalId: approval.id, answer: { kind: 'allow' } });
  const end = await engine.ended(workflowId);
  const steps = engine
    .durable()
    .flatMap(({ type, parentRunId, agent }) =>
      parentRunId && (type === 'run-start' || type === 'run-end') ? [{ type, agent }] : [],
    );
  const expected = NAMES.flatMap((agent) => [
    { type: 'run-start', agent },
    { type: 'run-end', agent },
  ]);
  expect(steps).toEqual(expected);
  expect(end.text).toBe('Report on Do a., Report on Do b., Report on Do c.');
  const { runs } = await engine.runtime.request('workflow.get', { workflowId });
  expect(maxQueueDepth(runs.filter(({ parentRunId }) => parentRunId !== null))).toBe(3);
});

test('one at a time: one that is refused or stopped holds nobody up', async () => {
  const engine = await startEngine(three(1), {
    settings: '[limits]\nmax_concurrent = 1\n',
    person: () => null,
  });
  const { workflowId } = await engine.send('Go');
  await eventually(() => expect(engine.of('approval-request')).toHaveLength(3));
  const [a, b, c] = engine.of('approval-request').map(({ approval }) => approval);
  const decide = (approval: typeof a, answer: Answer) =>
    engine.runtime.request('approval.decide', { approvalId: approval?.id ?? '', answer });
  await decide(c, { kind: 'allow' });
  await decide(a, { kind: 'reject', reason: 'No' });
  const waiting = b?.subject.kind === 'envelopes' ? b.subject.items[0]?.runId : undefined;
  await engine.runtime.request('run.stop', { runId: waiting ?? '' });
  const end = await engine.ended(workflowId);
  expect(end.subAgents.map(({ outcome }) => outcome)).toEqual(['rejected', 'rejected', 'completed']);
});

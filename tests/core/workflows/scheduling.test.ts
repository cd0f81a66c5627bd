/** How many work at the same time: as many as the settings say, first come first served, and results in the order of the calls. */
import { expect, test } from 'vitest';
import type { Answer } from '#contract/approval.ts';
import { maxQueueDepth } from '#core/host/records/sessions/trace-entries.ts';
import { eventually } from '../../support/eventually.ts';
import { type Harness, outputOf, startEngine } from '../../support/engine.ts';
import { firstLines, LEAD, spawn } from '../../support/fake-model/scenarios.ts';
import { Script, text } from '../../support/fake-model/script.ts';
import { Gate } from '../../support/gate.ts';
import { variations } from '../../support/samples.ts';

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

test.for(
  variations([
    [1, '[providers.anthropic]\nmax_concurrent = 1\n'],
    [2, '[limits]\nmax_concurrent = 2\n'],
    [2, '[providers.anthropic]\nmax_concurrent = 2\n'],
    [3, ''],
    [1, '[limits]\nmax_concurrent = 1\n'],
  ] as const),
)('runs at most %i sub-agents concurrently with the settings %j', async ([most, settings]) => {
  const engine = await startEngine(three(most), { settings });
  const end = await engine.ask('Go');
  expect(peak(engine)).toBe(most);
  expect(end.text).toBe('Report on Do a., Report on Do b., Report on Do c.');
});

test('a request that waits for its turn at the provider reports the limit of concurrent requests', async () => {
  const held = new Gate();
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply(NAMES.slice(0, 2).map((name) => spawn({ name, prompt: `Do ${name}.` })))
    .on(LEAD)
    .reply([text('Done.')])
    .on({})
    .reply([text('Report.')], { hold: held.at(0) });
  const engine = await startEngine(script, { settings: '[providers.anthropic]\nmax_concurrent = 1\n' });
  const { workflowId } = await engine.send('Go');
  const waiting = await engine.event('turn-start', ({ atATime }) => atATime !== undefined);
  expect(waiting).toMatchObject({ atATime: 1, turn: 0 });
  const isSent = (): boolean => engine.of('request-start').some(({ runId }) => runId === waiting.runId);
  expect(isSent()).toBe(false);
  held.open();
  await engine.ended(workflowId);
  expect(isSent()).toBe(true);
  expect(engine.of('turn-start').filter(({ atATime }) => atATime !== undefined)).toHaveLength(1);
});

/** As the session's metadata and the trace say it. */
async function depthOf(engine: Harness, workflowId: string): Promise<number> {
  const { runs } = await engine.runtime.request('workflow.get', { workflowId });
  return maxQueueDepth(runs.filter(({ parentRunId }) => parentRunId !== null));
}

test.for(
  variations([
    ['[providers.anthropic]\nmax_concurrent = 1\n', 0],
    ['[limits]\nmax_concurrent = 2\n', 1],
    ['', 0],
    ['[limits]\nmax_concurrent = 1\n', 2],
  ] as const),
)(
  'with the settings %j: counts %i sub-agents as waiting for a slot, and no wait for an approval',
  async ([settings, depth]) => {
    const answered = new Gate();
    const script = new Script()
      .on({ ...LEAD, step: 1 })
      .reply(NAMES.map((name) => spawn({ name, prompt: `Do ${name}.` })))
      .on(LEAD)
      .reply([text('Done.')])
      .on({})
      .reply([text('Report.')], { hold: answered.at(0) });
    const engine = await startEngine(script, { settings, person: () => null });
    const { workflowId } = await engine.send('Go');
    await eventually(() => expect(engine.of('approval-request')).toHaveLength(3));
    const [first, ...others] = engine.of('approval-request').map(({ approval }) => approval.id);
    const allow = (approvalId: string) =>
      engine.runtime.request('approval.decide', { approvalId, answer: { kind: 'allow' } });
    await allow(first!);
    await engine.event('run-start', ({ parentRunId }) => parentRunId !== null);
    for (const id of others) await allow(id);
    answered.open();
    await engine.ended(workflowId);
    expect(await depthOf(engine, workflowId)).toBe(depth);
  },
);

test('counts a sub-agent that was stopped while waiting for a slot as having waited', async () => {
  const held = new Gate();
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply(['a', 'b'].map((name) => spawn({ name, prompt: `Do ${name}.` })))
    .on(LEAD)
    .reply([text('Done.')])
    .on({})
    .reply([text('Report.')], { hold: held.at(0) });
  const engine = await startEngine(script, { settings: '[limits]\nmax_concurrent = 1\n' });
  const { workflowId } = await engine.send('Go');
  const waits = await engine.event('run-queue', ({ agent }) => agent === 'b');
  await engine.event('approval-decide', ({ seq }) => engine.of('approval-decide').length === 2 && seq > 0);
  await held.reached;
  await engine.runtime.request('run.stop', { runId: waits.runId });
  held.open();
  const end = await engine.ended(workflowId);
  expect(end.subAgents.map(({ outcome }) => outcome)).toEqual(['completed', 'cancelled']);
  expect(await depthOf(engine, workflowId)).toBe(1);
});

test('with one slot sub-agents start in the order of the calls, whatever the order of the approvals', async () => {
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
  expect(await depthOf(engine, workflowId)).toBe(2);
});

test('with one slot a rejected or stopped sub-agent does not block the next', async () => {
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

test('with one slot the next sub-agent starts after a failure, and the results are in the order of the calls', async () => {
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply(NAMES.map((name) => spawn({ name, prompt: `Do ${name}.` })))
    .on(LEAD)
    .reply(({ results }) => [text(results.map(({ text: output }) => outputOf(output).outcome).join(', '))])
    .on({ prompt: /Do a/ })
    .reply([], { status: 400 })
    .on({ prompt: /Do b/ })
    .reply([text('No.')], { stopReason: 'refusal' })
    .on({})
    .reply([text('Report')]);
  const engine = await startEngine(script, { settings: '[limits]\nmax_concurrent = 1\n' });
  const end = await engine.ask('Go');
  const children = engine.durable().filter(({ parentRunId }) => parentRunId !== null);
  const steps = children.flatMap(({ type, agent }) => (type === 'run-start' || type === 'run-end' ? [agent] : []));
  expect(steps).toEqual(['a', 'a', 'b', 'b', 'c', 'c']);
  expect(end.text).toBe('error, refused, completed');
});

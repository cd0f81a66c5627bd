/** A workflow that a process left in the middle: its spans end with what the next one recorded, and go on in a new attempt. */
import { expect, test } from 'vitest';
import { spanIdOf } from '#contract/telemetry/span-ids.ts';
import { lasting, memoryStore } from '../../../support/stores/pooled.ts';
import { answering, settingsOf, yes } from '../../../support/compose.ts';
import { startAgain, startEngine } from '../../../support/engine.ts';
import { CHILD, LEAD, spawn } from '../../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { type Received, startCollector } from '../../../support/telemetry/collector.ts';

const level = (spans: readonly Received[], name: string) =>
  spans.filter(({ attributes }) => attributes['triad.span'] === name);

test('spans of an interrupted workflow end as recorded, and spans of the next attempt link to them', async () => {
  const never = new Promise<never>(() => undefined);
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([spawn({ name: 'one', prompt: 'Look.', tools: ['list_directory'] })])
    .on({ ...CHILD, step: 1 })
    .reply([toolUse('list_directory', {})])
    .on(CHILD)
    // The first process never hears of this one.
    .reply([text('Never.')], { times: 1, hold: { after: 3, until: () => never } })
    .on(CHILD)
    .reply([text('Looked.')])
    .on({ ...LEAD })
    .reply([text('Done.')]);
  const store = await memoryStore();
  const first = await startEngine(script, { store: lasting(store) });
  const { workflowId, runId } = await first.send('Go', 'all');
  const child = (await first.event('run-start', ({ parentRunId }) => parentRunId !== null)).runId;
  await first.event('message-start', (event) => event.runId === child && event.turn === 1);

  // As after a kill: another process sweeps, and exports what the first one did not.
  const collector = await startCollector();
  const settings = settingsOf(`telemetry.endpoint = "${collector.url}"\n`);
  const second = await startAgain(first, store, { settings });
  const cut = [...(await collector.have(8))];
  expect(level(cut, 'prompt')).toMatchObject([
    { status: { code: 2 }, attributes: { 'triad.outcome': 'interrupted', 'error.type': 'interrupted' }, links: [] },
  ]);
  expect(
    level(cut, 'agent_turn').map(({ attributes }) => [attributes['triad.run.id'], attributes['triad.outcome']]),
  ).toEqual(
    expect.arrayContaining([
      [runId, 'interrupted'],
      [child, 'interrupted'],
    ]),
  );
  // What had ended before it, too: the call, and the two requests that had come whole.
  expect(
    level(cut, 'llm_completion')
      .map(({ attributes }) => attributes['error.type'] ?? 'whole')
      .sort(),
  ).toEqual([...['interrupted', 'whole', 'whole']]);
  const calls = level(cut, 'tool_execution');
  expect(calls.map(({ attributes }) => [attributes['tool.name'], attributes['tool.result.status']]).sort()).toEqual([
    ['list_directory', 'completed'],
    ['spawn_agent', 'interrupted'],
  ]);

  await answering(second, yes);
  await second.request('workflow.resume', { workflowId, approve: 'all' });
  const all = await collector.have(cut.length + 6);
  const later = all.slice(cut.length);
  const again = level(later, 'agent_turn');
  for (const id of [runId, child])
    expect(again.find(({ attributes }) => attributes['triad.run.id'] === id)).toMatchObject({
      spanId: spanIdOf(workflowId, ['agent', id, 2]),
      links: [{ spanId: spanIdOf(workflowId, ['agent', id, 1]) }],
      attributes: { 'triad.outcome': 'completed', 'triad.attempt': 2 },
    });
  expect(level(later, 'prompt')).toMatchObject([
    { status: { code: 1 }, links: [{ spanId: spanIdOf(workflowId, ['prompt', 1]) }] },
  ]);
  // One trace, each span once, and none without what it stands below.
  const ids = new Set(all.map(({ spanId }) => spanId));
  expect(new Set(all.map(({ traceId }) => traceId)).size).toBe(1);
  expect(ids.size).toBe(all.length);
  expect(all.filter(({ parentSpanId }) => parentSpanId !== undefined && !ids.has(parentSpanId))).toEqual([]);
  const { workflow } = await second.request('workflow.get', { workflowId });
  const output = level(all, 'llm_completion').reduce(
    (sum, one) => sum + Number(one.attributes['gen_ai.usage.output_tokens']),
    0,
  );
  expect(output).toBe(workflow.usage.outputTokens);
});

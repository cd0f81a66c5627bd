/** Every event that a client gets, live or later, names its run's trace and the agents above it; stored blocks do not grow by it. */
import { expect, test } from 'vitest';
import type { AgentEvent } from '#contract/event.ts';
import { startEngine } from '../../support/engine.ts';
import { done, PAIR, pair, startFlow } from '../../support/flows.ts';
import { CHILD, LEAD, spawn } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';

test('events and hints of a lead and its sub-agent have trace and chain, also when they are read again', async () => {
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([text('I ask somebody.'), spawn({ name: 'helper', prompt: 'Help.' })])
    .on({ ...CHILD, step: 1 })
    .reply([toolUse('memory', { operation: 'write', name: 'a', text: 'b' })])
    .on(CHILD)
    .reply([text('# Report\n\nHelped.')])
    .on({})
    .reply([text('Done.')]);
  const engine = await startEngine(script);
  await engine.ask('Go');
  const { conversationId, events, runtime, store } = engine;
  const chains = { lead: ['user', 'lead'], helper: ['user', 'lead', 'helper'] };
  const wanting = ({ agent, runId, traceId, parentChain }: AgentEvent) =>
    JSON.stringify([traceId, parentChain]) !==
    JSON.stringify([runId.replaceAll('-', ''), chains[agent as keyof typeof chains]]);
  const types = (some: AgentEvent[], agent: string) =>
    new Set(some.flatMap((e) => (e.agent === agent ? [e.type] : [])));
  expect(types(events, 'helper').size).toBeGreaterThan(8);
  expect(types(events, 'lead')).toContain('message-delta');
  expect(events.filter(wanting)).toEqual([]);

  const again = await runtime.request('conversation.events', { conversationId, after: 0 });
  expect(again).toEqual(engine.durable());
  const stored = await store.events(conversationId, 1, 1000);
  const bearing = stored.filter((event) => 'traceId' in event || 'parentChain' in event);
  expect(new Set(bearing.map(({ type }) => type)), 'all others follow from it').toEqual(new Set(['run-queue']));
});

test('events of a run that serves a sub-agent name that one too, also in a page without its queueing', async () => {
  const engine = await startFlow(pair(['First.'], { First: done('Good.') }), { flow: { type: 'judge' }, as: 'sub' });
  await engine.ask('Go');
  const { conversationId, events, runtime } = engine;
  const own = events.filter(({ agent }) => agent === 'checker');
  const chain = ['user', 'lead', PAIR, 'checker'];
  expect(own.length).toBeGreaterThan(8);
  expect(own.map(({ parentChain }) => parentChain)).toEqual(own.map(() => chain));
  const queued = engine.of('run-queue').at(-1)!.seq;
  const page = await runtime.request('conversation.events', { conversationId, after: queued });
  expect(page).toEqual(engine.durable().filter(({ seq }) => seq > queued));
});

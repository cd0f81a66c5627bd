/** Every event that a client gets, live or later, names its run's trace and the agents above it; stored blocks do not grow by it. */
import { expect, onTestFinished, test } from 'vitest';
import type { AgentEvent } from '#contract/event.ts';
import { ZERO_TALLY } from '#domain/tally.ts';
import { EventLog } from '#core/store/log/event-log.ts';
import { OpenMessages } from '#core/store/log/open-messages.ts';
import { Recorder } from '#core/store/log/recorder.ts';
import { WorkflowTotals } from '#core/store/log/workflow-totals.ts';
import { traced, tracedAll } from '#core/host/runtime/traced.ts';
import { memoryStore } from '../../../support/stores/pooled.ts';
import { startEngine } from '../../../support/engine.ts';
import { done, PAIR, pair, startFlow } from '../../../support/flows/flows.ts';
import { CHILD, LEAD, spawn } from '../../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { conversationId, conversationRow } from '../../../support/recording.ts';
import { recordedServing, served } from '../../../support/flows/served.ts';
import { eventItems } from '../../../support/commit-items.ts';
import { MemoryRows } from '../../../support/memory-rows.ts';

test('live and re-read events of a lead and sub-agent have trace id and parent chain; only run-queue stores them', async () => {
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

test('events of a coagent include the chain through its sub-agent, also on a page without its queue event', async () => {
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

/** By agent: also of those that work for a sub-agent, or follow one. */
const CHAINS: Readonly<Record<string, readonly string[]>> = {
  lead: ['user', 'lead'],
  critic: ['user', 'lead', 'critic'],
  writer: ['user', 'lead', 'writer'],
  proofreader: ['user', 'lead', 'writer', 'proofreader'],
  editor: ['user', 'lead', 'writer', 'editor'],
  checker: ['user', 'lead', 'writer', 'checker'],
};
const wrong = (events: readonly AgentEvent[]) =>
  events.filter(({ agent, parentChain }) => JSON.stringify(parentChain) !== JSON.stringify(CHAINS[agent]));

async function emptyLog() {
  const store = await memoryStore();
  onTestFinished(() => store.close());
  const rows = new MemoryRows([{ table: 'conversation', key: conversationId, row: conversationRow() }]);
  await store.commit([{ table: 'conversation', key: conversationId, row: conversationRow() }]);
  const log = new EventLog(store, (error) => {
    throw error;
  });
  await log.open(conversationId);
  const { durable } = recordedServing();
  await store.commit(rows.apply(durable[0]!));
  return { store, log, durable };
}

test.for([
  ['as its runs are queued', false],
  ['as it goes on in another process', true],
] as const)('a live event of a coagent or stage names all agents above, %s', async ([, again]) => {
  const { log, durable } = await emptyLog();
  const open = new OpenMessages(log);
  const told: AgentEvent[] = [];
  log.subscribe(conversationId, (event) => told.push(traced(event, 'lead', log.chains)));
  const queued = durable.filter((event) => event.type === 'run-queue');
  const contexts = queued.map(({ runId, traceId, parentChain }) => {
    return [runId, { traceId, parentChain, attempted: '' }] as const;
  });
  const totals = new WorkflowTotals(ZERO_TALLY, again ? contexts : []);
  for (const event of queued) {
    const { type, seq: _, at: __, conversationId: ___, workflowId, runId, parentRunId, agent, ...rest } = event;
    const ids = { conversationId, workflowId, runId, parentRunId, agent };
    const recorder = new Recorder(log, open, ids, ZERO_TALLY, totals);
    if (!again) void recorder.record({ type, ...rest });
    recorder.printed('call', 'words', 5);
    void recorder.record({ type: 'notice', level: 'info', text: 'It works' });
  }
  await log.flush();
  expect(told).toHaveLength(queued.length * (again ? 2 : 3));
  expect(wrong(told)).toEqual([]);
});

test('stored events of an earlier process get complete parent chains, with one read per run below a sub-agent', async () => {
  const { store, log, durable } = await emptyLog();
  await store.commit(eventItems(durable));
  let reads = 0;
  const counting = new EventLog({ ...store, run: (id) => ((reads += 1), store.run(id)) }, () => undefined);
  expect(wrong(await tracedAll(durable, 'lead', counting))).toEqual([]);
  expect(reads, 'one for each run below a sub-agent').toBe(3);
  expect(wrong(await tracedAll(durable, 'lead', counting))).toEqual([]);
  expect(reads, 'and none again').toBe(3);
  const [late] = durable.filter(({ runId }) => runId === served.checker.runId).slice(-1);
  expect(wrong(await tracedAll([late!], 'lead', log)), 'nothing of its lead is read with it').toEqual([]);
});

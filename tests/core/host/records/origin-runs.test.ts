/** What a fork shows of the sub-agents of the conversation that it is from: read there, and counted there. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { Gate } from '../../../support/gate.ts';
import { CHILD, LEAD, spawn } from '../../../support/fake-model/scenarios.ts';
import { Script, text } from '../../../support/fake-model/script.ts';
import { sharedEngine } from '../../../support/shared-engine.ts';

const { start } = sharedEngine();
type Engine = Awaited<ReturnType<typeof start>>;

const both = [
  spawn({ name: 'scout', prompt: 'Find it.' }, 'call_1'),
  spawn({ name: 'other', prompt: 'Look.' }, 'call_2'),
];

const snapshotOf = ({ runtime }: Engine, conversationId: string) =>
  runtime.request('conversation.snapshot', { conversationId });

const childrenIn = async (engine: Engine, id: string) =>
  (await snapshotOf(engine, id)).runs.filter(({ parentRunId }) => parentRunId !== null);

test('a fork, and a fork of a fork, show the sub-agents of the origin below their own lead, at no cost', async () => {
  const engine = await start(
    new Script()
      .on(CHILD)
      .reply([text('# Report\n\nIn the cellar.')])
      .on({ ...LEAD, step: 1 })
      .reply(both)
      .on({})
      .reply([text('Done.')]),
  );
  const { runtime, conversationId } = engine;
  const { workflowId, runId } = await engine.ask('Look');
  const fork = (id: string, at: string) => runtime.request('conversation.fork', { conversationId: id, workflowId: at });
  const one = await fork(conversationId, workflowId);
  const copy = (await snapshotOf(engine, one.id)).workflows[0];
  const two = await fork(one.id, copy?.id ?? '');
  const first = await childrenIn(engine, conversationId);
  expect(first.map(({ usage }) => usage.requests)).toEqual([1, 1]);

  for (const { id } of [one, two]) {
    const { workflows, runs, entries, conversation } = await snapshotOf(engine, id);
    const shown = await childrenIn(engine, id);
    expect(shown.map((run) => [run.id, run.text, run.toolCallId])).toEqual(
      first.map((run) => [run.id, run.text, run.toolCallId]),
    );
    for (const run of shown) {
      expect(run).toMatchObject({ workflowId: workflows[0]?.id, parentRunId: workflows[0]?.runId, conversationId });
      expect(run.copiedFrom).toEqual({ conversationId, workflowId, runId: run.id });
    }
    expect([conversation, ...workflows, ...runs].every(({ usage }) => usage.requests === 0)).toBe(true);
    expect(Object.keys(entries)).toEqual([workflows[0]?.runId]);
  }
  expect((await runtime.request('workflow.get', { workflowId })).runs.map(({ id }) => id)).toContain(runId);

  await runtime.request('conversation.delete', { conversationId });
  expect(await childrenIn(engine, two.id)).toEqual([]);
  await runtime.request('conversation.restore', { conversationId });
  expect(await childrenIn(engine, two.id)).toHaveLength(2);
});

test('a fork of a running workflow shows only sub-agents that had ended at the fork point', async () => {
  const gate = new Gate();
  const engine = await start(
    new Script()
      .on({ ...CHILD, asked: /Look/ })
      .reply([text('# Report\n\nLater.')], { hold: gate.at(0) })
      .on(CHILD)
      .reply([text('# Report\n\nIn the cellar.')])
      .on({ ...LEAD, step: 1 })
      .reply(both)
      .on({})
      .reply([text('Done.')]),
  );
  const { runtime, conversationId } = engine;
  const { workflowId } = await engine.send('Both');
  await engine.event('tool-end', ({ entry }) => entry.toolCallId === 'call_1');
  const made = await runtime.request('conversation.fork', { conversationId, workflowId });
  gate.open();
  await engine.ended(workflowId);
  expect((await childrenIn(engine, made.id)).map(({ toolCallId }) => toolCallId)).toEqual(['call_1']);
});

test('loads the origin of many copied workflows with one read of the conversation', async () => {
  const engine = await start(new Script().on({}).reply([text('Done.')]));
  const { runtime, store, conversationId } = engine;
  await engine.ask('One');
  const { workflowId } = await engine.ask('Two');
  const fork = await runtime.request('conversation.fork', { conversationId, workflowId });
  const reads = [vi.spyOn(store, 'conversation'), vi.spyOn(store, 'workflow')] as const;
  onTestFinished(() => reads.forEach((read) => read.mockRestore()));
  expect((await snapshotOf(engine, fork.id)).workflows).toHaveLength(2);
  const [conversations, workflows] = reads.map(({ mock }) => mock.calls.map(([id]) => id));
  expect(conversations?.filter((id) => id === conversationId)).toHaveLength(1);
  expect(workflows).toEqual([]);
});

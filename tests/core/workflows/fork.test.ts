/** A fork: its lead is told exactly what the first one was told until there, and nothing of it is counted or listed twice. */
import { expect, test } from 'vitest';
import { fromSnapshot, reduce, type View } from '#lib/view/reduce.ts';
import { talkIn } from '../../support/engine.ts';
import { CHILD, LEAD, spawn } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { Gate } from '../../support/gate.ts';
import { sharedEngine } from '../../support/shared-engine.ts';

const { start } = sharedEngine();
type Engine = Awaited<ReturnType<typeof start>>;

const script = (): Script =>
  new Script()
    .on(CHILD)
    .reply([text('# Report\n\nThe wombat is in the cellar.')])
    .on({ ...LEAD, asked: /^Second/, step: 1 })
    .reply([
      toolUse('write_file', { path: 'a.md', content: 'second' }, { id: 'call_2' }),
      spawn({ name: 'scout', prompt: 'Find it.' }, 'call_3'),
    ])
    .on({})
    .reply([text('Done.')], { usage: { input: 100, output: 10 } });

const fork = (engine: Engine, workflowId: string, how: { end?: 'before' | 'after'; entry?: number } = {}) =>
  engine.runtime.request('conversation.fork', { conversationId: engine.conversationId, workflowId, ...how });

const snapshotOf = ({ runtime }: Engine, conversationId: string) =>
  runtime.request('conversation.snapshot', { conversationId });

async function askIn({ runtime }: Engine, conversationId: string, message: string) {
  const { leave, ...talk } = await talkIn(runtime, conversationId);
  return talk.ask(message).finally(leave);
}

const byCall = (a: { toolCallId: string }, b: { toolCallId: string }) => a.toolCallId.localeCompare(b.toolCallId);

const bodies = (engine: Engine, asked: RegExp): string[] =>
  engine.model.requests.filter(({ seen }) => asked.test(seen.asked)).map(({ body }) => JSON.stringify(body.messages));

test('the next request of a fork, and of a fork of the fork, equals the next request of the first conversation', async () => {
  const engine = await start(script());
  await engine.ask('First');
  const { workflowId } = await engine.ask('Second');
  const made = await fork(engine, workflowId);
  const { workflows } = await snapshotOf(engine, made.id);
  const again = await engine.runtime.request('conversation.fork', {
    conversationId: made.id,
    workflowId: workflows[1]?.id ?? '',
  });
  await engine.ask('Third');
  await askIn(engine, made.id, 'Third');
  await askIn(engine, again.id, 'Third');
  const asked = bodies(engine, /^Third/);
  expect(asked).toHaveLength(3);
  expect(new Set(asked).size).toBe(1);
  expect(asked[0]).toMatch(/"First[^]*"Second[^]*wombat is in the cellar/);
});

test('copies the messages before a fork, and the message itself if the fork is after it', async () => {
  const engine = await start(script());
  const first = await engine.ask('First');
  const second = await engine.ask('Second');
  const getPrompts = async (workflowId: string, end: 'before' | 'after') => {
    const { id } = await fork(engine, workflowId, { end });
    return (await snapshotOf(engine, id)).workflows.map(({ prompt }) => prompt);
  };
  expect(await getPrompts(first.workflowId, 'after')).toEqual(['First']);
  expect(await getPrompts(second.workflowId, 'before')).toEqual(['First']);
  expect(await getPrompts(second.workflowId, 'after')).toEqual(['First', 'Second']);
});

test('copied work is not counted, listed or found twice, and the fork survives a purge of the first conversation', async () => {
  const engine = await start(script());
  const { runtime, conversationId } = engine;
  await engine.ask('First');
  const { workflowId, runId } = await engine.ask('Second, with the overlooked marmot');
  const before = await snapshotOf(engine, conversationId);
  const made = await fork(engine, workflowId);
  const { workflows, runs, conversation, calls } = await snapshotOf(engine, made.id);

  expect(made).toMatchObject({ title: 'First', folder: engine.folder, agent: 'lead' });
  const last = workflows[1]?.id;
  expect(made.from).toEqual({ conversationId, title: 'First', workflowId, last, message: 2 });
  expect(
    workflows.map(({ prompt, outcome, text: answer, copiedFrom }) => [prompt, outcome, answer, copiedFrom?.workflowId]),
  ).toEqual([
    ['First', 'completed', 'Done.', before.workflows[0]?.id],
    ['Second, with the overlooked marmot', 'completed', 'Done.', workflowId],
  ]);
  expect(workflows[1]?.createdAt).toBe(before.workflows[1]?.createdAt);
  expect([conversation, ...workflows, ...runs].every(({ usage }) => usage.requests === 0)).toBe(true);
  expect(Date.parse(conversation.updatedAt)).toBeGreaterThan(Date.parse(before.conversation.updatedAt));
  expect(calls.map(({ toolCallId, wrote, read }) => [toolCallId, wrote, read])).toEqual([
    ['call_2', undefined, undefined],
    ['call_3', undefined, undefined],
  ]);
  expect(await runtime.request('change.list', { conversationId: made.id })).toEqual([]);
  expect(await runtime.request('change.list', { conversationId })).toHaveLength(1);

  const first = await snapshotOf(engine, conversationId);
  expect(first.conversation).toEqual({ ...before.conversation, lastSeq: before.seq + 1 });
  expect(engine.of('workflow-fork')).toMatchObject([{ workflowId, runId, to: made.id, end: 'after' }]);
  expect(first.workflows[1]?.forks).toMatchObject([{ conversationId: made.id, end: 'after' }]);

  const own = async () => {
    const pages = [
      await runtime.request('workflow.list', {}),
      await runtime.request('workflow.list', { sort: 'cost' }),
      await runtime.request('workflow.list', { folder: engine.folder }),
    ];
    return pages.map(({ items }) => items.filter((row) => row.conversationId === made.id).length);
  };
  expect(await own()).toEqual([0, 0, 0]);
  const found = async () =>
    (await runtime.request('history.search', { text: 'overlooked marmot' })).items.map((hit) => hit.conversationId);
  expect([...new Set(await found())]).toEqual([conversationId]);

  // Its trash and its way back leave what was taken over unlisted.
  await runtime.request('conversation.delete', { conversationId: made.id });
  await runtime.request('conversation.restore', { conversationId: made.id });
  await askIn(engine, made.id, 'Third');
  expect(await own()).toEqual([1, 1, 1]);
  const used = (await snapshotOf(engine, made.id)).conversation.usage;
  expect(used).toMatchObject({ requests: 1, inputTokens: 100 });

  await runtime.request('conversation.delete', { conversationId });
  expect(await found()).toContain(made.id);
  await runtime.request('conversation.purge', { conversationId });
  await askIn(engine, made.id, 'Fourth');
  expect(bodies(engine, /^Fourth/)[0]).toMatch(/"First[^]*wombat is in the cellar[^]*Third/);
  expect((await runtime.request('conversation.check', { conversationId: made.id })).missing).toEqual([]);
});

test('a fork of running work cancels its open calls and cannot resume that work; the first conversation completes', async () => {
  const gate = new Gate();
  const words = new Script()
    .on({ ...LEAD, step: 1, asked: /^Slow/ })
    .reply([text('I look.'), toolUse('read_file', { path: 'README.md' }, { id: 'call_1' })])
    .on({ ...LEAD, step: 2, asked: /^Slow/ })
    .reply([text('Now the other.'), toolUse('read_file', { path: 'README.md' }, { id: 'call_4' })])
    .on({ ...LEAD, step: 3, asked: /^Slow/ })
    .reply([text('Read.')], { hold: gate.at(0) })
    .on({})
    .reply([text('Done.')]);
  const engine = await start(words);
  const { workflowId } = await engine.send('Slow');
  await engine.event('tool-end', ({ entry }) => entry.toolCallId === 'call_4');
  const made = await fork(engine, workflowId, { entry: 3 });
  const { workflows, entries, runs } = await snapshotOf(engine, made.id);
  expect(engine.of('workflow-fork'), 'by the number that its title has').toMatchObject([{ upTo: made.from?.entry }]);
  expect(workflows).toMatchObject([{ outcome: 'cancelled', text: 'I look.\n\nNow the other.' }]);
  expect(entries[runs[0]?.id ?? '']?.slice(3)).toMatchObject([
    { n: 3, kind: 'assistant' },
    { n: 4, kind: 'tool', toolCallId: 'call_4', status: 'cancelled' },
    { n: 5, kind: 'system', code: 'forked' },
  ]);
  await expect(engine.runtime.request('workflow.resume', { workflowId: workflows[0]?.id ?? '' })).rejects.toMatchObject(
    {
      code: 'conflict',
    },
  );
  await askIn(engine, made.id, 'Next');
  gate.open();
  expect((await engine.ended(workflowId)).outcome).toBe('completed');
  expect(bodies(engine, /^Next/)[0]).toMatch(/tool_result[^}]*the conversation was forked before[^]*"Next/);

  const whole = await fork(engine, workflowId);
  expect((await snapshotOf(engine, whole.id)).workflows).toMatchObject([{ outcome: 'completed', text: 'Read.' }]);
  await expect(fork(engine, workflowId, { entry: 99 })).rejects.toMatchObject({ code: 'not_found' });
  const trash = await engine.runtime.request('trash.list', {});
  expect(trash.items.filter(({ from }) => from?.conversationId === engine.conversationId)).toEqual([]);
});

test('a fork before the first message copies nothing, and its own first message becomes its title', async () => {
  const engine = await start(script());
  const first = await engine.ask('First');
  const empty = await fork(engine, first.workflowId, { end: 'before' });
  expect(empty.from).toMatchObject({ workflowId: first.workflowId, last: null });
  await askIn(engine, empty.id, 'Something else');
  expect((await snapshotOf(engine, empty.id)).conversation.title).toBe('Something else');
});

test('a compaction has an equal summary in the next request of a fork', async () => {
  const engine = await start(script());
  const { runtime, conversationId } = engine;
  await engine.ask('First');
  await engine.ask('Second');
  await runtime.request('context.compact', { conversationId });
  const { workflowId } = await engine.ask('Third');
  const made = await fork(engine, workflowId);
  await engine.ask('Fourth');
  await askIn(engine, made.id, 'Fourth');
  const asked = bodies(engine, /^Fourth/);
  expect(asked[0]).toContain('<summary>');
  expect(asked).toHaveLength(2);
  expect(asked[1]).toBe(asked[0]);
});

test('applying the events of original and fork one by one gives the view of a reload', async () => {
  const engine = await start(script());
  const { runtime, conversationId } = engine;
  await engine.ask('First');
  const { workflowId } = await engine.ask('Second');
  const { conversation } = await snapshotOf(engine, conversationId);
  const { id } = await fork(engine, workflowId);
  for (const one of [conversationId, id]) {
    const whole = fromSnapshot(await snapshotOf(engine, one));
    const events = await runtime.request('conversation.events', { conversationId: one, after: 0 });
    const { from, folder, agent, createdAt, updatedAt, title } = whole.conversation;
    const row = { id: one, folder, agent, createdAt, lastSeq: 0, usage: { ...conversation.usage, requests: 0 } };
    const first = one === id ? { ...row, from, title, updatedAt } : { ...row, title: '', updatedAt: createdAt };
    const nothing: View = {
      ...whole,
      seq: 0,
      conversation: first,
      workflows: [],
      runs: [],
      entries: new Map(),
      calls: [],
    };
    const live = reduce(nothing, events);
    expect(live.workflows).toEqual(whole.workflows);
    expect(live.calls.filter(({ runId }) => whole.entries.has(runId)).sort(byCall)).toEqual(
      whole.calls.toSorted(byCall),
    );
    expect(live.conversation.updatedAt).toBe(whole.conversation.updatedAt);
    expect(live.conversation.title).toBe(whole.conversation.title);
    for (const { runId } of whole.workflows) expect(live.entries.get(runId)).toEqual(whole.entries.get(runId));
  }
});

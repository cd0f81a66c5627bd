/** The history as clients get it: deleting and restoring, what may not be done in the trash, and reading without a trace. */
import { expect, test } from 'vitest';
import { ListedExecution } from '#contract/execution.ts';
import { TRASH_DAYS } from '#contract/limits.ts';
import type { Input } from '#contract/rpc.ts';
import { inputTokensOf } from '#domain/tally.ts';
import { memoryStore } from '../../../../support/stores/pooled.ts';
import { startEngine } from '../../../../support/engine.ts';
import { eventually } from '../../../../support/eventually.ts';
import { failingChild, plainAnswer } from '../../../../support/fake-model/scenarios.ts';
import { Gate } from '../../../../support/gate.ts';
import { setFields } from '../../../../support/commit-items.ts';

const conflict = (message: RegExp) => ({
  code: 'conflict',
  message: expect.stringMatching(message) as string,
});

test('a conversation can be deleted, restored and purged, and invalid steps are errors', async () => {
  const engine = await startEngine(plainAnswer());
  const { runtime, conversationId } = engine;
  await engine.ask('Look at the aardvark');
  const seen = async () => {
    const [conversations, workflows, hits, trash] = await Promise.all([
      runtime.request('conversation.list', {}),
      runtime.request('workflow.list', { sort: 'tokens' }),
      runtime.request('history.search', { text: 'aardvark' }),
      runtime.request('trash.list', {}),
    ]);
    return [conversations, workflows, hits, trash].map(({ items }) => items.length);
  };
  expect(await seen()).toEqual([1, 1, 1, 0]);
  await runtime.request('conversation.delete', { conversationId });
  expect(await seen()).toEqual([0, 0, 0, 1]);
  await expect(runtime.request('conversation.delete', { conversationId })).rejects.toMatchObject(
    conflict(/in the trash already/),
  );
  await expect(engine.ask('More')).rejects.toMatchObject(conflict(/in the trash: restore it first/));
  await runtime.request('conversation.restore', { conversationId });
  expect(await seen()).toEqual([1, 1, 1, 0]);
  await expect(runtime.request('conversation.restore', { conversationId })).rejects.toMatchObject(
    conflict(/not in the trash/),
  );
  await expect(runtime.request('conversation.purge', { conversationId })).rejects.toMatchObject(
    conflict(/not in the trash/),
  );
  expect((await engine.ask('More')).outcome).toBe('completed');
  await runtime.request('conversation.delete', { conversationId });
  await runtime.request('conversation.purge', { conversationId });
  expect(await seen()).toEqual([0, 0, 0, 0]);
  for (const method of ['conversation.delete', 'conversation.restore', 'conversation.purge'] as const)
    await expect(runtime.request(method, { conversationId })).rejects.toMatchObject({ code: 'not_found' });
});

test('a retried sub-agent is one execution with its latest outcome', async () => {
  const engine = await startEngine(failingChild());
  const { runtime, conversationId } = engine;
  const list = async (input: Input<'execution.list'> = {}) => (await runtime.request('execution.list', input)).items;
  expect(await list()).toEqual([]);
  const { workflowId } = await engine.ask('Go');
  const [failed] = await list({ status: 'error' });
  const asked = { workflow_id: workflowId, sub_agent_name: 'finder', kind: 'spawn', task_description: 'Find it.' };
  expect(failed).toMatchObject({ ...asked, outcome: 'error', result_summary: 'I look first.' });
  expect(failed?.error_message).toMatch(/odd/);
  await runtime.request('run.retry', { runId: failed?.id ?? '' });
  await eventually(() => expect(engine.of('workflow-end')).toHaveLength(2));
  const [completed, ...others] = await list({ agent: 'finder', kind: 'spawn', sort: 'cost' });
  expect(completed).toMatchObject({ ...asked, id: failed?.id, outcome: 'completed', result_summary: 'All found.' });
  expect(completed).not.toHaveProperty('error_message');
  expect(ListedExecution.parse(completed)).toEqual(completed);
  const run = await runtime.request('run.get', { runId: failed?.id ?? '' });
  expect(completed).toMatchObject({
    model: run.envelope.model,
    nano_usd: run.usage.nanoUsd,
    tokens_input: inputTokensOf(run.usage),
    tokens_output: run.usage.outputTokens,
    completed_at: run.endedAt,
  });
  expect(completed).toMatchObject({ waited_ms: 0, worked_ms: expect.any(Number) as number });
  const found = (text: string) => runtime.request('history.search', { text });
  expect(
    (await found('look first')).items.map(({ kind }) => kind),
    'said on the way',
  ).toEqual(['interim']);
  expect((await found('all found')).items.map(({ kind }) => kind)).toContain('report');
  expect(await found('finder')).toMatchObject({ agents: ['finder'] });
  const { titles } = await found('go');
  expect(titles).toEqual([expect.objectContaining({ conversationId, title: 'Go', hits: [{ start: 0, end: 2 }] })]);
  expect([others, await list({ status: 'error' })]).toEqual([[], []]);
  expect(await runtime.request('execution.facets', {})).toEqual({ agents: ['finder'], models: [run.envelope.model] });
  await runtime.request('conversation.delete', { conversationId });
  expect(await list()).toEqual([]);
  await expect(list({ sort: 'tokens' as 'cost' })).rejects.toMatchObject({ code: 'bad_input' });
});

test('a conversation cannot be deleted or moved to the trash by age while its workflow runs', async () => {
  const answered = new Gate();
  const script = plainAnswer({ reply: { hold: answered.at(0) } });
  const engine = await startEngine(script);
  const { runtime, conversationId, store } = engine;
  const { workflowId } = await engine.send('Wait');
  const busy = conflict(/runs or waits in this conversation: stop it first/);
  await expect(runtime.request('conversation.delete', { conversationId })).rejects.toMatchObject(busy);
  expect(await runtime.request('trash.fill', { olderThanDays: 0 })).toEqual({ count: 0 });
  expect((await store.conversation(conversationId))?.deletedAt ?? null).toBeNull();
  answered.open();
  await engine.ended(workflowId);
  await expect.poll(() => runtime.request('trash.fill', { olderThanDays: 0 })).toEqual({ count: 1 });
});

test('moves only conversations older than the given age to the trash', async () => {
  const store = await memoryStore();
  const { runtime, conversationId } = await startEngine(plainAnswer(), { store });
  const old = await runtime.request('conversation.create', {});
  const updatedAt = new Date(Date.now() - 40 * 24 * 3_600_000).toISOString();
  await store.commit([setFields('conversation', old.id, { updatedAt })]);
  expect(await runtime.request('trash.fill', { olderThanDays: 41 })).toEqual({ count: 0 });
  expect(await runtime.request('trash.fill', { olderThanDays: 39 })).toEqual({ count: 1 });
  const ids = async (method: 'conversation.list' | 'trash.list') =>
    (await runtime.request(method, {})).items.map(({ id }) => id);
  expect([await ids('conversation.list'), await ids('trash.list')]).toEqual([[conversationId], [old.id]]);
});

test('a start purges conversations that have been in the trash too long', async () => {
  const store = await memoryStore();
  const long = new Date(Date.now() - (TRASH_DAYS + 1) * 24 * 3_600_000).toISOString();
  const at = new Date().toISOString();
  const tally = {
    requests: 0,
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    nanoUsd: 0,
    unpriced: 0,
  };
  const rows = ['01957a10-0000-7000-8000-000000000001', '01957a10-0000-7000-8000-000000000002'].map((id) => ({
    id,
    title: id,
    folder: '/',
    agent: 'lead',
    createdAt: at,
    updatedAt: at,
    lastSeq: 0,
    usage: tally,
  }));
  await store.commit(rows.map((row) => ({ table: 'conversation', key: row.id, row })));
  await store.trash(rows[0]?.id ?? '', long);
  await store.trash(rows[1]?.id ?? '', at);
  const { runtime } = await startEngine(plainAnswer(), { store });
  await expect
    .poll(async () => (await runtime.request('trash.list', {})).items.map(({ id }) => id))
    .toEqual([rows[1]?.id]);
});

test('reading or exporting a conversation does not change the conversation', async () => {
  const engine = await startEngine(plainAnswer());
  const { runtime, conversationId, store } = engine;
  const { workflowId } = await engine.ask('Look at the aardvark');
  const before = await store.conversation(conversationId);
  const events = engine.durable().length;
  const { runs } = await runtime.request('workflow.get', { workflowId });
  await runtime.request('conversation.snapshot', { conversationId });
  await runtime.request('run.entries', { runId: runs[0]?.id ?? '' });
  await runtime.request('history.search', { text: 'aardvark' });
  for (const format of ['md', 'json'] as const)
    await runtime.request('conversation.export', { conversationId, format });
  expect(await store.conversation(conversationId)).toEqual(before);
  expect(engine.durable().length).toBe(events);
});

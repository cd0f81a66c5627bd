/** A commit is stored as a whole or not at all, and changes the current rows. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Decision } from '#contract/approval.ts';
import type { DurableEvent } from '#contract/event.ts';
import { addTally, ZERO_TALLY } from '#domain/tally.ts';
import { newId } from '#core/base/ids.ts';
import type { RowChange } from '#contract/rows.ts';
import type { ConversationRow, RunRow } from '#contract/view.ts';
import type { CommitItem, Store } from '#core/store/store.ts';
import { conversationRow, openOn, type Opened, put, runRow, workflowRow } from '../support.ts';
import { eventItems, setFields } from '../../../support/commit-items.ts';

const at = '2026-03-01T12:00:00.000Z';

/** A status that the tables refuse. */
const FAILED = { status: 'failed' } as unknown as Partial<RunRow>;

function notice(conversationId: string, seq: number, text = ''): DurableEvent {
  return {
    type: 'notice',
    seq,
    at,
    conversationId,
    workflowId: newId(),
    runId: newId(),
    parentRunId: null,
    agent: 'lead',
    level: 'info',
    text,
  };
}

describe.each(['mem', 'rocksdb'] as const)('on %s', (engine) => {
  let opened: Opened;
  let store: Store;
  beforeAll(async () => {
    opened = await openOn(engine);
    store = opened.store;
  });
  afterAll(() => opened.close());

  test('a rejected write rejects the whole commit, with the reason', async () => {
    const conversation = conversationRow();
    const run = runRow();
    const commit = store.commit([
      { event: notice(conversation.id, 1) },
      put('conversation', conversation),
      put('run', run),
      setFields('run', run.id, FAILED),
    ]);
    await expect(commit).rejects.toMatchObject({
      code: 'store_failed',
      message: expect.stringMatching(/^The store refused a write: .*'failed'.*status/) as string,
    });
    await expect(commit).rejects.not.toThrow(/failed transaction/);
    expect(await store.conversation(conversation.id)).toBeNull();
    expect(await store.run(run.id)).toBeNull();
    expect(await store.events(conversation.id, 1, 9)).toEqual([]);
  });

  test('rejects a status that is not in the contract', async () => {
    const run = runRow();
    await store.commit([put('run', run)]);
    await expect(store.commit([setFields('run', run.id, FAILED)])).rejects.toMatchObject({ code: 'store_failed' });
    expect(await store.run(run.id)).toEqual(run);
  });

  test('rejects a second event with a used sequence number', async () => {
    const id = newId();
    await store.commit([{ event: notice(id, 1, 'first') }]);
    const second = [notice(id, 2), notice(id, 1, 'second')];
    await expect(store.commit(eventItems(second))).rejects.toMatchObject({ code: 'store_failed' });
    const stored = await store.events(id, 1, 9);
    expect(stored.map((event) => event.type === 'notice' && event.text)).toEqual(['first']);
  });

  test('increments of parallel commits all count', async () => {
    const conversation = conversationRow();
    await store.commit([put('conversation', conversation)]);
    const more = { ...ZERO_TALLY, requests: 1, nanoUsd: 5_000_000_000 };
    const change = (row: ConversationRow) => ({ ...row, usage: addTally(row.usage, more) });
    const { id: key } = conversation;
    await Promise.all(Array.from({ length: 20 }, () => store.commit([{ table: 'conversation', key, change }])));
    const usage = { ...ZERO_TALLY, requests: 20, nanoUsd: 100_000_000_000 };
    expect(await store.conversation(conversation.id)).toEqual({ ...conversation, usage });
  });

  test('applies the changes of a commit in order, and closes an approval at its last decision', async () => {
    const workflow = workflowRow();
    const approval = newId();
    const request = { id: approval } as never;
    const row = { workflowId: workflow.id, request, decisions: [null, null], open: 2 };
    await store.commit([put('workflow', workflow), { table: 'approval', key: approval, row }]);
    const addAgent = (agent: string): CommitItem => {
      return { table: 'workflow', key: workflow.id, change: (one) => ({ ...one, agents: [...one.agents, agent] }) };
    };
    const decision = (reason: string | null) => ({ reason }) as Decision;
    await store.commit([addAgent('b'), addAgent('c')]);
    await store.commit([
      setFields('workflow', workflow.id, { outcome: 'error' }),
      setFields('approval', approval, { decisions: [null, decision('a\0\ud800')], open: 1 }),
    ]);
    await store.commit([setFields('workflow', workflow.id, { outcome: null, startedAt: null })]);
    expect(await store.workflow(workflow.id)).toEqual({ ...workflow, agents: ['lead', 'b', 'c'] });
    expect((await store.approval(approval))?.decisions).toEqual([null, { reason: 'a\0\ud800' }]);
    expect(await store.openApprovals()).toHaveLength(1);
    await store.commit([setFields('approval', approval, { decisions: [decision(null), decision(null)], open: 0 })]);
    expect(await store.openApprovals()).toEqual([]);
  });

  test('an update of a missing row rejects the whole commit', async () => {
    const run = runRow();
    const update = setFields('run', newId(), { status: 'running' });
    await expect(store.commit([put('run', run), update])).rejects.toMatchObject({ code: 'store_failed' });
    expect(await store.run(run.id)).toBeNull();
    const gone: RowChange = { table: 'run', key: run.id, row: null };
    const again = setFields('run', run.id, { status: 'running' });
    await expect(store.commit([put('run', run), gone, again])).rejects.toMatchObject({
      code: 'store_failed',
    });
  });

  test('discards all changes of a rejected commit', async () => {
    const run = runRow({ text: 'before' });
    await store.commit([put('run', run)]);
    const change = (fields: Partial<RunRow>) => setFields('run', run.id, fields);
    await expect(store.commit([change({ text: 'lost', ...FAILED })])).rejects.toThrow();
    await store.commit([change({ title: 'after' })]);
    expect(await store.run(run.id)).toEqual({ ...run, title: 'after' });
  });

  test('a put replaces the whole previous row', async () => {
    const run = runRow({ outcome: 'error', status: 'error', text: 'x', usage: { ...ZERO_TALLY, requests: 5 } });
    await store.commit([put('run', run)]);
    const next = runRow({ id: run.id });
    await store.commit([put('run', next)]);
    expect(await store.run(run.id)).toEqual(next);
  });

  test('rejects an unknown field before a query is sent', async () => {
    const row = { progress: 1 } as never;
    const wrong: RowChange = { table: 'sub_agent_execution', key: newId(), row };
    await expect(store.commit([wrong])).rejects.toMatchObject({ code: 'internal' });
  });

  test('rejects an event that changes a missing row, but stores a notice of a missing run', async () => {
    const { level: _, text: __, type: ___, ...ids } = notice(newId(), 1) as Extract<DurableEvent, { type: 'notice' }>;
    const forked: DurableEvent = { ...ids, type: 'workflow-fork', to: newId(), end: 'after' };
    const message = `The store refused a write: there is no workflow:${ids.workflowId} to change`;
    await expect(store.commit([{ event: forked }])).rejects.toMatchObject({ code: 'store_failed', message });
    const late = notice(ids.conversationId, 1);
    await store.commit([{ event: late }]);
    expect(await store.events(ids.conversationId, 1, 9)).toEqual([late]);
  });

  test('an empty commit does nothing', async () => {
    await store.commit([]);
  });
});

test('a closed store refuses commits and reads with a clear error', async () => {
  const opened = await openOn('mem');
  const { store } = opened;
  await opened.close();
  await expect(store.commit([{ event: notice(newId(), 1) }])).rejects.toMatchObject({ code: 'interrupted' });
  await expect(store.conversation(newId())).rejects.toMatchObject({ code: 'interrupted' });
});

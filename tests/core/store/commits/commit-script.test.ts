/** A commit happens as a whole or not at all, and changes rows by increments. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import { ZERO_TALLY } from '#contract/tally.ts';
import { newId } from '#core/base/ids.ts';
import type { Store, Write } from '#core/store/store.ts';
import { conversationRow, openOn, type Opened, put, runRow, workflowRow } from '../support.ts';

const at = '2026-03-01T12:00:00.000Z';

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

  test('a refused write takes the whole commit with it, and the reason is told', async () => {
    const conversation = conversationRow();
    const run = runRow();
    const writes: Write[] = [
      put('conversation', conversation),
      put('run', run),
      { kind: 'update', table: 'run', key: run.id, set: { status: 'failed' } },
    ];
    const commit = store.commit([notice(conversation.id, 1)], writes);
    await expect(commit).rejects.toMatchObject({
      code: 'store_failed',
      message: expect.stringMatching(/^The store refused a write: .*'failed'.*status/) as string,
    });
    await expect(commit).rejects.not.toThrow(/failed transaction/);
    expect(await store.conversation(conversation.id)).toBeNull();
    expect(await store.run(run.id)).toBeNull();
    expect(await store.events(conversation.id, 1, 9)).toEqual([]);
  });

  test('a status that the contract does not know is refused', async () => {
    const run = runRow();
    await store.commit([], [put('run', run)]);
    const failed: Write = { kind: 'update', table: 'run', key: run.id, set: { status: 'failed' } };
    await expect(store.commit([], [failed])).rejects.toMatchObject({ code: 'store_failed' });
    expect(await store.run(run.id)).toEqual(run);
  });

  test('the number of an event is taken once', async () => {
    const id = newId();
    await store.commit([notice(id, 1, 'first')], []);
    const second = [notice(id, 2), notice(id, 1, 'second')];
    await expect(store.commit(second, [])).rejects.toMatchObject({ code: 'store_failed' });
    const stored = await store.events(id, 1, 9);
    expect(stored.map((event) => event.type === 'notice' && event.text)).toEqual(['first']);
  });

  test('increments of parallel commits all count', async () => {
    const conversation = conversationRow();
    await store.commit([], [put('conversation', conversation)]);
    const add = { 'usage.requests': 1, 'usage.nanoUsd': 5_000_000_000 };
    await Promise.all(
      Array.from({ length: 20 }, () =>
        store.commit([], [{ kind: 'update', table: 'conversation', key: conversation.id, add }]),
      ),
    );
    const usage = { ...ZERO_TALLY, requests: 20, nanoUsd: 100_000_000_000 };
    expect(await store.conversation(conversation.id)).toEqual({ ...conversation, usage });
  });

  test('a list takes a value once, an element is replaced, a field set to null is null', async () => {
    const workflow = workflowRow();
    const approval = newId();
    const row = {
      workflowId: workflow.id,
      request: { id: approval },
      decisions: [null, null, null],
      open: 3,
    };
    await store.commit([], [put('workflow', workflow), { kind: 'put', table: 'approval', key: approval, row }]);
    const union = (agent: string): Write => {
      return { kind: 'update', table: 'workflow', key: workflow.id, union: { agents: agent } };
    };
    const decide = (index: number, value: unknown): Write => {
      return {
        kind: 'update',
        table: 'approval',
        key: approval,
        item: { decisions: { index, value } },
        add: { open: -1 },
      };
    };
    await store.commit([], [union('b'), union('b')]);
    await store.commit([], [union('b'), union('lead'), decide(1, { reason: 'a\0\ud800' })]);
    await store.commit(
      [],
      [decide(2, { reason: null }), { kind: 'update', table: 'workflow', key: workflow.id, set: { outcome: 'error' } }],
    );
    await store.commit(
      [],
      [{ kind: 'update', table: 'workflow', key: workflow.id, set: { outcome: null, startedAt: null } }],
    );
    expect(await store.workflow(workflow.id)).toEqual({ ...workflow, agents: ['lead', 'b'] });
    expect((await store.approval(approval))?.decisions).toEqual([null, { reason: 'a\0\ud800' }, { reason: null }]);
    expect(await store.openApprovals()).toHaveLength(1);
    await store.commit([], [decide(0, {})]);
    expect(await store.openApprovals()).toEqual([]);
  });

  test('an update of a row that is not there is refused, and takes the commit with it', async () => {
    const run = runRow();
    const update: Write = { kind: 'update', table: 'run', key: newId(), set: { status: 'running' } };
    await expect(store.commit([], [put('run', run), update])).rejects.toMatchObject({ code: 'store_failed' });
    expect(await store.run(run.id)).toBeNull();
    const gone: Write = { kind: 'delete', table: 'run', key: run.id };
    const again: Write = { kind: 'update', table: 'run', key: run.id, set: { status: 'running' } };
    await expect(store.commit([], [put('run', run), gone, again])).rejects.toMatchObject({
      code: 'store_failed',
    });
  });

  test('what a refused commit would have changed is forgotten', async () => {
    const run = runRow({ text: 'before' });
    await store.commit([], [put('run', run)]);
    const change = (set: object): Write => ({ kind: 'update', table: 'run', key: run.id, set: { ...set } });
    await expect(store.commit([], [change({ text: 'lost', status: 'failed' })])).rejects.toThrow();
    await store.commit([], [change({ title: 'after' })]);
    expect(await store.run(run.id)).toEqual({ ...run, title: 'after' });
  });

  test('a put replaces all of the row before', async () => {
    const run = runRow({ outcome: 'error', status: 'error', text: 'x', usage: { ...ZERO_TALLY, requests: 5 } });
    await store.commit([], [put('run', run)]);
    const next = runRow({ id: run.id });
    await store.commit([], [put('run', next)]);
    expect(await store.run(run.id)).toEqual(next);
  });

  test('what the tables have no place for is refused before anything is sent', async () => {
    const run = runRow();
    await store.commit([], [put('run', run)]);
    const wrong: Write[] = [
      { kind: 'update', table: 'run', key: run.id, add: { status: 1 } },
      { kind: 'update', table: 'run', key: run.id, add: { 'usage.a': 1 } },
      { kind: 'update', table: 'run', key: run.id, add: { 'usage.requests.b': 1 } },
      { kind: 'update', table: 'run', key: run.id, union: { text: 'x' } },
      { kind: 'put', table: 'sub_agent_execution', key: newId(), row: { progress: 1 } },
    ];
    for (const write of wrong) await expect(store.commit([], [write])).rejects.toMatchObject({ code: 'internal' });
  });

  test('an empty commit does nothing', async () => {
    await store.commit([], []);
  });
});

test('a closed store refuses commits and reads with a clear error', async () => {
  const opened = await openOn('mem');
  const { store } = opened;
  await opened.close();
  await expect(store.commit([notice(newId(), 1)], [])).rejects.toMatchObject({ code: 'interrupted' });
  await expect(store.conversation(newId())).rejects.toMatchObject({ code: 'interrupted' });
});

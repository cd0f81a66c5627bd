/** Rows that the first schemas wrote read as they did, and change like any other. */
import { expect, onTestFinished, test } from 'vitest';
import type { RunRow, WorkflowRow } from '#contract/view.ts';
import { newId } from '#core/base/ids.ts';
import { conversationRow, openOn, type Opened, runRow, workflowRow } from '../support.ts';

const usage = {
  requests: 2,
  inputTokens: 10,
  outputTokens: 3,
  cacheReadTokens: 1,
  cacheWriteTokens: 0,
  nanoUsd: 5_000_000_000,
  unpriced: 1,
};

/** One JSON text for each field, but for those that were columns; null was nothing. */
function fields(row: object, columns: readonly string[]): Record<string, unknown> {
  const doc: Record<string, unknown> = {};
  const stored: Record<string, unknown> = { doc };
  for (const [field, value] of Object.entries(row)) {
    if (!columns.includes(field)) doc[field] = JSON.stringify(value);
    else if (value !== null) stored[field] = value as unknown;
  }
  return stored;
}

async function opened(): Promise<Opened> {
  const all = await openOn('mem');
  onTestFinished(() => all.close());
  return all;
}

async function stored(
  { database }: Opened,
  workflow: WorkflowRow,
  run: RunRow,
  approval: { id: string; decisions: unknown[] },
): Promise<void> {
  const columns = ['conversationId', 'agents', 'status', 'outcome', 'subAgentCount', 'usage'];
  await database.transaction('CREATE $workflow CONTENT $w; CREATE $run CONTENT $r; CREATE $approval CONTENT $a;', {
    workflow: database.record('workflow', workflow.id),
    w: { ...fields(workflow, columns), place: 'a' },
    run: database.record('run', run.id),
    r: fields(run, ['workflowId', 'status', 'outcome', 'usage']),
    approval: database.record('approval', approval.id),
    a: {
      workflowId: workflow.id,
      doc: { request: JSON.stringify({ id: approval.id, subject: { kind: 'tool' } }) },
      decisions: approval.decisions.map((decision) => JSON.stringify(decision)),
      open: 1,
    },
  });
}

test('as they were, and as a change leaves them', async () => {
  const all = await opened();
  const { store } = all;
  const workflow = workflowRow({ agents: ['lead', 'a b'], prompt: '"a\0\ud83d', usage, outcome: 'error' });
  const run = runRow({ workflowId: workflow.id, usage, error: { code: 'internal', message: 'x' } });
  const approval = { id: newId(), decisions: [null, { reason: 'a\0' }] };
  await stored(all, workflow, run, approval);
  expect(await store.workflow(workflow.id)).toEqual(workflow);
  expect(await store.runsOf([workflow.id])).toEqual([run]);
  expect((await store.approvalsOf([workflow.id]))[0]?.decisions).toEqual(approval.decisions);
  await store.commit(
    [],
    [
      { kind: 'update', table: 'run', key: run.id, add: { 'usage.nanoUsd': 1 }, set: { outcome: 'error' } },
      {
        kind: 'update',
        table: 'workflow',
        key: workflow.id,
        union: { agents: 'b' },
        add: { subAgentCount: 1 },
      },
      {
        kind: 'update',
        table: 'approval',
        key: approval.id,
        add: { open: -1 },
        item: { decisions: { index: 0, value: { reason: null } } },
      },
    ],
  );
  const changed = { ...run, outcome: 'error', usage: { ...usage, nanoUsd: 5_000_000_001 } };
  expect(await store.run(run.id)).toEqual(changed);
  expect(await store.workflow(workflow.id)).toEqual({
    ...workflow,
    agents: ['lead', 'a b', 'b'],
    subAgentCount: 1,
  });
  expect((await store.approval(approval.id))?.decisions).toEqual([{ reason: null }, { reason: 'a\0' }]);
  expect(await store.openApprovals()).toEqual([]);
});

test('decodes a conversation, a call and a request of an old schema', async () => {
  const { store, database } = await opened();
  const conversation = conversationRow({ lastSeq: 4, usage });
  const call = { runId: newId(), toolCallId: 'c', name: 'grep', status: 'completed' };
  const [workflowId, request] = [newId(), { requestId: 'r', startedAt: conversation.createdAt, model: 'm' }];
  await database.transaction('CREATE $conversation CONTENT $c; CREATE $call CONTENT $d; CREATE $request CONTENT $e;', {
    conversation: database.record('conversation', conversation.id),
    c: { ...fields(conversation, ['lastSeq', 'usage']), place: 'a' },
    call: database.record('tool_call', [call.runId, call.toolCallId]),
    d: fields(call, ['status']),
    request: database.record('model_request', [workflowId, request.requestId]),
    e: fields({ ...request, workflowId }, ['workflowId']),
  });
  expect(await store.conversation(conversation.id)).toEqual(conversation);
  expect(await store.callsOf([call.runId])).toEqual([call]);
  expect(await store.requestsOf(workflowId)).toEqual([request]);
});

/** What the rows say of entries, calls, questions and what is kept, each from the events that are about it. */
import { expect, test } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import type { Grant } from '#contract/permission.ts';
import { project } from '#domain/project.ts';
import { envelopeOf } from '../support/envelope.ts';
import { approve, conversationId, idOf, lead, queue, Recording, respond } from '../support/recording.ts';
import { MemoryRows, projectedRows } from '../support/memory-rows.ts';

const { workflowId } = lead;
const [first, second] = ['reader', 'writer'].map((agent, n): typeof lead => ({
  ...lead,
  runId: idOf(40 + n),
  parentRunId: lead.runId,
  agent,
})) as [typeof lead, typeof lead];

const begin = (recording: Recording) =>
  recording.record(lead, { type: 'workflow-start', prompt: 'Do it', approve: 'ask', attempt: 1 });

/** The event that was recorded last. */
const lastOf = ({ durable }: Recording): DurableEvent => durable.at(-1)!;

test('message rows store each entry under its number in the history of its run', () => {
  const recording = new Recording();
  begin(recording);
  queue(recording, lead, { prompt: 'Go', title: 'Go' });
  recording.words(lead, { source: 'person', text: 'Go' });
  const parts = [{ type: 'text' as const, text: 'Done.' }];
  respond(recording, lead, { turn: 0, messageId: idOf(70), parts, stopReason: 'end_turn' });
  const rows = projectedRows(recording.durable);
  const ends = recording.durable.flatMap((event) => (event.type === 'message-end' ? [event] : []));
  expect(rows.get('message', [lead.runId, 0])).toEqual({ entry: ends[0]?.entry });
  expect(rows.get('message', [lead.runId, 1])).toEqual({ entry: ends[1]?.entry });
  expect(ends[1]?.entry).toMatchObject({ n: 1, kind: 'assistant' });
});

test('a message part changes no row; the end of an assistant message deletes its open_message row', () => {
  const recording = new Recording();
  recording.words(lead, { source: 'person', text: 'Go' });
  respond(recording, lead, { turn: 0, messageId: idOf(70), parts: [], stopReason: 'end_turn' });
  const none = new MemoryRows();
  const deleted = recording.durable.flatMap((event) => project(none, event)).filter(({ row }) => row === null);
  expect(deleted).toEqual([{ table: 'open_message', key: idOf(70), row: null }]);
  const silent = ['turn-start', 'turn-end', 'message-start', 'request-start', 'retry', 'message-part'] as const;
  for (const type of silent) expect(project(none, { type } as DurableEvent), type).toEqual([]);
});

test('a tool_call row is running, then has the result, then lists each undo and redo', () => {
  const recording = new Recording();
  const call = { toolCallId: 'call_w', name: 'write_file' };
  recording.record(first, { type: 'tool-start', ...call, input: {} });
  const startedAt = lastOf(recording).at;
  const running = projectedRows(recording.durable);
  expect(running.get('tool_call', [first.runId, 'call_w'])).toMatchObject({
    runId: first.runId,
    ...call,
    status: 'running',
    startedAt,
    endedAt: null,
  });
  const metadata = { undoable: true, path: 'a.md' };
  recording.result(first, { ...call, status: 'completed', output: 'ok', durationMs: 10, metadata });
  const endedAt = lastOf(recording).at;
  recording.record(first, { type: 'change-undo', toolCallId: 'call_w', path: 'a.md', undone: true });
  const undoAt = lastOf(recording).at;
  recording.record(first, { type: 'change-undo', toolCallId: 'call_w', path: 'a.md', undone: false });
  const redoAt = lastOf(recording).at;
  const rows = projectedRows(recording.durable);
  expect(rows.get('tool_call', [first.runId, 'call_w'])).toMatchObject({
    status: 'completed',
    endedAt,
    wrote: 'a.md',
    undone: false,
    undos: [
      { path: 'a.md', undone: true, at: undoAt },
      { path: 'a.md', undone: false, at: redoAt },
    ],
  });
  expect(rows.get('message', [first.runId, 0])).toMatchObject({ entry: { kind: 'tool', output: 'ok' } });
});

test('an approval row has a slot for each decision and each exchange, filled in any order', () => {
  const recording = new Recording();
  const asked = [first, second].map((who) => {
    const envelope = envelopeOf(who.agent, `Task of ${who.agent}`);
    return { runId: who.runId, title: who.agent, envelope, no: null };
  });
  approve(recording, lead, 'parallel', asked);
  const [request, zero, one] = recording.durable;
  if (request?.type !== 'approval-request' || one?.type !== 'approval-decide' || zero?.type !== 'approval-decide')
    throw new Error('not as recorded');
  const { id } = request.approval;
  const row = (events: readonly DurableEvent[]) => projectedRows(events).get('approval', id);
  expect(row([request])).toEqual({ workflowId, request: request.approval, decisions: [null, null], open: 2 });
  expect(row([request, one])).toMatchObject({ decisions: [null, one.decision], open: 1 });
  expect(row([request, one, zero])).toMatchObject({ decisions: [zero.decision, one.decision], open: 0 });
  const context = { id: idOf(80), question: 'Why?', answer: null, error: null, at: request.at };
  const exchanges = new Recording();
  const add = (type: 'context-request' | 'context-end', n: number, rest: object) =>
    exchanges.record(lead, { type, approvalId: id, n, context: { ...context, ...rest } });
  add('context-request', 0, {});
  add('context-end', 0, { answer: 'Because.' });
  add('context-request', 1, { question: 'And?' });
  expect(row([request, ...exchanges.durable])).toMatchObject({
    context: [
      { question: 'Why?', answer: 'Because.' },
      { question: 'And?', answer: null },
    ],
    open: 2,
  });
});

test('rows keep the latest plan, limits, note and grant, each under its owner', () => {
  const recording = new Recording();
  begin(recording);
  for (const who of [lead, first]) queue(recording, who, { prompt: 'x', title: 'x' });
  const items = [{ content: 'One', status: 'pending', priority: 'high' } as const];
  recording.record(first, { type: 'plan-change', items });
  recording.record(first, { type: 'limit-change', of: 'run', limits: { tokens: 5 } });
  recording.record(first, { type: 'limit-change', of: 'workflow', limits: { minutes: 6 } });
  const note = { scope: 'reader', folder: '/work', name: 'style' };
  recording.record(first, { type: 'memory-change', ...note, text: 'Short.' });
  const updatedAt = lastOf(recording).at;
  recording.record(lead, { type: 'memory-change', ...note, name: 'gone', text: 'Old' });
  recording.record(lead, { type: 'memory-change', ...note, name: 'gone', text: null });
  const place = { conversationId, workflowId, runId: lead.runId, parentRunId: null, askedBy: 'lead' };
  const grant = { id: idOf(81), ...place, agent: 'lead', tool: 'write_file', calls: 0 } as unknown as Grant;
  recording.record(lead, { type: 'grant-change', change: 'given', grant });
  recording.record(lead, { type: 'grant-change', change: 'used', grant: { ...grant, calls: 1 } });
  const rows = projectedRows(recording.durable);
  expect(rows.get('run', first.runId)).toMatchObject({ plan: items, limits: { tokens: 5 } });
  expect(rows.get('run', lead.runId)).not.toHaveProperty('plan');
  expect(rows.get('run', lead.runId)).not.toHaveProperty('limits');
  expect(rows.get('workflow', workflowId)).toMatchObject({ budget: { minutes: 6 } });
  const { agent, runId, parentRunId } = first;
  const writer = { conversationId, workflowId, runId, parentRunId, agent };
  expect(rows.get('memory', ['reader\n/work', 'style'])).toEqual({ ...note, text: 'Short.', updatedAt, writer });
  expect(rows.all('memory').length).toBe(1);
  expect(rows.get('permission_grant', grant.id)).toEqual({ ...grant, calls: 1 });
});

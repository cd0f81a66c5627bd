/** An envelope is stored once for its workflow, and everything that carries it comes back whole. */
import { expect, onTestFinished, test } from 'vitest';
import { withEnvelopes } from '#core/store/rows/envelope-texts.ts';
import { textOf } from '#core/store/rows/frame.ts';
import type { RowChange } from '#contract/rows.ts';
import { envelopeOf } from '../../../support/envelope.ts';
import { approve, conversationId, idOf, lead, queue, Recording, start } from '../../../support/recording.ts';
import { conversationRow, openOn, put } from '../support.ts';
import { eventItems, setFields } from '../../../support/commit-items.ts';

const prompt = 'Look at it, and say what it does. '.repeat(20);

test('stores an envelope once and returns it in full with events, runs and approvals', async () => {
  const opened = await openOn('mem');
  onTestFinished(() => opened.close());
  const { store, database } = opened;
  const recording = new Recording();
  const its = { ...lead, runId: idOf(11), parentRunId: lead.runId, agent: 'reviewer' };
  recording.record(lead, { type: 'workflow-start', prompt: 'x', approve: 'ask', attempt: 1 });
  const envelope = queue(recording, its, { prompt, title: 't', kind: 'spawn', toolCallId: 'c', item: 0 });
  approve(recording, lead, 'spawn', [{ runId: its.runId, title: 't', envelope, no: null }]);
  const edited = { ...envelope, prompt: `${prompt} \ud800\0` };
  start(recording, its, edited);
  const events = recording.durable;
  const conversation: RowChange = put('conversation', conversationRow({ id: conversationId }));
  await store.commit([conversation]);
  for (const event of events) await store.commit([{ event }]);
  expect(await store.events(conversationId, 1, 99)).toEqual(events);
  expect((await store.run(its.runId))?.envelope).toEqual(edited);
  const [approval] = await store.approvalsOf([lead.workflowId]);
  expect(approval?.request.subject).toMatchObject({ items: [{ envelope }] });
  // Each text is there once, and nowhere else.
  const texts = await database.query('SELECT VALUE text FROM envelope; SELECT VALUE text FROM event, run, approval');
  const [envelopes = [], others = []] = texts.map((found) => (found as ArrayBuffer[]).map(textOf));
  expect(envelopes.map((json) => (JSON.parse(json) as { prompt: string }).prompt).sort()).toEqual(
    [prompt, edited.prompt].sort(),
  );
  expect(others.filter((json) => json.includes('"systemPrompt"'))).toEqual([]);
});

test('returns a shared envelope for all workflows of one commit', async () => {
  const opened = await openOn('mem');
  onTestFinished(() => opened.close());
  const { store } = opened;
  const recording = new Recording();
  const runs = [10, 20, 30].map((n) => ({ ...lead, workflowId: idOf(n), runId: idOf(n + 1) }));
  const envelopes = runs.map((who) => {
    recording.record(who, { type: 'workflow-start', prompt: 'x', approve: 'ask', attempt: 1 });
    return queue(recording, who, { prompt, title: 't' });
  });
  const events = recording.durable.map((event) =>
    event.type === 'run-queue' ? { ...event, envelope: envelopes[0]! } : event,
  );
  await store.commit([put('conversation', conversationRow({ id: conversationId }))]);
  await store.commit(eventItems(events));
  expect(await store.events(conversationId, 1, 99)).toEqual(events);
});

test('a failed commit stores no envelope, and the next commit stores it', async () => {
  const opened = await openOn('mem');
  onTestFinished(() => opened.close());
  const { store } = opened;
  const recording = new Recording();
  recording.record(lead, { type: 'workflow-start', prompt: 'x', approve: 'ask', attempt: 1 });
  queue(recording, lead, { prompt, title: 't' });
  const events = recording.durable;
  await store.commit([put('conversation', conversationRow({ id: conversationId }))]);
  const refused = setFields('run', idOf(99), { title: 'x' });
  await expect(store.commit([...eventItems(events), refused])).rejects.toThrow();
  expect(await store.run(lead.runId)).toBeNull();
  await store.commit(eventItems(events));
  expect(await store.events(conversationId, 1, 99)).toEqual(events);
  expect(await store.run(lead.runId)).toMatchObject({ envelope: { prompt } });
});

test('reads nothing from the database for a row that has its envelope', async () => {
  const opened = await openOn('mem');
  onTestFinished(() => opened.close());
  const database = { ...opened.database, query: () => Promise.reject(new Error('A query')) };
  const row = { workflowId: lead.workflowId, envelope: envelopeOf('reviewer', prompt) };
  expect(await withEnvelopes(database, [row])).toEqual([row]);
});

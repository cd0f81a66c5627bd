/** What goes into the store comes out exactly as it went in. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import type { Entry } from '#contract/message.ts';
import { ConversationRow, RunRow, WorkflowRow } from '#contract/view.ts';
import { newId } from '#core/base/ids.ts';
import type { Store } from '#core/store/store.ts';
import { ENGINES } from './engines.ts';
import { conversationRow, openOn, type Opened, put, runRow, workflowRow } from './support.ts';
import { eventItems } from '../../support/commit-items.ts';

const at = '2026-03-01T12:00:00.000Z';

/** Texts and objects that storage layers are known to change. */
const HARD: readonly [string, unknown][] = [
  ['NUL', 'a\0b\0'],
  ['a lone high surrogate', 'x\ud83dy'],
  ['a lone low surrogate', '\udc00'],
  ['astral and combining characters', '🧑🏽‍🚀 e\u0301 \u202e'],
  ['line ends and controls', '\r\n\t\u0001\u2028\ufeff'],
  ['text like a query', "'; REMOVE TABLE event; -- $v0 {} [] ⟨⟩ `x`"],
  ['text like a record or a date', ['event:1', 'd"2026-01-01"', '2026-01-01T00:00:00Z']],
  ['odd keys', { '': 1, 'a.b': 2, $x: 3, '⟨⟩`"\\': 4, 'NUL\0': 5, constructor: 6, id: 7 }],
  ['nested nulls and empty lists', { a: null, b: [null, [], {}, [[]]], c: { d: null } }],
  ['numbers', [0, 1.5, -1e-300, 1e300, Number.MAX_SAFE_INTEGER, 2 ** 60]],
  ['a text of a megabyte', 'ä'.repeat(512 * 1024)],
];

describe.each(ENGINES)('on %s', (engine) => {
  let opened: Opened;
  let store: Store;
  beforeAll(async () => {
    opened = await openOn(engine);
    store = opened.store;
  });
  afterAll(() => opened.close());

  test.for(HARD)('stores and returns an event and an entry with %s unchanged', async ([, value]) => {
    const [conversationId, runId] = [newId(), newId()];
    const event: DurableEvent = {
      type: 'tool-start',
      seq: 1,
      at,
      conversationId,
      workflowId: newId(),
      runId,
      parentRunId: null,
      agent: 'lead',
      toolCallId: 'c',
      name: 'x',
      input: value,
    };
    const entry: Entry = {
      n: 0,
      at,
      kind: 'tool',
      toolCallId: 'c',
      name: 'x',
      status: 'completed',
      durationMs: 1,
      output: typeof value === 'string' ? value : '',
      metadata: { value },
    };
    await store.commit([{ event }, { table: 'message', key: [runId, 0], row: { entry } }]);
    expect(await store.events(conversationId, 1, 1)).toEqual([event]);
    expect(await store.entriesOf(runId)).toEqual([entry]);
  });

  test('rows have exactly the shapes of the contract', async () => {
    const conversation = conversationRow({ title: 'a\0b' });
    const workflow = workflowRow({
      conversationId: conversation.id,
      prompt: '\ud83d',
      agents: ['lead', 'a b'],
    });
    const run = runRow({ workflowId: workflow.id, error: { code: 'internal', message: 'x', detail: 'y' } });
    const rows = [put('conversation', conversation), put('workflow', workflow), put('run', run)];
    await store.commit(rows);
    expect(await store.conversation(conversation.id)).toEqual(conversation);
    expect(await store.workflow(workflow.id)).toEqual(workflow);
    expect(await store.run(run.id)).toEqual(run);
    expect(ConversationRow.strict().parse(await store.conversation(conversation.id))).toEqual(conversation);
    expect(WorkflowRow.strict().parse(await store.workflow(workflow.id))).toEqual(workflow);
    expect(RunRow.strict().parse(await store.run(run.id))).toEqual(run);
  });

  test('keeps calls apart whose ids differ only in a lone surrogate or a control character', async () => {
    const runId = newId();
    const ids = ['a\ud800', 'a\udc00', 'a\ufffd', '"a"', 'a\0'];
    const row = { runId, name: 'x', status: 'running' as const, startedAt: at, endedAt: null };
    await store.commit(ids.map((id) => ({ table: 'tool_call', key: [runId, id], row: { ...row, toolCallId: id } })));
    const calls = await store.callsOf([runId]);
    expect(calls.map(({ toolCallId }) => toolCallId).sort()).toEqual([...ids].sort());
  });

  test('returns only the requested events, in order of their numbers', async () => {
    const conversationId = newId();
    const event = (seq: number): DurableEvent => ({
      type: 'notice',
      seq,
      at,
      conversationId,
      workflowId: newId(),
      runId: newId(),
      parentRunId: null,
      agent: 'lead',
      level: 'info',
      text: String(seq),
    });
    const events = Array.from({ length: 300 }, (_, index) => event(index + 1));
    await store.commit(eventItems(events));
    expect(await store.events(conversationId, 1, 1000)).toEqual(events);
    expect((await store.events(conversationId, 99, 101)).map(({ seq }) => seq)).toEqual([99, 100, 101]);
    expect(await store.events(conversationId, 301, 400)).toEqual([]);
    expect(await store.events(newId(), 1, 10)).toEqual([]);
  });

  test('stores and returns entries and open messages, and deletes open messages', async () => {
    const [runId, messageId] = [newId(), newId()];
    const entries = Array.from({ length: 30 }, (_, n): Entry => {
      return { n, at, kind: 'user', source: 'person', text: `words ${n}` };
    });
    const open = {
      messageId,
      conversationId: newId(),
      workflowId: newId(),
      runId,
      at,
      parts: [{ kind: 'tool' as const, text: '{"a', toolCallId: 'c', name: 'x' }],
    };
    await store.commit([
      ...entries.map((entry) => ({ table: 'message', key: [runId, entry.n], row: { entry } }) as const),
      { table: 'open_message', key: messageId, row: open },
    ]);
    expect(await store.entriesOf(runId)).toEqual(entries);
    expect(await store.openMessages()).toEqual([open]);
    await store.commit([{ table: 'open_message', key: messageId, row: null }]);
    expect(await store.openMessages()).toEqual([]);
  });

  test('returns null or an empty list for missing rows', async () => {
    const id = newId();
    expect([await store.conversation(id), await store.workflow(id), await store.run(id)]).toEqual([null, null, null]);
    expect(await store.approval(id)).toBeNull();
    expect(await store.lastSeq(id)).toBe(0);
    expect(await store.runsOf([])).toEqual([]);
    expect(await Promise.all([store.runsOf([id]), store.callsOf([id]), store.requestsOf(id)])).toEqual([[], [], []]);
  });
});

/** A long conversation: a message costs the same, however many were sent before it. */
import { expect, test, vi } from 'vitest';
import type { CompactionEntry } from '#contract/message.ts';
import { toldWire } from '#core/store/log/told.ts';
import { Transcript } from '#core/store/log/transcript.ts';
import { keptOf } from '#core/runs/loop/compaction-kept.ts';
import { Seeder } from '../../../bench/seed.ts';
import { startEngine, talkIn } from '../../../support/engine.ts';
import { Script, text } from '../../../support/fake-model/script.ts';

const echo = () => new Script().on({}).reply((seen) => [text(`Answer to ${seen.asked}`)]);

/** Calls of each method of the store, from now on. */
function countReads<T extends object, K extends keyof T & string>(store: T, names: readonly K[]) {
  const spies = names.map((name) => [name, vi.spyOn(store, name as never)] as const);
  return (): Record<string, number> => {
    const counts = Object.fromEntries(spies.map(([name, spy]) => [name, spy.mock.calls.length]));
    for (const [, spy] of spies) spy.mockClear();
    return counts;
  };
}

test('a new message reads only the entries of the previous message from the store', async () => {
  const engine = await startEngine(echo());
  const read = countReads(engine.store, ['entriesOf', 'run', 'workflow', 'workflows', 'recordsOf']);
  const reads: Record<string, number>[] = [];
  for (let n = 1; n <= 12; n += 1) {
    await engine.ask(`message ${n}`);
    reads.push(read());
  }
  expect(reads.at(-1)).toEqual(reads[3]);
  expect(reads.at(-1)?.['entriesOf']).toBe(1);
  // The whole conversation is in the request nevertheless.
  expect(engine.model.requests.at(-1)?.body.messages).toHaveLength(2 * 11 + 1);
});

test('the next message reads a workflow again after its compaction changed', async () => {
  const engine = await startEngine(echo());
  const { conversationId, runtime } = engine;
  for (const word of ['one', 'two', 'three']) await engine.ask(word);
  const last = () => JSON.stringify(engine.model.requests.at(-1)?.body.messages);
  await runtime.request('context.compact', { conversationId });
  await engine.ask('four');
  expect(last()).not.toContain('"text":"Answer to one"');
  const { entry, runId } = engine.of('compaction')[0]!;
  await runtime.request('context.restore', { conversationId, runId, n: entry.n, undone: true });
  await engine.ask('five');
  expect(last()).toContain('"text":"Answer to one"');
});

const WINDOW = '[providers.anthropic.models."claude-sonnet-5-5"]\ncontext_window = 200_000\n';
const ask = (index: number): string => `Message ${index}: what does this part of the program do?`;

/** An engine with a stored conversation of so many messages. */
async function withConversation(count: number) {
  const engine = await startEngine(echo(), { settings: WINDOW });
  const conversationId = await new Seeder(engine.store, engine.folder).messages(count, ask, 'It does what it should.');
  return { ...engine, ...(await talkIn(engine.runtime, conversationId)), conversationId };
}

test('the first message in a stored conversation reads many workflows at a time', async () => {
  const engine = await withConversation(120);
  const read = countReads(engine.store, ['entriesOf', 'run', 'runsOf', 'recordsOf']);
  await engine.ask('one more');
  expect(engine.model.requests.at(-1)?.body.messages).toHaveLength(2 * 120 + 1);
  const reads = Object.values(read()).reduce((sum, count) => sum + count, 0);
  expect(reads).toBeLessThan(30);
});

test('a check and an export read many workflows at a time', async () => {
  const { store, runtime, conversationId } = await withConversation(120);
  const read = countReads(store, ['events', 'runsOf', 'recordsOf', 'approvalsOf']);
  const { text: exported } = await runtime.request('conversation.export', { conversationId, format: 'md' });
  expect(exported.match(/Message \d+/g)?.length).toBeGreaterThanOrEqual(120);
  const reads = read();
  for (const [name, count] of Object.entries(reads)) expect(count, name).toBeLessThan(30);
});

/** So many earlier workflows with a question and an answer each. */
function earlierRuns(count: number) {
  return Array.from({ length: count }, (_, index) => {
    const history = new Transcript([]);
    history.add({ kind: 'user', source: 'person', text: ask(index) });
    history.add({
      kind: 'assistant',
      messageId: `m${index}`,
      responseId: null,
      interrupted: false,
      stopReason: 'end_turn',
      parts: [{ type: 'text', text: `Answer ${index}` }],
    });
    return { runId: `run-${index}`, history };
  });
}

/** The ids, and how many of them were read. */
function countedIds(ids: readonly string[]) {
  let count = 0;
  const get = (target: string[], key: string | symbol): unknown => {
    if (typeof key === 'string' && /^\d+$/.test(key)) count += 1;
    return Reflect.get(target, key);
  };
  return { ids: new Proxy([...ids], { get }), take: () => [count, (count = 0)][0] };
}

test('a request after a compaction reuses cached messages and skips the compacted workflows', () => {
  const prior = earlierRuns(500);
  const { ids, take } = countedIds(prior.slice(0, 400).map(({ runId }) => runId));
  const compaction = {
    kind: 'compaction' as const,
    text: 'Notes',
    upTo: 0,
    prior: ids.map(() => 2),
    priorRuns: ids,
    kept: 'What was said',
    tokensBefore: 2,
    tokensAfter: 1,
    auto: true,
  } satisfies Omit<CompactionEntry, 'n' | 'at'>;
  prior[400]?.history.add(compaction);
  take();
  const first = toldWire({ prior, entries: [] });
  expect(take()).toBeLessThanOrEqual(400);
  expect(first).toHaveLength(2 * 100);
  expect(JSON.stringify(first[0])).toContain('What was said');
  // The next message has its own list of the same runs.
  const second = toldWire({ prior: [...prior], entries: [] });
  expect(take()).toBe(0);
  expect(second.filter((message) => !first.includes(message))).toEqual([]);
});

test('a compaction keeps a bounded part of any number of messages and decisions', () => {
  const prior = earlierRuns(10_000);
  for (const { history } of prior)
    history.add({
      kind: 'tool',
      toolCallId: 'call',
      name: 'look',
      status: 'error',
      output: '',
      durationMs: 0,
      metadata: { decided: 'The person rejected it: not now.' },
    });
  const kept = keptOf({ prior, entries: [] }, { upTo: 0, plan: [], maxChars: 10_000 });
  expect(kept.length).toBeLessThan(40_000);
  expect(kept).toContain(`10000. ${ask(9999)}`);
  expect(kept).toMatch(/\[… 9\d{3} older ones are omitted here/);
});

/** The log: what nobody waits for shares a transaction with what somebody does, in order, and nothing is shown before it is stored. */
import { expect, test } from 'vitest';
import type { AgentEvent, EventDraft } from '#contract/event.ts';
import { EventLog } from '#core/store/log/event-log.ts';
import type { Store } from '#core/store/store.ts';
import { conversationId, conversationRow, idOf, lead } from '../../../support/recording.ts';
import { eventsIn } from '../../../support/commit-items.ts';

interface Scene {
  log: EventLog;
  /** What each transaction stored. */
  commits: string[][];
  /** What a subscriber saw, and how many events were stored then. */
  seen: string[];
  /** Conversations whose last number the store was asked for. */
  asked: string[];
}

async function scene(): Promise<Scene> {
  const commits: string[][] = [];
  const asked: string[] = [];
  const store: Pick<Store, 'commit' | 'lastSeq'> = {
    lastSeq: (id) => {
      asked.push(id);
      return Promise.resolve(0);
    },
    commit: (items) => {
      commits.push(eventsIn(items).map(({ type }) => type));
      return Promise.resolve();
    },
  };
  // The log uses no other part of it.
  const log = new EventLog(store as Store, (error) => {
    throw error;
  });
  await log.open(conversationId);
  const seen: string[] = [];
  log.subscribe(conversationId, ({ type }: AgentEvent) => seen.push(`${type} ${commits.flat().length}`));
  return { log, commits, seen, asked };
}

const ids = { at: '2026-03-01T12:00:00.000Z', ...lead };
const calm: EventDraft = { ...ids, type: 'turn-start', turn: 0, model: 'm' };
const urgent: EventDraft = { ...ids, type: 'tool-start', toolCallId: 'c', name: 'x', input: {} };
const later = () => new Promise((resolve) => setImmediate(resolve));

test('commits a non-urgent event together with the next urgent event', async () => {
  const { log, commits, seen } = await scene();
  void log.append(calm);
  await later();
  await later();
  const done = log.append(urgent);
  void log.append(calm);
  await done;
  await log.flush();
  expect(commits).toEqual([['turn-start', 'tool-start', 'turn-start']]);
  expect(seen).toEqual(['turn-start 3', 'tool-start 3', 'turn-start 3']);
});

test('commits a single non-urgent event after a short delay', async () => {
  const { log, commits, seen } = await scene();
  await log.append(calm);
  expect([commits, seen]).toEqual([[['turn-start']], ['turn-start 1']]);
});

test('an exclusive read commits pending events at once', async () => {
  const { log, commits } = await scene();
  void log.append(calm);
  expect(await log.exclusive(conversationId, (seq) => Promise.resolve(seq))).toBe(1);
  expect(commits).toEqual([['turn-start']]);
});

test('publishes a hint after all earlier events, and at once if no event is pending', async () => {
  const { log, seen } = await scene();
  const hint = { ...ids, type: 'message-delta', messageId: 'm', part: 0, offset: 0, text: 'x' } as const;
  log.hint(hint);
  expect(seen).toEqual(['message-delta 0']);
  void log.append(calm);
  log.hint(hint);
  expect(seen).toHaveLength(1);
  await log.flush();
  expect(seen).toEqual(['message-delta 0', 'turn-start 1', 'message-delta 1']);
});

test('does not query the store about a new conversation before its first event', async () => {
  const { log, asked } = await scene();
  const row = { ...conversationRow(), id: idOf(9) };
  await log.begin(row);
  await log.open(row.id);
  expect(log.isEmpty(row.id)).toBe(true);
  expect(await log.append({ ...urgent, conversationId: row.id })).toMatchObject({ seq: 1 });
  expect(asked).toEqual([conversationId]);
});

// Which runs wait for the model: for their turn between the start of a turn and that of its request, or for the provider.
import { expect, it } from 'vitest';
import type { EventDraft, HintEvent } from '#contract/event.ts';
import { Asking } from '#core/log/asking.ts';

const AT = '2026-01-01T00:00:40.000Z';

function eventOf(runId: string, fields: object, conversationId = 'c') {
  return { runId, conversationId, at: AT, ...fields } as unknown as EventDraft | HintEvent;
}

it('lists the runs of a conversation that wait for their turn', () => {
  const asking = new Asking();
  asking.take(eventOf('a', { type: 'turn-start', atATime: 1 }));
  asking.take(eventOf('b', { type: 'turn-start', atATime: 3 }));
  asking.take(eventOf('at once', { type: 'turn-start' }));
  asking.take(eventOf('x', { type: 'turn-start', atATime: 1 }, 'other'));
  asking.take(eventOf('b', { type: 'request-start', purpose: 'review' }));
  expect(asking.inConversation('c').asking).toEqual({ a: 1, b: 3 });
  asking.take(eventOf('a', { type: 'request-start' }));
  expect(asking.inConversation('c').asking).toEqual({ b: 3 });
  asking.take(eventOf('b', { type: 'run-end' }));
  expect(asking.inConversation('c').asking).toEqual({});
  expect(asking.inConversation('other').asking).toEqual({ x: 1 });
});

it('lists the runs of a conversation that wait for the provider, until their request is answered', () => {
  const asking = new Asking();
  const error = { code: 'unreachable', message: 'No connection' };
  const retry = { type: 'retry', attempt: 2, delayMs: 1000, error };
  for (const runId of ['a', 'b', 'c', 'd']) asking.take(eventOf(runId, retry));
  asking.take(eventOf('silent', { type: 'request-silent', turn: 0, attempt: 1, silentMs: 30_000 }));
  asking.take(eventOf('x', retry, 'other'));
  expect(asking.inConversation('c').waits).toMatchObject({
    a: { at: AT, attempt: 2, delayMs: 1000, error },
    silent: { at: '2026-01-01T00:00:10.000Z', attempt: 1, delayMs: null, error: null },
  });
  asking.take(eventOf('a', { type: 'request-start' }));
  asking.take(eventOf('a', { type: 'usage', request: { error } }));
  expect(Object.keys(asking.inConversation('c').waits)).toEqual(['a', 'b', 'c', 'd', 'silent']);
  asking.take(eventOf('a', { type: 'message-start' }));
  asking.take(eventOf('b', { type: 'usage', request: { error: null } }));
  asking.take(eventOf('c', { type: 'run-end' }));
  asking.delta('silent');
  expect(Object.keys(asking.inConversation('c').waits)).toEqual(['d']);
});

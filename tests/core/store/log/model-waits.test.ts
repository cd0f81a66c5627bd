// The runs that wait for their turn, between the start of a turn and its request, or for the provider.
import { expect, it } from 'vitest';
import type { EventDraft, HintEvent } from '#contract/event.ts';
import { ModelWaits } from '#core/store/log/model-waits.ts';

const AT = '2026-01-01T00:00:40.000Z';

function createEvent(runId: string, fields: object, conversationId = 'c') {
  return { runId, conversationId, at: AT, ...fields } as unknown as EventDraft | HintEvent;
}

it('lists the runs of a conversation that wait for their turn', () => {
  const waits = new ModelWaits();
  waits.update(createEvent('a', { type: 'turn-start', atATime: 1 }));
  waits.update(createEvent('b', { type: 'turn-start', atATime: 3 }));
  waits.update(createEvent('at once', { type: 'turn-start' }));
  waits.update(createEvent('x', { type: 'turn-start', atATime: 1 }, 'other'));
  waits.update(createEvent('b', { type: 'request-start', purpose: 'review' }));
  expect(waits.getWaits('c').asking).toEqual({ a: 1, b: 3 });
  waits.update(createEvent('a', { type: 'request-start' }));
  expect(waits.getWaits('c').asking).toEqual({ b: 3 });
  waits.update(createEvent('b', { type: 'run-end' }));
  expect(waits.getWaits('c').asking).toEqual({});
  expect(waits.getWaits('other').asking).toEqual({ x: 1 });
});

it('lists the runs of a conversation that wait for the provider, until their request is answered', () => {
  const waits = new ModelWaits();
  const error = { code: 'unreachable', message: 'No connection' };
  const retry = { type: 'retry', attempt: 2, delayMs: 1000, error };
  for (const runId of ['a', 'b', 'c', 'd', 'review']) waits.update(createEvent(runId, retry));
  waits.update(createEvent('silent', { type: 'request-silent', turn: 0, attempt: 1, silentMs: 30_000 }));
  waits.update(createEvent('x', retry, 'other'));
  expect(waits.getWaits('c').waits).toMatchObject({
    a: { at: AT, attempt: 2, delayMs: 1000, error },
    silent: { at: '2026-01-01T00:00:10.000Z', attempt: 1, delayMs: null, error: null },
  });
  waits.update(createEvent('a', { type: 'request-start' }));
  waits.update(createEvent('a', { type: 'usage', request: { error } }));
  expect(Object.keys(waits.getWaits('c').waits)).toEqual(['a', 'b', 'c', 'd', 'review', 'silent']);
  waits.update(createEvent('a', { type: 'message-start' }));
  waits.update(createEvent('b', { type: 'usage', request: { error: null } }));
  waits.update(createEvent('review', { type: 'usage', request: { error, purpose: 'review' } }));
  waits.update(createEvent('c', { type: 'run-end' }));
  waits.endProviderWait('silent');
  expect(Object.keys(waits.getWaits('c').waits)).toEqual(['d']);
});

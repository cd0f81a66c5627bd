// Which runs wait for the model is known between the start of a turn and that of its request.
import { expect, it } from 'vitest';
import { Asking } from '#core/log/asking.ts';

const AT = '2026-01-02T03:04:05.000Z';
const of = (runId: string, conversationId = 'c') => ({ runId, conversationId, at: AT });

it('tells a client that comes later who waits, in its conversation alone', () => {
  const asking = new Asking();
  asking.take({ type: 'turn-start', ...of('a') });
  asking.take({ type: 'turn-start', ...of('b') });
  asking.take({ type: 'turn-start', ...of('x', 'other') });
  asking.take({ type: 'request-start', purpose: 'review', ...of('b') });
  expect(asking.of('c')).toEqual({ a: AT, b: AT });
  asking.take({ type: 'request-start', ...of('a') });
  expect(asking.of('c')).toEqual({ b: AT });
  asking.take({ type: 'run-end', ...of('b') });
  expect(asking.of('c')).toEqual({});
  expect(asking.of('other')).toEqual({ x: AT });
});

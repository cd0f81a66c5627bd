// Which runs wait for the model is known between the start of a turn and that of its request.
import { expect, it } from 'vitest';
import { Asking } from '#core/log/asking.ts';

const of = (runId: string, conversationId = 'c') => ({ runId, conversationId });

it('tells a client that comes later who waits, in its conversation alone', () => {
  const asking = new Asking();
  asking.take({ type: 'turn-start', atATime: 1, ...of('a') });
  asking.take({ type: 'turn-start', atATime: 3, ...of('b') });
  asking.take({ type: 'turn-start', ...of('at once') });
  asking.take({ type: 'turn-start', atATime: 1, ...of('x', 'other') });
  asking.take({ type: 'request-start', purpose: 'review', ...of('b') });
  expect(asking.of('c')).toEqual({ a: 1, b: 3 });
  asking.take({ type: 'request-start', ...of('a') });
  expect(asking.of('c')).toEqual({ b: 3 });
  asking.take({ type: 'run-end', ...of('b') });
  expect(asking.of('c')).toEqual({});
  expect(asking.of('other')).toEqual({ x: 1 });
});

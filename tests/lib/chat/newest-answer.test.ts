// What can be done with the newest answer by a command: only with that of the last message, and once.
import { expect, it, vi } from 'vitest';
import { newestAnswer, once } from '#lib/chat/newest-answer.ts';

const ended = { id: 'w1', outcome: 'completed' } as const;

it('newestAnswer returns the last answer, and none while another message runs or waits', () => {
  const before = { ...ended, id: 'w0' };
  expect(newestAnswer([])).toBeUndefined();
  expect(newestAnswer([before, ended])).toBe(ended);
  expect(newestAnswer([ended, { id: 'w2', outcome: null }])).toBeUndefined();
});

it('runs an action once for two requests, and again after a failure', async () => {
  const made = Promise.withResolvers<void>();
  const act = vi.fn(() => made.promise);
  const first = once(ended, act);
  await once(ended, act);
  expect(act).toHaveBeenCalledTimes(1);
  made.reject(new Error('No'));
  await expect(first).rejects.toThrow('No');
  await once(ended, () => Promise.resolve(act()).catch(() => undefined));
  expect(act).toHaveBeenCalledTimes(2);
});

/** How many wait for a slot: those who wait now, without who works, has left or was stopped while it waited. */
import { expect, test } from 'vitest';
import { Roster } from '#core/runs/workflow/roster.ts';

test('the queue depth excludes sub-agents that have left or were stopped while waiting', async () => {
  const roster = new Roster({ maxSubAgents: 3, maxConcurrent: 2, subAgents: [], taken: 0 });
  const admit = (runId: string, { signal } = new AbortController()) => roster.admit(runId, signal);
  const [one, two] = [admit('one'), admit('two')];
  expect([one.queueDepth, two.queueDepth]).toEqual([0, 0]);
  const leave = await Promise.all([one.turn, two.turn]);

  const stop = new AbortController();
  const stopped = admit('stopped', stop);
  expect(stopped.queueDepth).toBe(1);
  stop.abort(new Error('stopped'));
  await expect(stopped.turn).rejects.toThrow();

  const three = admit('three');
  expect(three.queueDepth, 'the stopped one does not wait any more').toBe(1);
  for (const end of leave) end();
  await three.turn;
  expect(admit('four').queueDepth, 'both that worked have left').toBe(0);
});

test('a second stop of a sub-agent that has not started ends no agent', () => {
  const roster = new Roster({ maxSubAgents: 3, maxConcurrent: 2, subAgents: [], taken: 0 });
  let ends = 0;
  roster.waits('one', () => (ends += 1));
  expect([roster.stopUnstarted('one'), roster.stopUnstarted('one'), ends]).toEqual([true, false, 1]);
});

/** A store that stops working: one error, everything stops, and nothing is shown that is not stored. */
import { expect, test } from 'vitest';
import { startEngine } from '../../../support/engine.ts';
import { plainAnswer, threeChildren } from '../../../support/fake-model/scenarios.ts';
import { memoryStore } from '../../../support/stores/pooled.ts';
import { eventsIn } from '../../../support/commit-items.ts';

test('a failed commit ends all publishing and work, and reports one error', async () => {
  const store = await memoryStore();
  const failures: Error[] = [];
  let left = 25;
  const commit: typeof store.commit = (items) => {
    const events = eventsIn(items);
    if ((left -= events.length) < 0) return Promise.reject(new Error('No space left on device'));
    return store.commit(items);
  };
  const engine = await startEngine(threeChildren(), {
    store: { ...store, commit },
    onFailure: (error) => failures.push(error),
  });
  await engine.send('Go');
  await expect.poll(() => failures.length).toBe(1);
  await expect.poll(() => engine.model.requests.every(({ endedAt }) => endedAt !== null)).toBe(true);
  expect(failures[0]).toMatchObject({ code: 'store_failed' });
  expect(failures[0]?.message).toMatch(/check the disk/);
  const stored = await store.events(engine.conversationId, 1, 1000);
  expect(engine.durable()).toMatchObject(stored);
  await expect(engine.send('Again')).rejects.toMatchObject({ code: 'interrupted' });
});

test('a read error interrupts the workflow, which can be resumed', async () => {
  const store = await memoryStore();
  let broken = false;
  const workflows: typeof store.workflows = (page) => {
    // The environment is read before the workflow starts, from one row.
    if (!broken || page.limit === 1) return store.workflows(page);
    broken = false;
    return Promise.reject(new Error('cannot read'));
  };
  const engine = await startEngine(plainAnswer(), { store: { ...store, workflows } });
  await engine.ask('Hello');
  broken = true;
  const end = await engine.ask('And again');
  expect(end).toMatchObject({ outcome: 'interrupted', error: { message: 'cannot read' } });
  await engine.runtime.request('workflow.resume', { workflowId: end.workflowId });
  const again = await engine.event('workflow-end', (event) => event.seq > end.seq);
  expect(again).toMatchObject({ outcome: 'completed' });
});

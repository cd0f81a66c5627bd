/** The time left of an open question survives a restart. */
import { expect } from 'vitest';
import { lasting, memoryStore } from '../../support/stores/pooled.ts';
import { startEngine } from '../../support/engine.ts';
import { spawnOne } from '../../support/fake-model/scenarios.ts';
import { fullTest } from '../../support/samples.ts';

fullTest(
  'tests/core/approvals/gate-clock.alone.test.ts › stores the remaining time, so that it continues after a restart',
)('the stored approval contains its remaining time', async () => {
  const store = await memoryStore();
  const engine = await startEngine(spawnOne(), {
    store: lasting(store),
    person: () => null,
  });
  await engine.send('Go');
  await engine.event('approval-request');
  const left = async (): Promise<number> => (await store.openApprovals())[0]?.request.remainingMs ?? NaN;
  expect(await left()).toBe(300_000);
  await expect.poll(left).toBeLessThan(296_000);
  await engine.runtime.close();
  expect(await left()).toBeLessThan(296_000);
});

/** A sample of the long run of faults; `npm run soak` plays a thousand. */
import { expect, test } from 'vitest';
import { soak } from './soak.ts';

test('the promises are kept through a sample of seeded faults', { timeout: 240_000 }, async () => {
  const { played, breaches } = await soak({ from: 1, seeds: 24, parallel: 4 });
  expect(breaches).toEqual([]);
  expect(played).toBe(24);
});

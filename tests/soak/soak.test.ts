/** A sample of the long run of faults; `npm run soak` continues until a promise breaks. */
import { expect, test } from 'vitest';
import { soak } from './soak.ts';

/** A kill of the owner, a reload of a window, and a stop; that nobody is left is in the campaign. */
const SEEDS = [1856];

test('a sample of seeded faults breaks no promise', { timeout: 240_000 }, async () => {
  const { played, kills, breaches } = await soak({ seeds: SEEDS, parallel: 1 });
  expect(breaches, breaches.join('\n')).toEqual([]);
  expect(played).toBe(SEEDS.length);
  expect(kills).toBe(1);
});

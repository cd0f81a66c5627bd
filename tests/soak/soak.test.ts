/** A sample of the long run of faults; `npm run soak` plays a thousand. */
import { expect, test } from 'vitest';
import { soak } from './soak.ts';

/** Kills of the owner, the client and both, and with them stops, reloads and workflows that are not resumed. */
const SEEDS = [127, 66, 1];

test('the promises are kept through a sample of seeded faults', { timeout: 240_000 }, async () => {
  const { played, kills, breaches } = await soak({ seeds: SEEDS, parallel: 3 });
  expect(breaches, breaches.join('\n')).toEqual([]);
  expect(played).toBe(SEEDS.length);
  expect(kills).toBe(4);
});

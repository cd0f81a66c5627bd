/** A sample of the campaign of kills and signals; `npm run soak` plays three hundred. */
import { expect, test } from 'vitest';
import { campaign } from './campaign.ts';

/** A kill. */
const SEEDS = [6];

test('nothing is lost, repeated or stuck after a sample of kills', { timeout: 240_000 }, async () => {
  const { kills, breaches, accounts } = await campaign(SEEDS);
  expect(breaches).toEqual([]);
  expect(kills).toBe(SEEDS.length);
  expect(accounts.reportedInput).toBeLessThanOrEqual(accounts.toldInput);
});

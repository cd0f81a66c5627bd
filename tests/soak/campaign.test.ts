/** A sample of the campaign of kills and signals; `npm run kills` runs 300 kills. */
import { expect } from 'vitest';
import { campaign } from './campaign.ts';
import { fullTest } from '../support/samples.ts';

/** A kill of a program that has its own workflow. */
const SEEDS = [6];

fullTest('tests/soak/soak.test.ts › the promises are kept through a sample of seeded faults')(
  'nothing is lost, repeated or stuck after a sample of kills',
  { timeout: 240_000 },
  async () => {
    const { kills, found, breaches, accounts } = await campaign(SEEDS, undefined, ({ type }) => type === 'tool-end');
    expect(breaches, breaches.join('\n')).toEqual([]);
    expect(found).toEqual({ interrupted: 1 });
    expect(kills).toBe(SEEDS.length);
    expect(accounts.reportedInput).toBeLessThanOrEqual(accounts.toldInput);
  },
);

/** A sample of flipped bits; the full run has 30 of the day's seed in each of two stores, `npm run soak` 200. */
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { fullTest, TEST_SEED } from '../../support/samples.ts';
import { findFaults, flipBits, NO_COMPACTION, removeTemplates, useCopy } from './flips.ts';
import { flipBit } from './positions.ts';

const TIMEOUT_MS = 600_000;
const SMALL = 50;
const LARGE = 700;

afterAll(removeTemplates);

test('a store with one flipped bit works, and every event of it is there', { timeout: TIMEOUT_MS }, async () => {
  const whole = await useCopy(SMALL);
  expect(whole).toMatchObject({ steps: {}, lost: 0, altered: 0, unlisted: { conversations: 0, workflows: 0 } });
  const faults = findFaults(await flipBits({ sessions: SMALL, positions: 4, seed: 1 }));
  expect(faults, faults.join('\n')).toEqual([]);
});

test(
  'a store with a damaged block opens without compaction, also after a failed opening',
  {
    timeout: TIMEOUT_MS,
  },
  async () => {
    const flips = await flipBits({
      sessions: SMALL,
      positions: 2,
      seed: 1,
      kinds: ['.sst', '.blob'],
      environments: [{}, NO_COMPACTION],
    });
    expect(flips.map(({ uses }) => uses[1]?.steps['open'] ?? null)).toEqual([null, null]);
  },
);

/** Damages every large value: each is in a file of large values, and none is larger than this distance, in bytes. */
async function damageLargeValues(store: string): Promise<void> {
  // With an archive, the program would rebuild the store.
  await writeFile(join(store, '..', 'NO_ARCHIVE'), '');
  const apart = 4000;
  for (const file of await readdir(store)) {
    if (!file.endsWith('.blob')) continue;
    const { size } = await stat(join(store, file));
    for (let offset = apart; offset < size - apart; offset += apart)
      await flipBit(store, { kind: '.blob', file, offset, bit: 2 });
  }
}

test('lists skip rows that cannot be read, and their number is reported', { timeout: TIMEOUT_MS }, async () => {
  const whole = await useCopy(SMALL, undefined, NO_COMPACTION);
  const { steps, listed, unlisted } = await useCopy(SMALL, damageLargeValues, NO_COMPACTION);
  expect(Object.keys(steps).filter((step) => step in listed)).toEqual([]);
  expect(listed).toMatchObject({ conversations: whole.listed['conversations'], approvals: 0 });
  expect(unlisted?.conversations).toBe(0);
  expect(unlisted?.workflows).toBeGreaterThan(0);
  expect(listed['workflows']).toBe((whole.listed['workflows'] ?? 0) - (unlisted?.workflows ?? 0));
});

const SAMPLE = 'tests/soak/flips/flips.test.ts › a store with one flipped bit works, and every event of it is there';

fullTest(SAMPLE).for([SMALL, LARGE])(
  'a store of %i sessions works after each of 30 flipped bits, and every event of it is there',
  { timeout: 2 * TIMEOUT_MS },
  async (sessions) => {
    const faults = findFaults(await flipBits({ sessions, positions: 30, seed: TEST_SEED }));
    expect(faults, faults.join('\n')).toEqual([]);
  },
);

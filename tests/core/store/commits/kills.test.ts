/**
 * `kill -9` when events are committed and their rows are not, and before, during and after a flush: the next start has
 * every event that was committed, and all rows as they follow from them. `TEST_SEED` chooses the plans.
 */
import fc from 'fast-check';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { apply } from '#core/store/apply.ts';
import { fullTest, TEST_SEED } from '../../../support/samples.ts';
import type { Death } from '../child/flushing.ts';
import { startChild } from '../child/run.ts';
import { type Digests, digestsOf } from '../everything.ts';
import { conversation, eventsOf, type Plan, plan } from '../random-history.ts';
import { openOn, schemaDir, testFolder } from '../support.ts';

const KILLS = 40;
const MOMENTS = ['committed', 'during', 'before', 'flushed'] as const;
const plans = fc.array(plan, { minLength: 1, maxLength: 3 });

/** What can be read of a store that applied so many of the events at once, and was never killed. */
async function never(some: readonly Plan[], committed: number): Promise<Digests> {
  const opened = await openOn('mem');
  const { store } = opened;
  const events = eventsOf(some).slice(0, committed);
  await store.commit([], [conversation]);
  for (const event of events) await store.commit([event], apply(event));
  const digests = await digestsOf(store);
  await opened.close();
  return digests;
}

async function child(file: string, ...args: string[]): Promise<{ lines: string[]; killed: boolean }> {
  const { process, lines, ended } = startChild(file, args);
  await ended;
  return { lines, killed: process.signalCode === 'SIGKILL' };
}

const LAGGING_STORE =
  'tests/core/store/commits/lagging.test.ts › each read is that of a store that applies at once, after any flush and any kill';

fullTest(LAGGING_STORE)('nothing is missing and every count is exact', { timeout: 1_800_000 }, async () => {
  const base = await testFolder();
  let killed = 0;
  for (const [n, some] of fc.sample(plans, { numRuns: KILLS, seed: Number(TEST_SEED) }).entries()) {
    const death: Death = {
      plans: some,
      moment: MOMENTS[n % MOMENTS.length]!,
      nth: Math.floor(n / MOMENTS.length) % 7,
      seed: `kill ${TEST_SEED} ${n}`,
    };
    const store = join(base, String(n), 'store');
    const dying = await child('flushing.ts', store, schemaDir, JSON.stringify(death));
    killed += Number(dying.killed);
    const { lines } = await child('read-all.ts', store, schemaDir);
    const found = JSON.parse(lines.at(-1) ?? '') as Digests;
    const place = `${death.moment} ${death.nth}, kill ${n}`;
    expect(found.stored, place).toBeGreaterThanOrEqual(Number(dying.lines.at(-1) ?? 0));
    expect(found, place).toEqual(await never(some, found.stored));
    await rm(join(base, String(n)), { recursive: true });
  }
  expect(killed).toBeGreaterThan(KILLS / 3);
});

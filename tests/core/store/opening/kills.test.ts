/**
 * After a kill at any step of the creation or upgrade of a store, the next start works and finds all data. Only the full
 * run (`--mode full`) includes these tests.
 */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { newId } from '#core/base/ids.ts';
import { backupsOf } from '#core/store/backups/backups.ts';
import { lookInto } from '#core/store/backups/copy.ts';
import { startChild } from '../child/run.ts';
import { makeFilledStore } from '../finished.ts';
import { atSteps } from '../at-steps.ts';
import { copiedStore, extendSchema, newestSchema, schemaDir, testFolder } from '../support.ts';
import { fullTest } from '../../../support/samples.ts';

/** The schema is made, and its version is not recorded yet. */
const UNRECORDED = 16;

/** Number of steps, or null where it was killed at one. */
async function openKilledAt(store: string, step: number, schema = schemaDir): Promise<number | null> {
  const child = startChild('killed-at.ts', [String(step), 'open', store, schema]);
  await child.ended;
  return child.lines[0] === undefined ? null : Number(child.lines[0]);
}

async function open(store: string, schema = schemaDir): Promise<string> {
  const child = startChild('store.ts', ['open', store, newId(), schema]);
  const line = await child.line();
  await child.ended;
  return line;
}

const UNRECORDED_STORE =
  'tests/core/store/opening/opening.test.ts › a store without a recorded version is finished if it is empty, and set aside if it is damaged';

fullTest(UNRECORDED_STORE)(
  'the next start creates a store whose creation was killed',
  { timeout: 600_000 },
  async () => {
    const base = await testFolder();
    const killAt = async (step: number): Promise<void> => {
      const place = join(base, String(step));
      const store = join(place, 'store');
      expect(await openKilledAt(store, step), `step ${step}`).toBeNull();
      expect(await open(store), `killed at step ${step}`).toBe('opened');
      // Nothing was in it, so nothing was set aside, and no backup was made of it.
      expect((await readdir(place)).sort(), `killed at step ${step}`).toEqual([
        'journal',
        'store',
        'store.schema-version',
      ]);
    };
    const steps = (await openKilledAt(join(base, 'whole', 'store'), -1)) ?? 0;
    expect(steps).toBeGreaterThan(UNRECORDED);
    await atSteps(steps, killAt);
  },
);

const UPGRADE =
  'tests/core/store/opening/upgrade.test.ts › migrates a store after a verified backup, and an older program refuses the migrated store';

fullTest(UPGRADE)('the next start completes a killed upgrade with one backup', { timeout: 600_000 }, async () => {
  const base = await testFolder();
  await makeFilledStore(base);
  const schema = await extendSchema(base, 1);
  const before = await lookInto(await copiedStore(base, 'before'));
  if (!before?.ok) throw new Error('The store cannot be read.');
  const { conversations, workflows, events } = before;
  const counts = { conversations, workflows, events };
  const steps = (await openKilledAt(await copiedStore(base, 'whole'), -1, schema)) ?? 0;
  expect(steps).toBeGreaterThan(20);
  await atSteps(steps, async (step) => {
    const store = await copiedStore(base, String(step));
    expect(await openKilledAt(store, step, schema), `step ${step}`).toBeNull();
    expect(await open(store, schema), `killed at step ${step}`).toBe('opened');
    expect(await lookInto(store), `killed at step ${step}`).toMatchObject({ ...counts, version: newestSchema + 1 });
    expect(await readdir(store), `killed at step ${step}`).not.toContain('UPGRADING');
    // The one backup is of the store as it was before, and no part of another one is left.
    const backups = backupsOf(join(store, '..'));
    expect(await readdir(join(store, '..', 'backups')), `killed at step ${step}`).toHaveLength(1);
    expect(backups, `killed at step ${step}`).toMatchObject([{ schema: newestSchema, holds: counts }]);
    await rm(join(store, '..'), { recursive: true });
  });
});

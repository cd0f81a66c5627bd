/** A kill at any step of a restore leaves the old store or the new one, whole. */
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { beginBackup, finishBackup } from '#core/store/backups/backups.ts';
import { copyStore, lookInto } from '#core/store/backups/copy.ts';
import { finishRestore } from '#core/store/backups/restore.ts';
import { newId } from '#core/base/ids.ts';
import { startChild } from '../child/run.ts';
import { makeFilledStore } from '../finished.ts';
import { atSteps } from '../at-steps.ts';
import { newestSchema, schemaDir, testFolder } from '../support.ts';
import { fullTest } from '../../../support/samples.ts';

async function restoreKilledAt(data: string, backup: string, step: number): Promise<number | null> {
  const child = startChild('killed-at.ts', [String(step), 'restore', data, backup]);
  await child.ended;
  return child.lines[0] === undefined ? null : Number(child.lines[0]);
}

test('a start finishes a restore whose journal was written, and reverts one without a journal', async () => {
  for (const hasJournal of [true, false]) {
    const data = await testFolder();
    const aside = join(data, 'set-aside');
    const content = (folder: string) => readFile(join(folder, 'store', 'CURRENT'), 'utf8');
    for (const [folder, text] of [
      [data, 'old'],
      [join(data, 'restoring'), 'new'],
    ] as const) {
      await mkdir(join(folder, 'store'), { recursive: true });
      await writeFile(join(folder, 'store', 'CURRENT'), text);
    }
    if (hasJournal) await writeFile(join(data, 'restoring', 'ready.json'), JSON.stringify({ aside }));
    await finishRestore(data);
    await finishRestore(data);
    expect(await content(data)).toBe(hasJournal ? 'new' : 'old');
    if (hasJournal) expect(await content(aside)).toBe('old');
    expect((await readdir(data)).sort()).toEqual(hasJournal ? ['set-aside', 'store'] : ['store']);
  }
});

const FINISHED_RESTORE =
  'tests/core/store/backups/restore-kills.test.ts › a start finishes a restore whose journal was written, and reverts one without a journal';

fullTest(FINISHED_RESTORE)(
  'the next start finishes a killed restore or keeps the old store',
  { timeout: 600_000 },
  async () => {
    const base = await testFolder();
    // What is there now has nothing in it; what is restored has.
    const data = join(base, 'data');
    const child = startChild('store.ts', ['open', join(data, 'store'), newId(), schemaDir]);
    await child.ended;
    const partial = await beginBackup(base, 'backup');
    await copyStore(await makeFilledStore(base), join(partial, 'store'));
    const { folder, holds } = await finishBackup(partial, newestSchema);
    const fresh = async (name: string) => {
      await cp(data, join(base, name), { recursive: true });
      return join(base, name);
    };
    const listParts = async (place: string) =>
      (await readdir(place)).filter((name) => !name.startsWith('set-aside-')).sort();
    const whole = await fresh('whole');
    const steps = (await restoreKilledAt(whole, folder, -1)) ?? 0;
    const parts = { old: await listParts(data), new: await listParts(whole) };
    expect(steps).toBeGreaterThan(15);
    const found = { old: 0, new: 0 };
    await atSteps(steps, async (step) => {
      const killed = await fresh(String(step));
      expect(await restoreKilledAt(killed, folder, step), `step ${step}`).toBeNull();
      // As the next start does it, which may be killed as well.
      await finishRestore(killed);
      await finishRestore(killed);
      const look = await lookInto(join(killed, 'store'));
      const isNew = look?.ok === true && look.events > 0;
      found[isNew ? 'new' : 'old'] += 1;
      expect(look, `killed at step ${step}`).toMatchObject({
        ok: true,
        version: newestSchema,
        events: isNew ? holds?.events : 0,
      });
      expect(await listParts(killed), `killed at step ${step}`).toEqual(parts[isNew ? 'new' : 'old']);
      const [aside] = (await readdir(killed)).filter((name) => name.startsWith('set-aside-'));
      if (isNew)
        expect(await lookInto(join(killed, aside ?? '', 'store')), `killed at step ${step}`).toMatchObject({
          events: 0,
        });
      await rm(killed, { recursive: true });
    });
    expect(Math.min(found.old, found.new)).toBeGreaterThan(0);
  },
);

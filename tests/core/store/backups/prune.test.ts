/** Which backups go when one was made, and which one is named: never for one that holds less. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { type Backup, backupsOf, bestBackup, prune } from '#core/store/backups/backups.ts';
import { StoreDamaged } from '#core/store/faults.ts';
import { endUpgrade } from '#core/store/opening/upgrade.ts';
import { markBegan } from '#core/store/backups/began.ts';
import { writeManifest } from '#core/store/backups/manifest.ts';
import { testFolder } from '../support.ts';

const FULL = { conversations: 2, workflows: 2, events: 20 };
const NOTHING = { conversations: 0, workflows: 0, events: 0 };

interface Made {
  holds?: typeof FULL;
  missing?: string;
  began?: boolean;
}

/** Makes one and removes what goes for it, with one kept; gives the names that are left, newest first. */
async function backUp(
  data: string,
  name: string,
  { holds = FULL, missing, began = false }: Made = {},
): Promise<string[]> {
  const folder = join(data, 'backups', `backup-${name}`);
  await mkdir(join(folder, 'store'), { recursive: true });
  await writeFile(join(folder, 'store', 'CURRENT'), name);
  if (began) await markBegan(join(folder, 'store'));
  const made: Backup = { folder, ...(await writeManifest(folder, { schema: 6, holds, missing: missing ?? null })) };
  await prune(data, made, 'backup', { keep: 1, days: null });
  return names(backupsOf(data));
}

const names = (backups: readonly Backup[]) => backups.map(({ folder }) => basename(folder).slice('backup-'.length));

test('an incomplete backup replaces no other backup, does not count and is not suggested', async () => {
  const data = await testFolder();
  expect(await backUp(data, 'a')).toEqual(['a']);
  expect(await backUp(data, 'b')).toEqual(['b']);
  expect(await backUp(data, 'less', { missing: '3 events' })).toEqual(['less', 'b']);
  expect(bestBackup(data)?.folder).toMatch(/backup-b$/);
  expect(new StoreDamaged(join(data, 'store'), '').message).toMatch(/restore \S+backup-b$/);
  expect(await backUp(data, 'c')).toEqual(['c', 'less']);
});

test('suggests the newest backup with its missing parts if all backups are incomplete', async () => {
  const data = await testFolder();
  await backUp(data, 'less', { missing: '3 events' });
  expect(new StoreDamaged(join(data, 'store'), '').message).toMatch(
    / \(it lacks 3 events\); to put it back: .*backup-less$/,
  );
});

test('an empty backup removes no backup with content, and is not suggested', async () => {
  const data = await testFolder();
  await backUp(data, 'full');
  expect(await backUp(data, 'empty', { holds: NOTHING })).toEqual(['empty', 'full']);
  expect(await backUp(data, 'empty-too', { holds: NOTHING })).toEqual(['empty-too', 'full']);
  expect(bestBackup(data)?.folder).toMatch(/backup-full$/);
  expect(await backUp(data, 'full-again')).toEqual(['full-again']);
});

test('a backup of a store that replaced another store removes no older backup', async () => {
  const data = await testFolder();
  await backUp(data, 'before');
  expect(await backUp(data, 'anew', { began: true })).toEqual(['anew', 'before']);
});

test('the end of an upgrade removes all upgrade backups except the newest two', async () => {
  const data = await testFolder();
  const store = join(data, 'store');
  await mkdir(store);
  for (const name of ['upgrade-1', 'upgrade-2', 'upgrade-3']) {
    const folder = join(data, 'backups', name);
    await mkdir(folder, { recursive: true });
    await writeManifest(folder, { schema: 6, holds: FULL, missing: null });
    await writeFile(join(store, 'UPGRADING'), name);
  }
  await endUpgrade(store);
  expect(backupsOf(data).map(({ folder }) => basename(folder))).toEqual(['upgrade-3', 'upgrade-2']);
  expect(await readdir(store)).toEqual([]);
});

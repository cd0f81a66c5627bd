/** A recovered store takes the place of the damaged one at the next start, also if two programs start at once. */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { finishRecovery, READY } from '#core/store/recovery/finish-recovery.ts';
import { getJournalFolder } from '#core/store/journal/journal.ts';
import { testFolder } from './support.ts';

async function writeStore(folder: string, journal: string, text: string): Promise<void> {
  for (const place of [folder, journal]) {
    await mkdir(place, { recursive: true });
    await writeFile(join(place, 'content'), text);
  }
}

test.each([
  ['a damaged store', true],
  ['a deleted store', false],
])('concurrent starts replace %s by the recovered store once', async (_, hasOld) => {
  for (let round = 0; round < 20; round += 1) {
    const store = join(await testFolder(), 'store');
    if (hasOld) await writeStore(store, getJournalFolder(store), 'damaged');
    const recovered = `${store}.recovered-2026-01-01`;
    await writeStore(recovered, getJournalFolder(recovered), 'recovered');
    await writeFile(join(recovered, READY), '');
    await writeFile(`${recovered}.schema-version`, '1\n');
    await Promise.all([finishRecovery(store), finishRecovery(store), finishRecovery(store)]);
    for (const folder of [store, getJournalFolder(store)])
      expect(await readFile(join(folder, 'content'), 'utf8')).toBe('recovered');
    expect(await readFile(`${store}.schema-version`, 'utf8')).toBe('1\n');
    if (hasOld) expect(await readFile(join(`${store}.damaged-2026-01-01`, 'content'), 'utf8')).toBe('damaged');
  }
});

test('a recovered store replaces a link whose target is missing', async () => {
  const store = join(await testFolder(), 'store');
  await symlink(`${store}-elsewhere`, store);
  const recovered = `${store}.recovered-2026-01-01`;
  await writeStore(recovered, getJournalFolder(recovered), 'recovered');
  await writeFile(join(recovered, READY), '');
  await finishRecovery(store);
  expect(await readFile(join(store, 'content'), 'utf8')).toBe('recovered');
});

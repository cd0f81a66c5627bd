/** Warnings about an empty store that replaced a lost one. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeManifest } from '#core/store/backups/manifest.ts';
import { readMigrations } from '#core/store/opening/migrate.ts';
import { prepareFolder } from '#core/store/opening/prepare.ts';
import { schemaDir, testFolder } from '../support.ts';

test('warns about a store that was replaced by an empty one', async () => {
  const data = await testFolder();
  const [store, backup] = [join(data, 'store'), join(data, 'backups', 'backup-a')];
  await mkdir(store);
  await mkdir(backup, { recursive: true });
  const holds = { conversations: 1, workflows: 1, events: 1 };
  await writeManifest(backup, { schema: 1, holds, missing: null });
  const prepare = async () => {
    const lines: string[] = [];
    await prepareFolder(store, await readMigrations(schemaDir), (line) => void lines.push(line));
    return lines;
  };
  const warning = `The store in ${store} was gone, so an empty one was made at `;
  const [line, ...more] = await prepare();
  expect(line).toContain(warning);
  expect(line).toMatch(/its newest backup is of \S+; to put it back: triad restore \S+backup-a$/);
  expect(more).toEqual([]);
  // Without a backup, only the sessions remain.
  await rm(backup, { recursive: true });
  const session = join(data, 'sessions', 'one');
  await mkdir(session, { recursive: true });
  await writeFile(join(session, 'metadata.json'), JSON.stringify({ started_at: '2026-01-01T00:00:00.000Z' }));
  expect(await prepare()).toEqual([
    expect.stringContaining(
      `there is no backup of it; its sessions can be read as Markdown in ${join(data, 'sessions')}`,
    ),
  ]);
  await rm(join(data, 'sessions'), { recursive: true });
  await writeFile(`${store}.schema-version`, '1\n');
  expect(await prepare()).toEqual([
    `The store in ${store} is gone, so an empty one was made. There is no backup of it.`,
  ]);
});

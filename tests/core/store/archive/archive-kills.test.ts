/** Kills in the middle of appends: the next start completes the archive. */
import { readdir, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readMembers } from '#core/store/archive/archive-file.ts';
import { openStore } from '#core/store/surreal.ts';
import { variations } from '../../../support/samples.ts';
import { startChild } from '../child/run.ts';
import { testFolder } from '../support.ts';

test('after kills in the middle of appends the archive has every event', async () => {
  const folder = await testFolder();
  const stored = new Set<string>();
  for (const ms of variations([180, 40, 7, 333, 95, 60, 21, 512], 2)) {
    const writer = startChild('archiving.ts', [folder]);
    await writer.line();
    await sleep(ms);
    writer.process.kill('SIGKILL');
    await writer.ended;
    for (const id of writer.lines) stored.add(id);
  }
  const archive = join(folder, 'archive');
  const store = await openStore({ url: `rocksdb://${join(folder, 'store')}`, archive });
  await store.settled();
  expect(stored.size).toBeGreaterThan(1);
  for (const id of await store.conversationIds()) {
    expect(await store.archive?.check(id)).toMatchObject({
      events: await store.lastSeq(id),
      damagedParts: 0,
      notArchived: [],
      notStored: [],
      different: [],
    });
    stored.delete(id);
  }
  expect(stored).toEqual(new Set());
  for (const name of (await readdir(archive)).filter((file) => file.endsWith('.gz')))
    for await (const { damage } of readMembers(join(archive, name))) expect(damage).toBeUndefined();
  expect((await stat(join(archive, 'pending'))).size).toBe(0);
  await store.close();
});

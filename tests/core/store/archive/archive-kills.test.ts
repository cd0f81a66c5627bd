/** Kills in the middle of appends: the next start completes the archive. */
import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ArchiveCheck } from '#contract/history/archive-methods.ts';
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
  expect(stored.size).toBeGreaterThan(1);
  const reader = startChild('archiving.ts', [folder, 'check']);
  await reader.ended;
  for (const line of reader.lines) {
    const { id, lastSeq, ...comparison } = JSON.parse(line) as ArchiveCheck & { id: string; lastSeq: number };
    expect(comparison).toMatchObject({
      events: lastSeq,
      damagedParts: 0,
      notArchived: [],
      notStored: [],
      different: [],
    });
    stored.delete(id);
  }
  expect(stored).toEqual(new Set());
  expect((await stat(join(folder, 'archive', 'pending'))).size).toBe(0);
});

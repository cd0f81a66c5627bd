/**
 * A loss of power at many moments of a store's life: what was acknowledged is there at the next start. The writes are
 * recorded and replayed, without those that no sync put on the disk. `TEST_SEED` chooses moments and what is kept in part.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize } from 'node:v8';
import { expect, test } from 'vitest';
import { startChild } from '../child/run.ts';
import { testFolder } from '../support.ts';
import { buildLosses, chooseMoments, expectPromises } from './losses.ts';
import type { RecordedOperation } from './record.ts';

test('acknowledged data survives a power loss, and purged data does not return', { timeout: 600_000 }, async () => {
  const base = await testFolder();
  const [top, recording] = [join(base, 'data'), join(base, 'recording')];
  for (const folder of [top, recording]) mkdirSync(folder);
  const child = startChild('power.ts', [top, join(base, 'lines'), 'work', recording]);
  await child.ended;
  expect(child.process.exitCode).toBe(0);
  const operations = deserialize(readFileSync(join(recording, 'operations'))) as RecordedOperation[];
  const moments = chooseMoments(operations, { dropped: 14, parts: 6 });
  const losses = buildLosses(
    { top, initial: [{ kind: 'mkdir', path: top }], operations },
    moments,
    join(base, 'losses'),
  );
  await expectPromises(losses);
});

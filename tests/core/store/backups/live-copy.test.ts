/** A backup of a store to which somebody commits all the time: as of one instant, with all that was acknowledged. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import { newId } from '#core/base/ids.ts';
import { finishBackup } from '#core/store/backups/backups.ts';
import { storeOn } from '#core/store/store-on.ts';
import { connect, openStore } from '#core/store/surreal.ts';
import { openOn, testFolder } from '../support.ts';
import { fullTest } from '../../../support/samples.ts';

test('running queries end before the database pauses, and later queries wait', async () => {
  const database = await connect('mem://', { timeoutMs: 5000 });
  const order: string[] = [];
  const ask = (name: string) => database.query('RETURN 1').then(() => order.push(name));
  const asked = [ask('before')];
  await database.still(async () => {
    order.push('still');
    asked.push(ask('after'));
    for (let turns = 0; turns < 500; turns += 1) await turn();
    order.push('over');
  });
  await Promise.all(asked);
  expect(order).toEqual(['before', 'still', 'over', 'after']);
  await database.close();
});

test('a commit waits until a backup has copied the files', async () => {
  const folder = join(await testFolder(), 'store');
  await mkdir(folder);
  const { database } = await openOn('mem');
  const order: string[] = [];
  let committing: Promise<unknown> | undefined;
  const still = <T>(work: () => Promise<T>) =>
    database.still(async () => {
      committing = store.commit([{ event: createNotice(newId(), 1, 'x') }]).then(() => order.push('committed'));
      for (let turns = 0; turns < 500; turns += 1) await turn();
      const result = await work();
      order.push('copied');
      return result;
    });
  const { store } = storeOn({ ...database, still }, { folder });
  await store.beginBackup();
  await committing;
  expect(order).toEqual(['copied', 'committed']);
  await store.close();
});

function createNotice(conversationId: string, seq: number, text: string): DurableEvent {
  const ids = { conversationId, workflowId: conversationId, runId: conversationId, parentRunId: null };
  const at = '2026-03-01T12:00:00.000Z';
  return { type: 'notice', seq, at, agent: 'lead', level: 'info', text, ...ids };
}

const COMMIT_WAITS = 'tests/core/store/backups/live-copy.test.ts › a commit waits until a backup has copied the files';

fullTest(COMMIT_WAITS)(
  'a backup during commits contains all commits from before its start, and none from after its end',
  async () => {
    const base = await testFolder();
    const store = await openStore({ url: `rocksdb://${join(base, 'store')}` });
    const conversationId = newId();
    let committed = 0;
    let over = false;
    const writing = (async () => {
      while (!over) {
        const seq = committed + 1;
        await store.commit([{ event: createNotice(conversationId, seq, 'x'.repeat(20_000)) }]);
        committed = seq;
      }
    })();
    for (let round = 0; round < 2; round += 1) {
      await expect.poll(() => committed).toBeGreaterThan(30 * (round + 1));
      const before = committed;
      const partial = await store.beginBackup();
      const after = committed;
      const { holds, folder } = await finishBackup(partial, 0);
      expect(holds?.events).toBeGreaterThanOrEqual(before);
      // One more may be on its way when the copy begins, and its word come after it.
      expect(holds?.events).toBeLessThanOrEqual(after + 1);
      await rm(folder, { recursive: true });
    }
    over = true;
    await writing;
    expect(await store.lastSeq(conversationId)).toBe(committed);
    await store.close();
  },
);

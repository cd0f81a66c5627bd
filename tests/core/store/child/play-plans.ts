/**
 * A process of its own that commits a history, flushes now and then, and ends with a task:
 * `play-plans.ts STORE SCHEMA {"plans": …, "seed": …, "task": …}`. Prints how many events are committed, each time, and
 * a line when the task is done.
 */
import { writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { finishBackup } from '#core/store/backups/backups.ts';
import { openStore } from '#core/store/surreal.ts';
import { Random } from '../../../soak/random.ts';
import { conversation, eventsOf, type Plan } from '../random-history.ts';
import { eventItems } from '../../../support/commit-items.ts';
import { conversationId } from '../../../support/recording.ts';

export interface PlansToPlay {
  plans: Plan[];
  seed: string;
  task: 'none' | 'close' | 'purge' | 'backup';
  /** Probability of a flush after a commit. */
  flushChance: number;
}

export const DELETED_AT = '2026-03-02T00:00:00.000Z';
export const DONE = 'done';

async function play(folder: string, schemaDir: string, { plans, seed, task, flushChance }: PlansToPlay): Promise<void> {
  const random = new Random(seed);
  const store = await openStore({ url: `rocksdb://${folder}`, schemaDir, archive: join(dirname(folder), 'archive') });
  await store.commit([conversation]);
  writeSync(1, '0\n');
  const events = eventsOf(plans);
  let flushing: Promise<unknown> = Promise.resolve();
  for (let from = 0; from < events.length;) {
    const some = events.slice(from, from + random.between(1, 6));
    await store.commit(eventItems(some));
    from += some.length;
    writeSync(1, `${from}\n`);
    // Others read beside the commits: each read flushes.
    if (random.chance(flushChance)) flushing = store.conversations({ limit: 1 });
  }
  await flushing;
  await store.conversations({ limit: 1 });
  if (task === 'none') return;
  // The archive has everything then.
  await store.settled();
  if (task === 'purge') {
    await store.trash(conversationId, DELETED_AT);
    await store.purge(conversationId);
  }
  if (task === 'backup') await finishBackup(await store.beginBackup(), 0);
  writeSync(1, `${DONE}\n`);
  await store.close();
}

if (import.meta.main) {
  const [folder = '', schemaDir = '', json = '{}'] = process.argv.slice(2);
  await play(folder, schemaDir, JSON.parse(json) as PlansToPlay);
  process.exit(0);
}

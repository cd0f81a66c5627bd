/** A store that is rebuilt from its archive and its journal. */
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ARCHIVE, listArchivedConversations } from '#core/store/archive/archive-folder.ts';
import { restoreArchive } from '#core/store/recovery/restore-archive.ts';
import { openStore } from '#core/store/surreal.ts';
import { setPurgeIntent } from '#core/store/trash/purge-intents.ts';
import { Conversation } from '../finished.ts';
import { testFolder } from '../support.ts';

test('events that only the journal has are restored', async () => {
  const data = await testFolder();
  const store = await openStore({ url: `rocksdb://${join(data, 'store')}`, archive: join(data, ARCHIVE) });
  const archived = await new Conversation(store, { title: 'Archived' }).create();
  await archived.add();
  await store.settled();
  const recent = await new Conversation(store, { title: 'Recent' }).create();
  await recent.add({ outcome: null });
  await store.close();
  await rm(join(data, 'store'), { recursive: true });
  await rm(join(data, ARCHIVE, `${recent.row.id}.jsonl.gz`));

  const { aside: _, ...report } = await restoreArchive(data, () => undefined, new AbortController().signal);
  const eventCount = archived.recording.durable.length + recent.recording.durable.length;
  expect(report).toMatchObject({ conversations: 2, events: eventCount, incomplete: [], damage: [] });
  // The engine holds the lock of a folder until its process ends.
  const copy = join(await testFolder(), 'store');
  await cp(join(data, 'store'), copy, { recursive: true });
  const restored = await openStore({ url: `rocksdb://${copy}` });
  onTestFinished(() => restored.close());
  expect(await restored.lastSeq(recent.row.id)).toBe(recent.recording.durable.length);
  expect(await restored.conversation(recent.row.id)).toMatchObject({ title: 'Recent' });
});

test('a conversation whose purge was interrupted is not restored, and its archive is deleted', async () => {
  const data = await testFolder();
  const store = await openStore({ url: `rocksdb://${join(data, 'store')}`, archive: join(data, ARCHIVE) });
  const [kept, purged] = [await new Conversation(store).create(), await new Conversation(store).create()];
  for (const conversation of [kept, purged]) await conversation.add();
  await store.close();
  await setPurgeIntent(join(data, 'journal'), purged.row.id, true);

  const report = await restoreArchive(data, () => undefined, new AbortController().signal);
  expect(report).toMatchObject({ conversations: 1, incomplete: [] });
  expect(await listArchivedConversations(join(data, ARCHIVE))).toEqual([kept.row.id]);
});

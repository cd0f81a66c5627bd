/** A store that is built anew from the events of another one, as a recovery builds it. */
import { onTestFinished } from 'vitest';
import { memoryKey } from '#domain/memory-key.ts';
import type { HistorySource } from '#core/store/recovery/history-source.ts';
import { restoreFromSources } from '#core/store/recovery/restore-from-sources.ts';
import type { Store } from '#core/store/store.ts';
import { memoryStore } from './pooled.ts';

/** `target`: an empty store; left out for one in memory, which ends with the test. */
export async function rebuilt(store: Store, target?: Store): Promise<Store> {
  const made = target ?? (await memoryStore());
  if (target === undefined) onTestFinished(() => made.close());
  await restoreFromSources(made, [historyIn(store)]);
  await made.settled();
  return made;
}

function historyIn(store: Store): HistorySource {
  return {
    conversationIds: () => store.conversationIds(),
    conversation: async function* readConversation(id) {
      const row = await store.conversation(id);
      if (row) yield { row: { table: 'conversation', key: id, row: { ...row } } };
      for (const event of await store.events(id, 1, await store.lastSeq(id))) yield { event };
    },
    rows: async function* readRows() {
      for (const note of await store.notes())
        yield { row: { table: 'memory', key: memoryKey(note.scope, note.folder, note.name), row: { ...note } } };
      for (const grant of await store.grants())
        yield { row: { table: 'permission_grant', key: grant.id, row: { ...grant } } };
      for (const message of await store.openMessages())
        yield { row: { table: 'open_message', key: message.messageId, row: { ...message } } };
    },
  };
}

/** A damaged database as a source of history. Reads by known ids too, because a scan can end early. */
import type { DurableEvent } from '#contract/event.ts';
import type { Database } from '../database.ts';
import { createQueries } from '../queries.ts';
import type { StoredTable } from '../rows/row-codec.ts';
import { memoryKey } from '#domain/memory-key.ts';
import type { HistoryItem, HistorySource } from './history-source.ts';

/** Events read at once. */
const STEP = 200;

/** `knownIds`: ids of conversations in other sources. */
export function readDamagedStore(database: Database, knownIds: readonly string[]): HistorySource {
  const reads = createQueries(database);
  return {
    conversationIds: async () => [...new Set([...knownIds, ...(await reads.conversationIds().catch(() => []))])],
    conversation: async function* readConversation(id) {
      const row = await reads.conversation(id).catch(() => null);
      if (row) yield { row: { table: 'conversation', key: id, row: { ...row } } };
      const last = await reads.lastSeq(id).catch(() => row?.lastSeq ?? 0);
      for (let from = 1; from <= last; from += STEP) {
        const events = await reads.events(id, from, Math.min(last, from + STEP - 1)).catch((): DurableEvent[] => []);
        for (const event of events) yield { event };
      }
    },
    rows: async function* readRows() {
      for (const note of await reads.notes().catch(() => []))
        yield createItem('memory', memoryKey(note.scope, note.folder, note.name), note);
      for (const grant of await reads.grants().catch(() => [])) yield createItem('permission_grant', grant.id, grant);
      for (const message of await reads.openMessages().catch(() => []))
        yield createItem('open_message', message.messageId, message);
    },
  };
}

function createItem(
  table: StoredTable,
  key: Parameters<typeof memoryKey>[0] | readonly [string, string | number],
  row: object,
): HistoryItem {
  return { row: { table, key, row: { ...row } } };
}

/** The reads of the archive from the store: rows as of the last commit, and events with hashes in place of envelopes. */
import type { DurableEvent } from '#contract/event.ts';
import type { RowKey } from '#contract/rows.ts';
import type { Database } from '../database.ts';
import { exchangeEnvelopes, readEnvelopeTexts } from '../rows/envelope-texts.ts';
import { eventsBetween } from '../rows/event-blocks.ts';
import { Reader } from '../rows/reader.ts';
import type { StoredTable } from '../rows/row-codec.ts';
import type { Row, Store } from '../store.ts';
import type { StoredEvent, StoredEvents } from './archive-lines.ts';

type ArchivedReads = Pick<Store, 'conversations' | 'conversationIds' | 'lastSeq' | 'notes' | 'grants'>;

/** The part of a store that the archive reads. */
export interface ArchivedStore extends ArchivedReads {
  row(table: StoredTable, key: RowKey): Promise<Row | null>;
  storedEvents(conversationId: string, from: number, to: number): Promise<StoredEvents>;
}

/** `current`: its reads include every commit. */
export function archivedStore(
  current: Database,
  { conversations, conversationIds, lastSeq, notes, grants }: ArchivedReads,
): ArchivedStore {
  const reader = new Reader(current);
  return {
    conversations,
    conversationIds,
    lastSeq,
    notes,
    grants,
    row: (table, key) => reader.row<Row>(table, key),
    storedEvents: async (conversationId, from, to) => {
      const newest = () => lastSeq(conversationId);
      const { items } = await eventsBetween(current, conversationId, { from, to, newest });
      const texts = await readEnvelopeTexts(current, items);
      const byHash = [...texts].map(([key, json]) => [key.slice(key.indexOf(' ') + 1), json] as const);
      return { events: items.map(storedEvent), envelopes: new Map(byHash) };
    },
  };
}

function storedEvent(event: DurableEvent): StoredEvent {
  const envelopes: string[] = [];
  exchangeEnvelopes(event, (hash) => {
    if (typeof hash === 'string') envelopes.push(hash);
    return hash;
  });
  return { seq: event.seq, text: JSON.stringify(event), envelopes };
}

/** A source from which a store can be rebuilt: the archive, a damaged store, or the journal. */
import type { DurableEvent } from '#contract/event.ts';
import type { ArchiveDamage } from '../archive/archive-file.ts';
import type { ArchivedRow } from '../archive/archive-lines.ts';

export type HistoryItem =
  | { event: DurableEvent; row?: never; damage?: never }
  /** A row at this position of the source; a later item replaces it. */
  | { row: ArchivedRow; event?: never; damage?: never }
  | { damage: ArchiveDamage; event?: never; row?: never };

export interface HistorySource {
  /** True for the journal: no event is newer than its last one. */
  isNewest?: boolean;
  conversationIds(): Promise<string[]>;
  /** Yields events in ascending order, with gaps for missing events; nothing for an unknown conversation. */
  conversation(id: string): AsyncIterable<HistoryItem>;
  /** Rows without a conversation. */
  rows(): AsyncIterable<HistoryItem>;
}

/** Builds the history of a new store from sources: all events by number, then the rows that no event produces. */
import type { DurableEvent } from '#contract/event.ts';
import type { RowChange } from '#contract/rows.ts';
import type { ConversationRow } from '#contract/view.ts';
import { ZERO_TALLY } from '#domain/tally.ts';
import type { ArchiveDamage } from '../archive/archive-file.ts';
import type { ArchivedRow } from '../archive/archive-lines.ts';
import { type NumberRange, Ranges } from '../rows/ranges.ts';
import type { Store } from '../store.ts';
import type { HistoryItem, HistorySource } from './history-source.ts';

/** The part of the new store that a restore uses. */
type RestoreTarget = Pick<Store, 'commit' | 'conversation' | 'restoreEvents' | 'trash'>;

/** A conversation with events or a row that no source has. */
interface IncompleteConversation {
  conversationId: string;
  /** Ranges of missing event numbers. */
  missing: NumberRange[];
  /** Whether its row, with its title and its folder, is missing. */
  isRowMissing: boolean;
}

export interface RestoreReport {
  conversations: number;
  events: number;
  incomplete: IncompleteConversation[];
  /** Number of conversations with a workflow that has no end, and whose last event is not in the journal. */
  unfinished: number;
  /** Parts of the sources that could not be read. */
  damage: ArchiveDamage[];
}

/** Number of events in one commit. */
const STEP = 200;

/**
 * The target is a store without history. An event that several sources have is taken from the first of them; the row of
 * a conversation from the one that knows its newest event. `excluded`: ids of conversations that are not restored.
 */
export async function restoreFromSources(
  target: RestoreTarget,
  sources: readonly HistorySource[],
  onProgress: (report: Readonly<RestoreReport>) => void = () => undefined,
  excluded: readonly string[] = [],
): Promise<RestoreReport> {
  const report: RestoreReport = { conversations: 0, events: 0, incomplete: [], unfinished: 0, damage: [] };
  const ids = await Promise.all(sources.map((source) => source.conversationIds()));
  for (const id of [...new Set(ids.flat()).difference(new Set(excluded))].sort()) {
    await restoreConversation(target, sources, id, report);
    report.conversations += 1;
    onProgress(report);
  }
  for (const source of sources) {
    for await (const { row, damage } of source.rows()) {
      if (row) await commitRows(target, [row]);
      if (damage) report.damage.push(damage);
    }
  }
  return report;
}

async function restoreConversation(
  target: RestoreTarget,
  sources: readonly HistorySource[],
  id: string,
  report: RestoreReport,
): Promise<void> {
  const rows: ConversationRow[] = [];
  // The journal has rows as they were at their commit, which may be older than those of other sources.
  const lastRow = () =>
    rows.reduce<ConversationRow | undefined>(
      (best, row) => (row && row.lastSeq >= (best?.lastSeq ?? 0) ? row : best),
      undefined,
    );
  let isBegun = false;
  const storedSeqs = new Ranges();
  const running = new Set<string>();
  let knownSeq = 0;
  let batch: DurableEvent[] = [];
  const begin = async (event: DurableEvent | null): Promise<void> => {
    if (isBegun) return;
    isBegun = true;
    await commitConversation(target, { ...(lastRow() ?? unknownRow(id, event)), lastSeq: 0, usage: ZERO_TALLY });
  };
  const store = async (): Promise<void> => {
    if (batch.length === 0) return;
    await begin(batch[0] ?? null);
    await target.restoreEvents(batch);
    report.events += batch.length;
    batch = [];
  };
  for await (const { event, row, damage, source } of merged(sources.map((one) => one.conversation(id)))) {
    if (damage) {
      report.damage.push(damage);
      knownSeq = Math.max(knownSeq, damage.events?.to ?? 0);
    } else if (row) {
      rows[source] = row.row as unknown as ConversationRow;
      knownSeq = Math.max(knownSeq, rows[source].lastSeq);
    } else if (event) {
      storedSeqs.add(event.seq);
      if (event.type === 'workflow-start') running.add(event.workflowId);
      if (event.type === 'workflow-end') running.delete(event.workflowId);
      batch.push(event);
      if (batch.length === STEP) await store();
    }
  }
  await store();
  await begin(null);
  if (running.size > 0 && !(await isInJournal(sources, id, storedSeqs.last))) report.unfinished += 1;
  const missing = storedSeqs.gaps(1, Math.max(storedSeqs.last, knownSeq));
  const row = lastRow();
  if (row) await finishConversation(target, row);
  if (missing.length > 0 || !row) report.incomplete.push({ conversationId: id, missing, isRowMissing: !row });
}

async function isInJournal(sources: readonly HistorySource[], id: string, seq: number): Promise<boolean> {
  for (const source of sources.filter(({ isNewest }) => isNewest))
    for await (const { event } of source.conversation(id)) if (event?.seq === seq) return true;
  return false;
}

/** Yields the items of all sources, each event number once and in order. One item of each source is in memory. */
async function* merged(
  sources: readonly AsyncIterable<HistoryItem>[],
): AsyncGenerator<HistoryItem & { source: number }> {
  const readers = sources.map((source) => source[Symbol.asyncIterator]());
  /** The next event of each source; undefined if it is not read yet, null at the end. */
  const heads: (DurableEvent | null | undefined)[] = readers.map(() => undefined);
  let last = 0;
  for (;;) {
    for (const [source, reader] of readers.entries()) {
      for (let head = heads[source]; head === undefined || (head && head.seq <= last); head = heads[source]) {
        const next: IteratorResult<HistoryItem, undefined> = await reader.next();
        if (next.done) heads[source] = null;
        else if (next.value.event) heads[source] = next.value.event;
        else yield { ...next.value, source };
      }
    }
    const numbers = heads.map((head) => head?.seq ?? Infinity);
    const source = numbers.indexOf(Math.min(...numbers));
    const event = heads[source];
    if (!event) return;
    last = event.seq;
    yield { event, source };
  }
}

/** Returns a row in place of a missing one. */
function unknownRow(id: string, event: DurableEvent | null): ConversationRow {
  const at = event?.at ?? new Date(0).toISOString();
  const agent = event?.agent ?? 'lead';
  return { id, title: '', folder: '', agent, createdAt: at, updatedAt: at, lastSeq: 0, usage: ZERO_TALLY };
}

/** Stores the fields of a conversation's last row that no event produces, and moves it to the trash if it was there. */
async function finishConversation(target: RestoreTarget, { deletedAt, ...row }: ConversationRow): Promise<void> {
  const made = await target.conversation(row.id);
  const { lastSeq, usage } = made ?? row;
  const updatedAt = made && made.updatedAt > row.updatedAt ? made.updatedAt : row.updatedAt;
  // The first event gives a conversation its title.
  const title = row.title || (made?.title ?? '');
  await commitConversation(target, { ...row, title, updatedAt, lastSeq, usage });
  if (deletedAt) await target.trash(row.id, deletedAt);
}

async function commitConversation(target: RestoreTarget, { deletedAt: _, ...row }: ConversationRow): Promise<void> {
  await target.commit([{ table: 'conversation', key: row.id, row }]);
}

async function commitRows(target: RestoreTarget, rows: readonly ArchivedRow[]): Promise<void> {
  await target.commit(rows.map((row) => row as RowChange));
}

/** The journal as two sources of history: the newest commits, with the envelopes that they name. */
import type { DurableEvent } from '#contract/event.ts';
import type { RowChange } from '#contract/rows.ts';
import type { ArchivedRow } from '../archive/archive-lines.ts';
import type { Database } from '../database.ts';
import { collectEnvelopes, decodePayload, type JournalPayload } from '../journal/journal-payload.ts';
import { readJournal } from '../journal/journal.ts';
import { exchangeEnvelopes, getEnvelopeKey, readEnvelopeTexts } from '../rows/envelope-texts.ts';
import type { HistoryItem, HistorySource } from './history-source.ts';

export interface JournalSources {
  /** What the damaged database had too: its rows, and those of the archive, are newer. */
  flushed: HistorySource;
  /** What only the journal has: its rows are the newest. */
  newest: HistorySource;
}

/** `damaged`: has the envelopes of events that name one of an earlier record; null if it cannot be read. */
export async function readJournalSources(folder: string, damaged: Database | null): Promise<JournalSources> {
  const applied = damaged ? await readApplied(damaged).catch(() => 0) : 0;
  const records = (await readJournal(folder)).map(({ generation, payload }) => ({
    isFlushed: generation <= applied,
    payload: decodePayload(payload),
  }));
  const texts = await textsOf(
    records.map(({ payload }) => payload),
    damaged,
  );
  const payloadsIn = (flushed: boolean) =>
    records.flatMap(({ isFlushed, payload }) => (isFlushed === flushed ? payload : []));
  return { flushed: sourceOf(payloadsIn(true), texts), newest: sourceOf(payloadsIn(false), texts) };
}

async function readApplied(damaged: Database): Promise<number> {
  const [applied] = await damaged.query('SELECT VALUE applied FROM ONLY meta:journal');
  return Number(applied ?? 0);
}

/** The JSON of the envelopes that the events name, one by one where a read of all meets damage. */
async function textsOf(
  payloads: readonly JournalPayload[],
  damaged: Database | null,
): Promise<ReadonlyMap<string, string>> {
  let texts: ReadonlyMap<string, string> = collectEnvelopes(payloads);
  if (damaged === null) return texts;
  for (const event of payloads.flatMap(({ events }) => events))
    texts = await readEnvelopeTexts(damaged, [event], texts).catch(() => texts);
  return texts;
}

function sourceOf(payloads: readonly JournalPayload[], texts: ReadonlyMap<string, string>): HistorySource {
  const events = completeEvents(payloads, texts);
  const rows = payloads.flatMap((payload) => payload.rows);
  const ids = [...events.map(({ conversationId }) => conversationId), ...conversationRows(rows).map(({ key }) => key)];
  return {
    isNewest: true,
    conversationIds: () => Promise.resolve([...new Set(ids)] as string[]),
    conversation: (id) =>
      yieldItems([
        ...conversationRows(rows).flatMap(({ key, row }): HistoryItem[] =>
          key === id && row ? [{ row: toArchived({ table: 'conversation', key, row }) }] : [],
        ),
        ...events.filter(({ conversationId }) => conversationId === id).map((event) => ({ event })),
      ]),
    rows: () =>
      yieldItems(rows.filter(({ table }) => table !== 'conversation').map((row) => ({ row: toArchived(row) }))),
  };
}

type ConversationChange = Extract<RowChange, { table: 'conversation' }>;

function conversationRows(rows: readonly RowChange[]): ConversationChange[] {
  return rows.filter((row): row is ConversationChange => row.table === 'conversation');
}

/** A row in the journal is never one of `run_part`: events produce those. */
function toArchived(change: RowChange): ArchivedRow {
  return change as unknown as ArchivedRow;
}

/** Events with their envelopes, by number; without events whose envelope is nowhere. */
function completeEvents(payloads: readonly JournalPayload[], texts: ReadonlyMap<string, string>): DurableEvent[] {
  const complete = payloads
    .flatMap(({ events }) => events)
    .flatMap((event): DurableEvent[] => {
      let isComplete = true;
      const whole = exchangeEnvelopes(event, (hash) => {
        if (typeof hash !== 'string') return hash;
        const json = texts.get(getEnvelopeKey([event.workflowId, hash]));
        isComplete &&= json !== undefined;
        return json === undefined ? hash : (JSON.parse(json) as unknown);
      });
      return isComplete ? [whole] : [];
    });
  return complete.sort((a, b) => a.seq - b.seq);
}

async function* yieldItems(items: readonly HistoryItem[]): AsyncGenerator<HistoryItem> {
  await Promise.resolve();
  yield* items;
}

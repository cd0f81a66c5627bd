/** Compares the files of the journal with the store. */
import { isDeepStrictEqual } from 'node:util';
import type { JournalCheck, JournalState } from '#contract/history/journal-methods.ts';
import type { DurableEvent } from '#contract/event.ts';
import type { Commits } from '../commits/commits.ts';
import type { Database } from '../database.ts';
import { readJournalState } from '../commits/journal-state.ts';
import { withEnvelopes } from '../rows/envelope-texts.ts';
import { Ranges } from '../rows/ranges.ts';
import type { Store } from '../store.ts';
import { readJournalFiles } from './journal.ts';
import { collectEnvelopes, decodePayload } from './journal-payload.ts';

export function createJournalReads(
  commits: Pick<Commits, 'withJournal' | 'replayed'>,
  database: Database,
  reads: Pick<Store, 'events'>,
): Store['journal'] {
  return {
    state: () => commits.withJournal((folder) => readState(folder, database, commits.replayed)),
    check: async () => {
      const files = await commits.withJournal((folder) => readJournalFiles(folder));
      return files && compareEvents(files, database, reads);
    },
  };
}

async function readState(folder: string, database: Database, replayed: number): Promise<JournalState> {
  const { storeId, applied } = await readJournalState(database);
  const { records, owners } = await readJournalFiles(folder, applied);
  return {
    isOwn: owners.every((owner) => owner === storeId),
    replayed,
    waiting: records.length,
    waitingBytes: records.reduce((sum, { payload }) => sum + payload.length, 0),
  };
}

async function compareEvents(
  { records, isDamaged }: Awaited<ReturnType<typeof readJournalFiles>>,
  database: Database,
  reads: Pick<Store, 'events'>,
): Promise<JournalCheck> {
  const payloads = records.map(({ payload }) => decodePayload(payload));
  const known = collectEnvelopes(payloads);
  const all = payloads.flatMap(({ events }) => events);
  const check: JournalCheck = { events: all.length, notStored: [], different: [], isDamaged };
  for (const [conversationId, events] of Map.groupBy(all, (event) => event.conversationId)) {
    const numbers = events.map(({ seq }) => seq);
    const found = await reads.events(conversationId, Math.min(...numbers), Math.max(...numbers));
    const stored = new Map(found.map((event) => [event.seq, event]));
    const lacking = new Ranges(numbers.filter((seq) => !stored.has(seq)));
    const different = await findDifferent(events, stored, (event) => withEnvelopes(database, [event], known));
    if (lacking.size > 0) check.notStored.push({ conversationId, ranges: lacking.all });
    if (different.size > 0) check.different.push({ conversationId, ranges: different.all });
  }
  return check;
}

async function findDifferent(
  events: readonly DurableEvent[],
  stored: ReadonlyMap<number, DurableEvent>,
  complete: (event: DurableEvent) => Promise<DurableEvent[]>,
): Promise<Ranges> {
  const different = new Ranges();
  for (const event of events) {
    const other = stored.get(event.seq);
    if (other === undefined) continue;
    // A missing envelope is a difference.
    const [whole] = await complete(event).catch(() => []);
    if (!isDeepStrictEqual(JSON.parse(JSON.stringify(other)), whole)) different.add(event.seq);
  }
  return different;
}

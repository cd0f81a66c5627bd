/** The journal beside a store: its state, and its comparison with the store. */
import { z } from 'zod';
import { Id } from '../ids.ts';
import { method, nothing } from '../method.ts';
import { NumberRanges } from '../missing.ts';

const JournalState = z.object({
  /** True if the files belong to this store. */
  isOwn: z.boolean(),
  /** Records that the store lacked at its start, and that were added to it then. */
  replayed: z.int(),
  /** Records that are not in the database yet, and their size in bytes. */
  waiting: z.int(),
  waitingBytes: z.int(),
});
export type JournalState = z.infer<typeof JournalState>;

/** Numbers of events, by conversation. */
const EventNumbers = z.array(z.object({ conversationId: Id, ranges: NumberRanges }));

const JournalCheck = z.object({
  /** Events in the files, applied or not. */
  events: z.int(),
  /** Events that the store lacks. */
  notStored: EventNumbers,
  /** Events that the store has with other content. */
  different: EventNumbers,
  /** True if a part of the files cannot be read. */
  isDamaged: z.boolean(),
});
export type JournalCheck = z.infer<typeof JournalCheck>;

export const journalMethods = {
  /** Returns the state of the journal; null without a journal. */
  'journal.state': method(nothing, JournalState.nullable()),
  /** Compares each event in the journal with the store; null without a journal. */
  'journal.check': method(nothing, JournalCheck.nullable()),
};

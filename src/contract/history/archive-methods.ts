/** Compares the archive with the store. */
import { z } from 'zod';
import { Id } from '../ids.ts';
import { method, nothing } from '../method.ts';
import { NumberRanges } from '../missing.ts';

/** Differences between a conversation in the store and in the archive. */
export const ArchiveCheck = z.object({
  /** Events in the archive. */
  events: z.int(),
  /** Events of the store that the archive lacks, except those of a running workflow. */
  notArchived: NumberRanges,
  /** Events of the archive that the store lacks. */
  notStored: NumberRanges,
  /** Events that the store and the archive have with different content. */
  different: NumberRanges,
  /** Parts of the file that cannot be read. */
  damagedParts: z.int(),
  /** Path of the file. */
  file: z.string(),
});
export type ArchiveCheck = z.infer<typeof ArchiveCheck>;

export const archiveMethods = {
  /** Returns the ids of all archived conversations; null without an archive. */
  'archive.conversations': method(nothing, z.array(Id).nullable()),
  /** Compares a conversation in the store and in the archive, event by event; null without an archive. */
  'archive.check': method(z.strictObject({ conversationId: Id }), ArchiveCheck.nullable()),
};

/** Sentences about damage of the stored history: phrases as those of `phrases.ts`, which they are a part of. */
import { formatCount } from '../missing-text.ts';

interface Recovery {
  conversations: number;
  events: number;
  /** Events that no source has, and the number of conversations that lack some. */
  lostEvents: number;
  incomplete: number;
  /** Conversations without title and folder. */
  lostTitles: number;
  /** Parts of the archive that cannot be read. */
  damagedParts: number;
  /** True if no part of the damaged store could be read. */
  fromArchive: boolean;
  /** Unfinished conversations whose newest events may have been in the store alone, which cannot be read. */
  unsure: number;
  /** `older`: the store lacked changes that were in it before, so it was damaged, or an older copy was put back. */
  cause: 'damaged' | 'older' | 'missing';
  /** Recoveries within the last day, this one included. */
  recent: number;
}

/** Number of recoveries within a day at which the disk is suspected. */
const MANY_RECOVERIES = 3;

function lossText({ lostEvents, incomplete, lostTitles, damagedParts, unsure }: Recovery): string {
  const parts = [
    ...(lostEvents > 0 ? [`${formatCount(lostEvents, 'event')} of ${formatCount(incomplete, 'conversation')}`] : []),
    ...(lostTitles > 0 ? [`title and folder of ${formatCount(lostTitles, 'conversation')}`] : []),
    ...(damagedParts > 0 ? [`${formatCount(damagedParts, 'part')} of the archive`] : []),
  ];
  const newest = `The newest events of ${formatCount(unsure, 'unfinished conversation')} may be missing`;
  if (parts.length === 0) return unsure > 0 ? newest : 'Nothing is missing';
  const all = parts.join(', ');
  return `${all.charAt(0).toUpperCase()}${all.slice(1)} cannot be read: "triad doctor --full" lists what is missing${unsure > 0 ? `. ${newest}` : ''}`;
}

/** Returns whether a disk that needs so many recoveries may fail. */
export const isDiskSuspected = ({ recent }: Pick<Recovery, 'recent'>): boolean => recent >= MANY_RECOVERIES;

export const STORE = {
  store_recovered: (recovery: Recovery) => {
    const source = recovery.fromArchive ? ' from its archive' : '';
    const { conversations, events, recent } = recovery;
    const disk = isDiskSuspected(recovery)
      ? `. It is recovery ${recent} within a day, so the disk may be failing: copy the data folder to another disk`
      : '';
    const { state, end } = {
      damaged: { state: 'damaged', end: '. The damaged store is kept beside it' },
      older: {
        state: 'damaged, or an older copy of it was put back,',
        end: '. The replaced store is kept beside it',
      },
      missing: { state: 'missing', end: '' },
    }[recovery.cause];
    return `The store was ${state} and was rebuilt${source} with ${formatCount(conversations, 'conversation')} and ${formatCount(events, 'event')}. ${lossText(recovery)}${end}${disk}`;
  },
  store_outdated: (_: Record<string, never>) =>
    'The archive has events that the store lacks, as if an older copy of the store had been put back. To get them back, end Triad and run "triad restore --from archive"',
  rows_skipped: (_: Record<string, never>) =>
    'Some of the history cannot be read, and is left out of lists and pages. "triad doctor --full" lists what is missing',
  journal_set_aside: ({ folder }: { folder: string }) =>
    `The journal beside the store belongs to another store. It was not used and is in ${folder}`,
  /** `part`: see `OpenedJournal`. */
  journal_damaged: ({ part }: { part: 'record' | 'database' | 'missing' | 'end' }) =>
    ({
      record:
        'A part of the journal cannot be read: some of the newest events may be missing. "triad doctor --full" lists them',
      database:
        'The store is older than its journal, as if an older copy had been put back. "triad doctor --full" lists what is missing. Put the newer store back, or restore a backup with "triad restore DIR"',
      missing:
        'The journal was deleted or cut off: the last changes before the program ended may be missing. "triad doctor --full" compares the store with its archive',
      end: 'The last record of the journal is incomplete: the last event before the program ended may be missing',
    })[part],
} as const;

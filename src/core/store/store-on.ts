/** The store on a database that is open and migrated: commits, reads, background work, backups. */
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { phrase } from '#contract/approvals/phrases.ts';
import type { Unlisted } from '#contract/missing.ts';
import { TriadError } from '../base/errors.ts';
import { ArchiveWriter } from './archive/archive-writer.ts';
import { ARCHIVE } from './archive/archive-folder.ts';
import { type ArchivedStore, archivedStore } from './archive/archived-store.ts';
import { createHistoryReads, type HistoryReads } from './history-reads.ts';
import { beginBackup } from './backups/backups.ts';
import { copyStore } from './backups/copy.ts';
import type { Closable } from './closable.ts';
import { type CommitMode, Commits, type Recovered } from './commits/commits.ts';
import { createJournalReads } from './journal/check-journal.ts';
import { getJournalFolder } from './journal/journal.ts';
import type { Database } from './database.ts';
import { namingFullDisk } from './disk-space.ts';
import { StoreDamaged } from './faults.ts';
import { createQueries } from './queries.ts';
import { DamageRecovery, type OpenRecovered } from './recovery/damage-recovery.ts';
import { OLDER_STORE } from './recovery/recovery-cause.ts';
import { StoreNotices } from './recovery/store-notices.ts';
import { purgePending } from './trash/purge.ts';
import { readPurgeIntents, setPurgeIntent } from './trash/purge-intents.ts';
import type { Store } from './store.ts';
import { vectorsOn } from './vectors.ts';

const IN_MEMORY = 'This store is in memory only: there is nothing to copy';

/** Stores that are in memory only lose nothing that they are on. */
const NEVER = new AbortController().signal;

export interface StorePlace {
  /** Where its files are; null where they are not on this machine, or nowhere. */
  folder?: string | null;
  /** Aborts when that has gone. */
  lost?: AbortSignal | undefined;
  /** Folder of the archive; null for none. */
  archive?: string | null;
  /** Receives a line for the person if the archive cannot be written. */
  warn?: (line: string) => void;
  diskFull?: Store['diskFull'];
  /** Why there are no files to copy, and what to do instead. */
  uncopied?: string;
  /** How commits reach the disk. */
  mode?: CommitMode | undefined;
  notices?: StoreNotices;
  /** Opens another database in the place of a damaged one; null if that cannot be done. */
  openRecovered?: OpenRecovered | null;
}

/** The store on a migrated database. */
export function storeOn(
  opened: Closable,
  {
    folder = null,
    archive: archiveFolder = null,
    warn = () => undefined,
    lost = NEVER,
    diskFull = () => null,
    uncopied = IN_MEMORY,
    mode,
    openRecovered = null,
    notices = new StoreNotices(null),
  }: StorePlace = {},
): { store: Store; recover: () => Promise<Recovered> } {
  const failed = new AbortController();
  const { commits, damage } = createCommits(opened, { folder, mode, diskFull, openRecovered }, failed);
  const unreadable = createReport(notices, 'rows_skipped');
  const database = { ...damage.repeating(damage.database), unreadable };
  const current = { ...damage.repeating(commits.current), unreadable };
  const commit: Store['commit'] = async (items) => {
    await damage.repeat(() => commits.commit(items));
    const ends = items.filter((item) => 'event' in item && item.event.type === 'workflow-end').length;
    if (ends > 0) ended(ends);
    archive?.observe(items);
  };
  const lastSeq = (id: string) => damage.repeat(() => commits.lastSeq(id));
  const reads = createQueries(current, { pendingEvents: (id) => commits.pendingEvents(id), lastSeq, stored: database });
  const archive = createArchive(archiveFolder, archivedStore(current, reads), { warn, notices, damage });
  const vectors = vectorsOn(database);
  const written = { database, reads: createQueries(database), vectors };
  const { history, ended, close } = createHistoryReads(current, reads, written);
  const store: Store = {
    lost: AbortSignal.any([lost, failed.signal]),
    diskFull,
    commit,
    restoreEvents: (events) => commits.restoreEvents(events),
    ...reads,
    ...(archive && createChecked(current, reads, archive, damage)),
    ...history,
    archive,
    journal: createJournalReads(commits, database, reads),
    notices,
    vectors,
    ...createTrash(commits, { history, reads, damage, archive, diskFull }),
    settled: () => history.settled().then(() => archive?.settled()),
    beginBackup: async () => {
      if (damage.folder === null) throw new TriadError('conflict', uncopied);
      return copyStoreAndArchive(damage.folder, archive, (copy) => commits.exclusive(() => database.still(copy)));
    },
    close: async () => {
      await archive?.close();
      await close();
      await commits.close();
      await database.close();
    },
  };
  return { store, recover: () => startOrClose(commits, damage, { store, archive, close }) };
}

/** Returns a function that shows this sentence once. */
function createReport(notices: StoreNotices, key: 'rows_skipped' | 'store_outdated'): () => void {
  let isShown = false;
  return () => {
    if (!isShown) void notices.add(phrase(key));
    isShown = true;
  };
}

function createArchive(
  folder: string | null,
  store: ArchivedStore,
  { warn, notices, damage }: { warn: (line: string) => void; notices: StoreNotices; damage: DamageRecovery },
): ArchiveWriter | null {
  if (folder === null) return null;
  const report = createReport(notices, 'store_outdated');
  let isTried = false;
  return new ArchiveWriter(folder, store, warn, async () => {
    // Another store is built once: what that one lacks too cannot be restored.
    const isReplaced = !isTried && (await damage.recoverOlder().catch(() => false));
    isTried = true;
    if (!isReplaced) report();
    return isReplaced;
  });
}

interface StartParts {
  store: Pick<Store, 'purge'>;
  archive: ArchiveWriter | null;
  /** Ends the background work of the history. */
  close: () => Promise<void>;
}

/** Starts the store, and then its archive. If that fails, no work and no open file of it is left. */
async function startOrClose(commits: Commits, damage: DamageRecovery, parts: StartParts): Promise<Recovered> {
  try {
    const recovered = await recoverOn(commits, damage, parts);
    parts.archive?.start();
    return recovered;
  } catch (error) {
    await parts.close();
    await commits.closeJournal();
    throw error;
  }
}

/** Opens the journal, and completes what a killed process has started. Rejects if an archived store lacks flushed changes. */
async function recoverOn(commits: Commits, damage: DamageRecovery, { store, archive }: StartParts): Promise<Recovered> {
  const recovered = await commits.recover().catch((error: unknown) => {
    // Records of the journal name what the database should have: without it, no start would succeed.
    const isMissing = error instanceof TriadError && error.code === 'internal';
    throw isMissing ? new StoreDamaged(damage.folder, error.message, error) : error;
  });
  if (recovered?.damage === 'database' && archive !== null) throw new StoreDamaged(damage.folder, OLDER_STORE);
  const database = damage.repeating(damage.database);
  const purged = (await commits.withJournal(readPurgeIntents)) ?? [];
  // The journal still has text of a conversation whose purge was killed, even if its last row is deleted.
  if (purged.length > 0 || (await purgePending(database))) await commits.eraseJournal();
  for (const id of purged)
    await store.purge(id).catch((error: unknown) => {
      // It is completed by a later start, for instance when the disk has space: until then the history can be read.
      if (error instanceof StoreDamaged) throw error;
    });
  return recovered;
}

/** Commits to a database that is replaced when it is damaged. */
function createCommits(
  opened: Closable,
  {
    folder = null,
    openRecovered = null,
    ...options
  }: Pick<StorePlace, 'folder' | 'mode' | 'diskFull' | 'openRecovered'>,
  failed: AbortController,
): { commits: Commits; damage: DamageRecovery } {
  const damage = new DamageRecovery(opened, folder, openRecovered);
  const commits = new Commits(damage.database, {
    ...options,
    onDamage: () => damage.recover(),
    onFailure: (error) => failed.abort(error),
  });
  damage.replace = (open) => commits.replaceDatabase(async () => getJournalFolder(await open()));
  return { commits, damage };
}

/** Reads that detect rows behind a damaged block, where a read of the database can end without an error. */
function createChecked(
  current: Database,
  reads: Pick<Store, 'conversation' | 'events' | 'lastSeq' | 'unlisted'>,
  archive: ArchiveWriter,
  damage: DamageRecovery,
): Pick<Store, 'events' | 'unlisted'> {
  let unlisted: Promise<Unlisted> | null = null;
  /** Conversations with a row, and gaps that the archive could not fill. */
  const [withRow, comparedGaps] = [new Set<string>(), new Set<string>()];
  const countUnlisted = async (): Promise<Unlisted> => {
    const found = await reads.unlisted();
    if (found.conversations + found.workflows === 0 || !(await damage.recover())) return found;
    return createQueries(current).unlisted();
  };
  return {
    events: async (id, from, to) => {
      const before = damage.folder;
      const found = await reads.events(id, from, to);
      const last = Math.min(to, await reads.lastSeq(id));
      // Without its row, the number of its last event is a guess.
      if (!withRow.has(id) && (await reads.conversation(id)) !== null) withRow.add(id);
      if (found.length >= last - from + 1 && withRow.has(id)) return found;
      const gap = JSON.stringify([before, id, from, last, found.length]);
      if (comparedGaps.has(gap)) return found;
      const { notStored } = await archive.check(id);
      // The check may have met the damage itself.
      const isReplaced = damage.folder !== before || (notStored.length > 0 && (await damage.recover()));
      if (isReplaced) return reads.events(id, from, to);
      comparedGaps.add(gap);
      return found;
    },
    // Once after each start: a database that is replaced for it is not replaced again for the next caller.
    unlisted: () => (unlisted ??= countUnlisted()),
  };
}

/** The database for work that changes rows without a commit. */
async function withoutCaches<T>(commits: Commits, work: () => Promise<T>): Promise<T> {
  await commits.forget();
  try {
    return await work();
  } finally {
    await commits.forget();
  }
}

/** The trash, with the changes of archive and journal that belong to it. */
function createTrash(
  commits: Commits,
  {
    history,
    reads,
    damage,
    archive,
    diskFull,
  }: {
    history: HistoryReads;
    reads: Pick<Store, 'conversation'>;
    damage: DamageRecovery;
    archive: ArchiveWriter | null;
    diskFull: Store['diskFull'];
  },
): Pick<Store, 'trash' | 'restore' | 'purge'> {
  const change = async (id: string, work: () => Promise<boolean>): Promise<boolean> => {
    const isChanged = await withoutCaches(commits, work);
    if (isChanged) archive?.changed(id);
    return isChanged;
  };
  const setIntent = (id: string, isPurging: boolean) =>
    commits.withJournal((folder) => setPurgeIntent(folder, id, isPurging));
  return {
    trash: (id, at) => change(id, () => history.trash(id, at)),
    restore: async (id) => {
      // Cancels a purge that failed.
      await setIntent(id, false);
      return change(id, () => history.restore(id));
    },
    purge: async (id) => {
      // With a full disk the archive would be deleted, and the rows would stay.
      const shortage = diskFull();
      if (shortage) throw shortage;
      const purge = () => withoutCaches(commits, () => history.purge(id));
      return namingFullDisk(damage.folder ?? '', async () => {
        const isInTrash = (await reads.conversation(id))?.deletedAt !== undefined;
        if (isInTrash) await setIntent(id, true);
        const isPurged = await (archive ? archive.purge(id, purge) : purge());
        // The journal still has its text.
        if (isPurged) await damage.repeat(() => commits.eraseJournal());
        await setIntent(id, false);
        return isPurged;
      });
    },
  };
}

/** Begins a backup of the store in the folder, and returns the folder of the backup. `still` runs work while nothing is written. */
async function copyStoreAndArchive(
  folder: string,
  archive: ArchiveWriter | null,
  still: (work: () => Promise<void>) => Promise<void>,
): Promise<string> {
  const partial = await namingFullDisk(folder, () => beginBackup(dirname(folder), 'backup'));
  try {
    // The archive is copied first: the store must have every archived event.
    await namingFullDisk(folder, async () => {
      await archive?.copyTo(join(partial, ARCHIVE));
      await still(() => copyStore(folder, join(partial, 'store')));
    });
    return partial;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

/** Builds a new store from what is left of a damaged one: its intact events, the archive, and the journal. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorInfo, TriadError } from '../../base/errors.ts';
import { deleteConversationFiles, listArchivedConversations } from '../archive/archive-folder.ts';
import { readArchive } from '../archive/read-archive.ts';
import { copyStore } from '../backups/copy.ts';
import { mendCurrent } from '../backups/manifest.ts';
import type { Closable } from '../closable.ts';
import { isDiskFull } from '../disk-space.ts';
import { versionIn } from '../opening/migrate.ts';
import type { Store } from '../store.ts';
import { readDamagedStore } from './damaged-source.ts';
import { readPurgeIntents } from '../trash/purge-intents.ts';
import type { HistorySource } from './history-source.ts';
import { readJournalSources } from './journal-source.ts';
import { type RestoreReport, restoreFromSources } from './restore-from-sources.ts';

export interface RecoveryPaths {
  /** Folder of the damaged store, which is not changed. */
  damaged: string;
  archive: string;
  journal: string;
  /** Folder of the new store. */
  target: string;
  schemaDir: string;
}

export interface RecoveryReport extends RestoreReport {
  /** Error of opening the damaged store; null if it was read. */
  unreadable: string | null;
}

/** Time for opening the copy, in milliseconds: the engine never answers for some damaged folders. */
const OPEN_MS = 50_000;

/** Exit code of the child program for `store_unwritable`. */
export const UNWRITABLE = 3;

/** How stores are opened. */
export interface StoreOpener {
  connect: (url: string, options: { timeoutMs: number }) => Promise<Closable>;
  openStore: (options: { url: string; schemaDir: string; isRebuilt: true }) => Promise<Store>;
}

/** `isCopyRead`: whether this process has the settings of the engine with which a damaged store opens. */
export async function buildRecovered(
  paths: RecoveryPaths,
  { connect, openStore }: StoreOpener,
  isCopyRead: boolean,
): Promise<RecoveryReport> {
  const copy = `${paths.target}.copy`;
  const { database, fault } = isCopyRead
    ? await openCopy(connect, paths.damaged, copy)
    : { database: null, fault: 'not opened' };
  const store = await openStore({
    url: `rocksdb://${paths.target}`,
    schemaDir: paths.schemaDir,
    isRebuilt: true,
  });
  try {
    const { flushed, newest } = await readJournalSources(paths.journal, database);
    const known = await Promise.all([flushed, newest].map((source) => source.conversationIds()));
    const archived = await listArchivedConversations(paths.archive);
    // The journal alone has only the newest conversations.
    if (database === null && archived.length === 0)
      throw new TriadError('store_failed', `Nothing is archived, and ${paths.damaged} cannot be read: ${fault}`);
    const knownIds = [...archived, ...known.flat()];
    const damaged: HistorySource[] = database ? [readDamagedStore(database, knownIds)] : [];
    // The last source counts for rows: those of a flushed record may be older than all others.
    const purged = await readPurgeIntents(paths.journal);
    const report = await restoreFromSources(
      store,
      [flushed, readArchive(paths.archive), ...damaged, newest],
      () => undefined,
      purged,
    );
    if (report.conversations === 0 && purged.length === 0)
      throw new TriadError('store_failed', `Nothing could be read in ${paths.damaged}: ${fault ?? 'it lists nothing'}`);
    // The new store has no rows of these conversations, so nothing else would delete their files.
    for (const id of purged) await deleteConversationFiles(paths.archive, id);
    await store.settled();
    return { ...report, unreadable: fault };
  } finally {
    await store.close();
    await database?.close();
    await rm(copy, { recursive: true, force: true });
  }
}

async function openCopy(
  connect: StoreOpener['connect'],
  folder: string,
  copy: string,
): Promise<{ database: Closable | null; fault: string | null }> {
  try {
    await copyStore(folder, copy);
    await mendCurrent(copy);
    // The engine would make an empty store.
    if (!existsSync(join(copy, 'CURRENT'))) return { database: null, fault: 'the list of its files is gone' };
    const database = await connect(`rocksdb://${copy}`, { timeoutMs: OPEN_MS });
    if ((await versionIn(database)) > 0) return { database, fault: null };
    await database.close();
    return { database: null, fault: 'it has no schema version any more' };
  } catch (error) {
    // Without the damaged store, its newest events would be missing: it is read when there is space.
    if (isDiskFull(error) || errorInfo(error).code === 'store_unwritable') throw error;
    return { database: null, fault: errorInfo(error).message };
  }
}

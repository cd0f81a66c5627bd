/** Rebuilds the store of a data folder from its archive and its journal, and sets the present store aside. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { TriadError } from '../../base/errors.ts';
import { ARCHIVE, deleteConversationFiles, listArchivedConversations } from '../archive/archive-folder.ts';
import { readArchive } from '../archive/read-archive.ts';
import { replaceParts } from '../backups/restore.ts';
import { getJournalFolder } from '../journal/journal.ts';
import { openStore } from '../surreal.ts';
import { readPurgeIntents } from '../trash/purge-intents.ts';
import { readJournalSources } from './journal-source.ts';
import { type RestoreReport, restoreFromSources } from './restore-from-sources.ts';

export interface RestoredArchive extends RestoreReport {
  /** Folder of the replaced store. */
  aside: string;
}

/** Rejects with `bad_input` if no conversation is archived. The caller must own the data folder. */
export async function restoreArchive(
  data: string,
  onProgress: (report: Readonly<RestoreReport>) => void,
  signal: AbortSignal,
): Promise<RestoredArchive> {
  const archive = join(data, ARCHIVE);
  if ((await listArchivedConversations(archive)).length === 0)
    throw new TriadError('bad_input', `There is no conversation in the archive ${archive}.`);
  return replaceParts(data, async (staging) => {
    await mkdir(staging, { mode: 0o700 });
    const store = await openStore({ url: `rocksdb://${join(staging, 'store')}`, signal, isRebuilt: true });
    try {
      const journal = getJournalFolder(join(data, 'store'));
      // The newest events may be in the journal alone. Without the store, no record counts as flushed.
      const { newest } = await readJournalSources(journal, null);
      const purged = await readPurgeIntents(journal);
      const report = await restoreFromSources(
        store,
        [newest, readArchive(archive)],
        (now) => {
          signal.throwIfAborted();
          onProgress(now);
        },
        purged,
      );
      // The note about the purge is in the replaced journal, so no start would complete it.
      for (const id of purged) await deleteConversationFiles(archive, id);
      await store.settled();
      return report;
    } finally {
      await store.close();
    }
  });
}

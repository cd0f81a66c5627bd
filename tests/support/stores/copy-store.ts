/** Copies the files of a store that is open, as a kill leaves them. */
import { cp } from 'node:fs/promises';
import { getJournalFolder } from '#core/store/journal/journal.ts';

/** The journal is copied last: it then has every commit that the database lacks. */
export async function copyStoreFiles(from: string, to: string): Promise<void> {
  const filter = (path: string) => !path.endsWith('.tmp');
  await cp(from, to, { recursive: true, filter });
  await cp(getJournalFolder(from), getJournalFolder(to), { recursive: true });
}

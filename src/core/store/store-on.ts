/** The store on a database that is open and migrated: commits, reads, background work, backups. */
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TriadError } from '../base/errors.ts';
import { archiveOf } from './archive.ts';
import { beginBackup } from './backups/backups.ts';
import { copyStore } from './backups/copy.ts';
import type { Closable } from './closable.ts';
import { Commits } from './commits/commits.ts';
import { queriesOf } from './queries.ts';
import { rebuildPending } from './rebuild.ts';
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
  diskFull?: Store['diskFull'];
  /** Why there are no files to copy, and what to do instead. */
  uncopied?: string;
}

/** The store on a migrated database. */
export function storeOn(
  database: Closable,
  { folder = null, lost = NEVER, diskFull = () => null, uncopied = IN_MEMORY }: StorePlace = {},
): { store: Store; recover: () => Promise<void> } {
  const failed = new AbortController();
  const commits = new Commits(database, (error) => failed.abort(error));
  const { current } = commits;
  const commit: Store['commit'] = async (events, writes) => {
    await commits.commit(events, writes);
    const ends = events.filter(({ type }) => type === 'workflow-end').length;
    if (ends > 0) ended(ends);
  };
  const reads = queriesOf(current, database);
  /** For operations that change rows without a commit, some of them between commits. */
  const forgetting =
    <I extends unknown[], O>(work: (...input: I) => Promise<O>) =>
    async (...input: I): Promise<O> => {
      await commits.forget();
      try {
        return await work(...input);
      } finally {
        await commits.forget();
      }
    };
  const vectors = vectorsOn(database);
  const written = { database, reads: queriesOf(database), vectors };
  const { archive, ended, close } = archiveOf(current, { ...reads, commit }, written);
  const recover = async (): Promise<void> => {
    if (await rebuildPending(database)) await store.rebuild();
    else await commits.recover(reads);
  };
  const store: Store = {
    lost: AbortSignal.any([lost, failed.signal]),
    diskFull,
    commit,
    ...reads,
    ...archive,
    vectors,
    trash: forgetting(archive.trash),
    restore: forgetting(archive.restore),
    purge: forgetting(archive.purge),
    rebuild: forgetting(archive.rebuild),
    beginBackup: async () => {
      if (folder === null) throw new TriadError('conflict', uncopied);
      return copied(folder, (from, to) => commits.still(() => database.still(() => copyStore(from, to))));
    },
    close: async () => {
      await close();
      await commits.flush();
      await database.close();
    },
  };
  return { store, recover };
}

/** Begins a backup of the store in the folder; returns where `copy` has put it. */
async function copied(folder: string, copy: (from: string, to: string) => Promise<unknown>): Promise<string> {
  const partial = await beginBackup(dirname(folder), 'backup');
  try {
    await copy(folder, join(partial, 'store'));
    return partial;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

/**
 * The part of the journal's state that is in the database: which store it is, what was flushed, and the number of
 * conversations and workflows, with which the lists are compared.
 */
import { randomUUID } from 'node:crypto';
import type { Database } from '../database.ts';

export interface StoredJournalState {
  /** Random id of the store. */
  storeId: string;
  /** Newest generation of journal records in the database; 0 for none. */
  applied: number;
}

/** Reads the state; gives the store an id at its first start. */
export async function readJournalState(database: Pick<Database, 'query' | 'transaction'>): Promise<StoredJournalState> {
  const [stored] = (await database.query('SELECT store, applied FROM ONLY meta:journal')) as [
    { store?: string; applied?: number } | undefined,
  ];
  if (stored?.store !== undefined) return { storeId: stored.store, applied: stored.applied ?? 0 };
  const storeId = randomUUID();
  await database.transaction('UPSERT meta:journal SET store = $storeId, applied = 0 RETURN NONE;', { storeId });
  return { storeId, applied: 0 };
}

/**
 * Assignments that add the rows that do not exist yet to the totals in `meta:journal`. Execute them before the inserts, in
 * the same transaction. `$conversations` and `$workflows` are record ids of the rows.
 */
export const COUNT_NEW_ROWS = ['conversations', 'workflows']
  .map((total) => `${total} += array::len($${total}) - array::len((SELECT VALUE id FROM $${total}))`)
  .join(', ');

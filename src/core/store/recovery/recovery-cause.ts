/** Causes of a recovery, and the details of errors that identify them. */

/** Detail of the error for a store without changes that were in it before, which a damaged log or an older copy has. */
export const OLDER_STORE = 'it lacks changes that were stored before';

/** Detail of the error for a store that was deleted while its archive was not. */
export const MISSING_STORE = 'its files are gone, and the archive has conversations';

/** Why a store is rebuilt. */
export type RecoveryCause = 'damaged' | 'older' | 'missing';

export function findRecoveryCause(detail: string | undefined): RecoveryCause {
  if (detail === OLDER_STORE) return 'older';
  return detail === MISSING_STORE ? 'missing' : 'damaged';
}

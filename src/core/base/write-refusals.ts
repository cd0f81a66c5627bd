/** Errors about files that others may write, and about folders that this program cannot write. */
import { codeOf, TriadError } from './errors.ts';
import { writeFault } from './write-fault.ts';

/** Throws `not_allowed` with one line that says what others may write, and the command that ends it. */
export async function refuseWriteFault(path: string, mends?: string): Promise<void> {
  const fault = await writeFault(path, mends);
  if (fault !== null) throw new TriadError('not_allowed', `${fault.what}: ${fault.remedy}`);
}

/** Returns the error for the person when a folder of the program cannot be written: what happened, and what to do. */
export function createUnwritableFolderError(
  folder: string,
  cause: unknown,
  code = codeOf(cause) ?? String(cause),
): TriadError {
  const texts: Record<string, string> = {
    ENOSPC: `The disk of ${folder} is full: free some space, or set TRIAD_HOME to another disk.`,
    EDQUOT: `Your quota on the disk of ${folder} is used up: free some space, or set TRIAD_HOME to another disk.`,
    EROFS: `The disk of ${folder} is read-only: make it writable, or set TRIAD_HOME to another disk.`,
  };
  const other = `The folder ${folder} cannot be written (${code}): check its owner and permissions, or set TRIAD_HOME to another folder.`;
  return new TriadError('store_unwritable', texts[code] ?? other, { cause });
}

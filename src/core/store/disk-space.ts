/** Checks the free space of a store on disk. The engine does not recover from a failed write, so none is tried below a minimum. */
import { statfsSync } from 'node:fs';
import { phrase, sentenceOf } from '#contract/approvals/phrases.ts';
import { codeOf, TriadError } from '../base/errors.ts';
import { createUnwritableFolderError } from '../base/write-refusals.ts';

/** Minimum free space, in bytes. With less, the engine may fail in its own maintenance. */
const MIN_FREE_BYTES = 32 * 1024 * 1024;
const BYTES_PER_MB = 1024 * 1024;

/** `store_unwritable`: nothing was written because the disk is full. The same write succeeds when there is space. */
export class DiskFull extends TriadError {
  constructor(folder: string, freeBytes: number) {
    const says = phrase('disk_full', { folder, free: Math.floor(freeBytes / BYTES_PER_MB) });
    super('store_unwritable', sentenceOf(says), { says: [says] });
    this.name = 'DiskFull';
  }
}

/** Returns the error for a folder on a full disk; null if there is space or the folder is gone. */
export function findDiskFull(folder: string): DiskFull | null {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < MIN_FREE_BYTES ? new DiskFull(folder, bavail * bsize) : null;
  } catch {
    return null;
  }
}

/** Returns whether the system had no space for a write. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof DiskFull || codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT';
}

/** Runs work that writes files. Rejects with `store_unwritable`, which names the disk of `folder`, if there was no space. */
export async function namingFullDisk<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TriadError || !isDiskFull(error)) throw error;
    throw createUnwritableFolderError(folder, error);
  }
}

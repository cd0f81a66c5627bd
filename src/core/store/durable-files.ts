/** Writes to files that must survive a loss of power. */
import { writeSync } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Writes all bytes at a position: the system may write a part of them in one call. */
export async function writeFully(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let writtenBytes = 0; writtenBytes < bytes.length;) {
    const { bytesWritten } = await file.write(
      bytes,
      writtenBytes,
      bytes.length - writtenBytes,
      position + writtenBytes,
    );
    writtenBytes += bytesWritten;
  }
}

/** The same without a thread. The caller may wait for the disk. */
export function writeFullyNow({ fd }: FileHandle, bytes: Buffer, position: number): void {
  for (let writtenBytes = 0; writtenBytes < bytes.length;)
    writtenBytes += writeSync(fd, bytes, writtenBytes, bytes.length - writtenBytes, position + writtenBytes);
}

/** Bytes that one call reads or writes. Larger buffers cost more in the memory that they touch than they save in calls. */
const STEP_BYTES = 256 * 1024;
const ZEROS = Buffer.alloc(STEP_BYTES);
/** Zeros at the end that a reader of fixed headers may need, in bytes. */
const ZEROS_KEPT = 1024;

/** Writes zeros from one position to another. */
export async function writeZeros(file: FileHandle, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += STEP_BYTES)
    await writeFully(file, ZEROS.subarray(0, Math.min(STEP_BYTES, to - at)), at);
}

/** Reads a file without the many zeros at its end. `size`: with them, in bytes. */
export async function readWithoutZeros(file: FileHandle): Promise<{ content: Buffer; size: number }> {
  const step = Buffer.allocUnsafe(STEP_BYTES);
  const parts: Buffer[] = [];
  let size = 0;
  let readBytes: number;
  let partBytes = 0;
  do {
    ({ bytesRead: readBytes } = await file.read(step, 0, STEP_BYTES, size));
    const bytes = step.subarray(0, readBytes);
    if (!bytes.equals(ZEROS.subarray(0, readBytes))) {
      parts.push(Buffer.alloc(size - partBytes), Buffer.from(bytes));
      partBytes = size + readBytes;
    }
    size += readBytes;
  } while (readBytes > 0);
  const endZeros = Buffer.alloc(Math.min(ZEROS_KEPT, size - partBytes));
  return { content: Buffer.concat([...parts, endZeros]), size };
}

/** Syncs the folder, so that new file names survive. Windows cannot sync a folder, and does not need it. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Syncs a folder with all files and folders in it, for instance copies: the system may write their content much later. */
export async function syncTree(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await syncTree(path);
    else if (entry.isFile()) await syncFile(path);
  }
  await syncFolder(folder);
}

async function syncFile(path: string): Promise<void> {
  // Windows syncs only files that are open for writing.
  const handle = await open(path, process.platform === 'win32' ? 'r+' : 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

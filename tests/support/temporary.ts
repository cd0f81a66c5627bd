/** Where tests put what they make: in memory where the system offers that, since a kill asks nothing of a disk. */
import { accessSync, constants, mkdirSync, statfsSync } from 'node:fs';

const IN_MEMORY = '/dev/shm';
/** What the tests need at a time, with room to spare. */
const ENOUGH_BYTES = 2e9;

/** Variables for the environment of the tests; none where the system's own folder serves. */
export function temporaryFolder(): { TMPDIR?: string } {
  try {
    accessSync(IN_MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    if (bavail * bsize < ENOUGH_BYTES) return {};
    const folder = `${IN_MEMORY}/triad-tests-${process.getuid?.() ?? 0}`;
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    return { TMPDIR: folder };
  } catch {
    return {};
  }
}

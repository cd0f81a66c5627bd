/**
 * Recovers a damaged store without the person: a child process builds a new store beside it, and this process opens the
 * new store under its temporary name. The next start renames both stores.
 */
import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import { TriadError } from '../../base/errors.ts';
import { nodeProgram, runProgram } from '../../base/node-program.ts';
import { stamp } from '../backups/backups.ts';
import { syncFolder } from '../durable-files.ts';
import { getJournalFolder } from '../journal/journal.ts';
import { countNumbers } from '../rows/ranges.ts';
import { READY } from './finish-recovery.ts';
import {
  buildRecovered,
  type RecoveryPaths,
  type RecoveryReport,
  type StoreOpener,
  UNWRITABLE,
} from './build-recovered.ts';
import type { RecoveryCause } from './recovery-cause.ts';

const PROGRAM = fileURLToPath(new URL('./recover-program.ts', import.meta.url));
/** Maximum time of a recovery, in milliseconds: a store can have many gigabytes. */
const LIMIT_MS = 3_600_000;
/** Settings that open a store with a damaged block: the engine merges no files and does not read the block. */
const WITHOUT_COMPACTION = {
  SURREAL_ROCKSDB_FILE_COMPACTION_TRIGGER: '1000000',
  SURREAL_ROCKSDB_ENABLE_BLOB_GC: 'false',
};

export interface RecoveredStore {
  /** Folder of the new store. */
  folder: string;
  report: RecoveryReport;
}

export interface RecoveryOptions extends Pick<RecoveryPaths, 'damaged' | 'archive' | 'schemaDir'> {
  /** Folder of the store in the data folder. Differs from `damaged` after an earlier recovery in this process. */
  base: string;
}

/** Builds a new store. Rejects with `store_failed` if that fails; the damaged store stays as it is. */
export async function recoverStore(
  { base, damaged, ...rest }: RecoveryOptions,
  opener: StoreOpener,
): Promise<RecoveredStore> {
  const target = `${base}.recovered-${stamp()}`;
  const paths = { ...rest, damaged, journal: getJournalFolder(damaged), target };
  try {
    const report = await build(paths, opener);
    await writeFile(join(target, READY), '', { mode: 0o600 });
    // Commits to the new store are acknowledged from now on: the next start must find it, and find it complete.
    await syncFolder(target);
    await syncFolder(dirname(target));
    return { folder: target, report };
  } catch (error) {
    for (const folder of [target, `${target}.copy`, `${target}.schema-version`])
      await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function build(paths: RecoveryPaths, opener: StoreOpener): Promise<RecoveryReport> {
  const started = nodeProgram(PROGRAM);
  // The settings of the engine are read once in a process: without a child the damaged store is not read.
  if (started === null) return buildRecovered(paths, opener, false);
  const { code, stdout, stderr } = await runProgram(started, JSON.stringify(paths), {
    // oxlint-disable-next-line no-restricted-properties -- the engine can be told in no other way
    env: { ...process.env, ...WITHOUT_COMPACTION },
    timeout: LIMIT_MS,
  });
  if (code === 0) return JSON.parse(stdout) as RecoveryReport;
  if (code === UNWRITABLE) throw new TriadError('store_unwritable', stderr);
  const detail = stderr || `it ended with ${code}`;
  throw new TriadError('store_failed', `The damaged store in ${paths.damaged} could not be recovered: ${detail}`);
}

/** Sentences for the person: what was recovered, and what is missing. `recent`: recoveries within the last day. */
export function describeRecovery(
  { conversations, events, incomplete, damage, unfinished, unreadable }: RecoveryReport,
  recent: number,
  cause: RecoveryCause = 'damaged',
): Phrase {
  const gaps = incomplete.filter(({ missing }) => missing.length > 0);
  return phrase('store_recovered', {
    conversations,
    events,
    recent,
    cause,
    unsure: unreadable === null ? 0 : unfinished,
    lostEvents: countNumbers(gaps.flatMap(({ missing }) => missing)),
    incomplete: gaps.length,
    lostTitles: incomplete.filter(({ isRowMissing }) => isRowMissing).length,
    // The store or the journal had what was in a member that an append did not finish.
    damagedParts: damage.filter(({ isTorn }) => !isTorn).length,
    fromArchive: unreadable !== null,
  });
}

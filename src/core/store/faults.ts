/** The errors of an embedded store, from the words of its engine and of the operating system. */
import { errorInfo, TriadError } from '../base/errors.ts';
import { shellWord } from '../base/text.ts';
import { createUnwritableFolderError } from '../base/write-refusals.ts';
import { describeBackup, readableText } from './backups/backups.ts';

/**
 * `store_failed`: files of the store are not what the engine wrote. The message names the command that restores the
 * best backup, or the rest that can be read. `detail` has the words of the engine.
 */
export class StoreDamaged extends TriadError {
  /** Null for a store without files. */
  readonly folder: string | null;

  constructor(folder: string | null, detail: string, cause?: unknown) {
    super('store_failed', folder === null ? IN_MEMORY : describeDamage(folder), { detail, cause });
    this.name = 'StoreDamaged';
    this.folder = folder;
  }
}

const IN_MEMORY = 'A part of the history cannot be read: the store in memory is damaged.';

function describeDamage(folder: string): string {
  const rest = `there is no backup of it${readableText(folder)}; to go on with what can be read of it: triad restore ${shellWord(folder)}`;
  return `The store in ${folder} is damaged: ${describeBackup(folder) ?? rest}`;
}

/** Words that the engine puts before those of its database: a text of a row is never at this position. */
const PREFIX =
  /^(?:Query not executed: |There was a problem with (?:a transaction|the key-value store): |An error occurred: |Corruption: (?=Corruption: |IO error: ))*/;

/** Errors of the system that have nothing to do with the content of a file: checked before `DAMAGE`. */
const SYSTEM = {
  locked: /^IO error: (?:lock hold|While lock file)/,
  ENOSPC: /^IO error: .*No space left/i,
  EDQUOT: /^IO error: .*quota exceeded/i,
  EROFS: /^IO error: .*Read-only file system/i,
  EACCES: /^IO error: .*(?:Permission denied|Operation not permitted)/i,
  ENOTDIR: /^IO error: .*(?:Not a directory|File exists)/i,
  EMFILE: /^IO error: .*Too many open files/i,
  ENOMEM: /^IO error: .*Cannot allocate memory/i,
} as const;
type SystemFault = keyof typeof SYSTEM;

/**
 * A file with other content or without a name, and a definition of the schema that was lost with its block. A new store
 * has no table `meta`, and tables of vectors are made later.
 */
const DAMAGE =
  /^(?:Corruption: |IO error: )|^Found field '.*', but no such field exists for table|^The table '(?!meta'|vector)\w+' does not exist/;

/** Returns the kind of a fault by its words: one of the system, `damaged`, or null for any other. */
export function classifyStoreFault(text: string): SystemFault | 'damaged' | null {
  const words = text.replace(PREFIX, '');
  const names = Object.keys(SYSTEM) as SystemFault[];
  return names.find((name) => SYSTEM[name].test(words)) ?? (DAMAGE.test(words) ? 'damaged' : null);
}

/** The work of the engine that failed. `otherwise` starts the message for an unknown fault. */
export interface FailedWork {
  /** Null for a store in memory. */
  folder: string | null;
  otherwise: string;
  /** True if the store was open: the engine does not recover from a failed write. */
  isOpen: boolean;
}

/** Maps an error of the engine to one of the core. Returns one of the core unchanged. */
export function mapStoreFault(error: unknown, { folder, otherwise, isOpen }: FailedWork): TriadError {
  if (error instanceof TriadError) return error;
  const { message: text } = errorInfo(error instanceof Error && error.cause instanceof Error ? error.cause : error);
  const options = { cause: error, detail: text };
  const kind = classifyStoreFault(text);
  if (kind === 'damaged') return new StoreDamaged(folder, text, error);
  const where = folder ?? 'the store';
  if (kind === 'locked') {
    const locked = `The store in ${where} is open in another process: close it or set TRIAD_HOME to another folder.`;
    return new TriadError('store_locked', locked, options);
  }
  if (kind === null || kind === 'EMFILE' || kind === 'ENOMEM')
    return new TriadError('store_failed', `${otherwise}: ${text}`, options);
  const { message } = createUnwritableFolderError(where, error, kind);
  return new TriadError('store_unwritable', isOpen ? `${message} Then start Triad again.` : message, options);
}

/** The durable record of each change of a rule by the person: one line of JSON, in the order in which they were made. */
import { constants, open } from 'node:fs/promises';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RuleScope } from '#contract/permissions/rule-edit.ts';
import type { RuleEntry } from '../settings/rule-entry.ts';

/** Name of the file in the data folder. */
const RECORD_FILE = 'rule-changes.jsonl';

export interface RuleChangeRecord {
  at: string;
  /** Who: nothing else changes rules. */
  by: 'person';
  scope: RuleScope;
  file: string;
  what: 'add' | 'change' | 'move' | 'remove' | 'undo';
  /** The rule before and after; null where there was, or is, none. */
  before: RuleEntry | null;
  after: RuleEntry | null;
  /** SHA-256 of the whole text of the file. */
  hashBefore: string | null;
  hashAfter: string | null;
}

/**
 * On the disk when it resolves, with what takes the line back where the change is not made after all. Without a data folder
 * nothing is kept. One at a time.
 */
export async function recordChange(data: string | undefined, change: RuleChangeRecord): Promise<() => Promise<void>> {
  if (data === undefined) return () => Promise.resolve();
  const file = join(data, RECORD_FILE);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(file, flags, 0o600);
  const line = `${JSON.stringify(change)}\n`;
  try {
    const { size } = await handle.stat();
    await handle.writeFile(line);
    await handle.sync();
    return () => takeBack(file, size, Buffer.byteLength(line));
  } finally {
    await handle.close();
  }
}

/** Only while nothing stands behind it. */
async function takeBack(file: string, before: number, length: number): Promise<void> {
  const handle = await open(file, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
  try {
    if ((await handle.stat()).size !== before + length) return;
    await handle.truncate(before);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

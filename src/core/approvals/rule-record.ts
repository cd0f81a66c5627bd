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

/** On the disk when it resolves. Without a data folder nothing is kept. */
export async function recordChange(data: string | undefined, change: RuleChangeRecord): Promise<void> {
  if (data === undefined) return;
  const file = join(data, RECORD_FILE);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(file, flags, 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(change)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

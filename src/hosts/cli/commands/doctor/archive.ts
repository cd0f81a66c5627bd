/** Compares the store with the archive, conversation by conversation, and with the journal. */
import type { ArchiveCheck } from '#contract/history/archive-methods.ts';
import { formatCount } from '#contract/missing-text.ts';
import type { Client } from '#contract/rpc.ts';
import { errorInfo } from '#core/base/errors.ts';
import { shellWord } from '#core/base/text.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import { size } from './folders.ts';

const REBUILD = 'rebuild the store with "triad restore --from archive"';

/** Returns one line for each difference, or one line if there is none. */
export async function checkArchive(client: Client, signal: AbortSignal): Promise<Finding[]> {
  let archived: string[] | null;
  try {
    archived = await client.request('archive.conversations', {});
  } catch (error) {
    signal.throwIfAborted();
    return [
      warning('archive', `it cannot be read: ${errorInfo(error).message}`, 'check owner and permissions of the folder'),
    ];
  }
  if (archived === null) return [];
  const stored = await client.request('store.conversations', {});
  const findings: Finding[] = [];
  let events = 0;
  for (const conversationId of stored) {
    signal.throwIfAborted();
    try {
      const check = await client.request('archive.check', { conversationId });
      if (check === null) continue;
      events += check.events;
      findings.push(...findDifferences(conversationId, check));
    } catch (error) {
      signal.throwIfAborted();
      const { message } = errorInfo(error);
      findings.push(warning('archive', `session ${conversationId} cannot be compared: ${message}`, 'try again'));
    }
  }
  const isStored = new Set(stored);
  const others = archived.filter((id) => !isStored.has(id));
  if (others.length > 0) {
    const text = `the store lacks ${others.length} of ${archived.length} sessions in the archive: ${others.slice(0, 5).join(', ')}`;
    findings.push(problem('archive', text, REBUILD));
  }
  if (findings.length > 0) return findings;
  return [ok('archive', `${archived.length} sessions, ${events} events: as in the store`)];
}

function findDifferences(id: string, check: ArchiveCheck): Finding[] {
  const { notStored, different, notArchived, damagedParts, file } = check;
  const again = `delete it and start Triad, which writes it again from the store: rm ${shellWord(file)}`;
  return [
    ...(notStored.length > 0
      ? [problem('archive', `session ${id}: the store lacks ${rangeText(notStored)}`, REBUILD)]
      : []),
    ...(different.length > 0
      ? [problem('archive', `session ${id}: ${rangeText(different)} differ in the store and the archive`, REBUILD)]
      : []),
    ...(damagedParts > 0 ? [warning('archive', `${file} has ${damagedParts} damaged parts`, again)] : []),
    ...(notArchived.length > 0 && damagedParts === 0
      ? [warning('archive', `session ${id}: the archive lacks ${rangeText(notArchived)}`, again)]
      : []),
  ];
}

function rangeText(ranges: ArchiveCheck['notStored']): string {
  const parts = ranges.map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`));
  return `events ${parts.join(', ')}`;
}

/** Returns whether the journal belongs to the store, and how much of it is not in the database yet. */
export async function checkJournal(client: Client): Promise<Finding[]> {
  const state = await client.request('journal.state', {});
  if (state === null) return [];
  const { isOwn, replayed, waiting, waitingBytes } = state;
  if (!isOwn) return [problem('journal', 'a file of it does not belong to this store', 'end Triad and start it again')];
  const before = replayed === 0 ? '' : `; the start added ${formatCount(replayed, 'record')} to the database`;
  const newest = `${formatCount(waiting, 'record')} (${size(waitingBytes)}) ${waiting === 1 ? 'is' : 'are'} not yet`;
  const rest = waiting === 0 ? 'all of it is' : newest;
  return [ok('journal', `it belongs to the store, ${rest} in the database${before}`)];
}

/** Compares the events in the journal with the store. The store is compared with the archive. */
export async function compareJournal(client: Client): Promise<Finding[]> {
  const check = await client.request('journal.check', {});
  if (check === null) return [];
  const { events, notStored, different, isDamaged } = check;
  const findings = [
    ...notStored.map(({ conversationId, ranges }) =>
      problem('journal', `session ${conversationId}: the store lacks ${rangeText(ranges)}`, REBUILD),
    ),
    ...different.map(({ conversationId, ranges }) =>
      problem(
        'journal',
        `session ${conversationId}: ${rangeText(ranges)} differ in the store and the journal`,
        REBUILD,
      ),
    ),
    ...(isDamaged ? [warning('journal', 'a part of it cannot be read', 'run "triad backup"')] : []),
  ];
  return findings.length > 0 ? findings : [ok('journal', `${formatCount(events, 'event')} in it: as in the store`)];
}

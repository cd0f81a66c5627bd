/** Reads the archive as a source of history: one conversation at a time, then the rows without a conversation. */
import type { HistoryItem, HistorySource } from '../recovery/history-source.ts';
import { codeOf } from '../../base/errors.ts';
import { readMembers } from './archive-file.ts';
import { conversationFile, listArchivedConversations, rowsFile } from './archive-folder.ts';
import { parseLines } from './archive-lines.ts';

export function readArchive(folder: string): HistorySource {
  return {
    conversationIds: () => listArchivedConversations(folder),
    conversation: (id) => readItems(conversationFile(folder, id), (line) => getConversationId(line) === id),
    rows: () => readItems(rowsFile(folder), (line) => getConversationId(line) === null),
  };
}

/** Codes of a file that cannot be read, while others can. */
const UNREADABLE = new Set(['EIO', 'EISDIR', 'EACCES', 'EPERM', 'ELOOP']);

/** The rest of a file that cannot be read is one damaged part. */
async function* readItems(path: string, isExpected: (line: HistoryItem) => boolean): AsyncGenerator<HistoryItem> {
  try {
    yield* readLines(path, isExpected);
  } catch (error) {
    if (!UNREADABLE.has(codeOf(error) ?? '')) throw error;
    yield { damage: { file: path, member: 1, bytes: 0, events: null, isTorn: false } };
  }
}

/** A member with lines of another conversation, as in a file that was renamed, is damaged: those lines are left out. */
async function* readLines(path: string, isExpected: (line: HistoryItem) => boolean): AsyncGenerator<HistoryItem> {
  let number = 0;
  for await (const { member, damage } of readMembers(path)) {
    number += 1;
    if (damage) {
      yield { damage };
      continue;
    }
    let hasOthers = false;
    for (const { event, row } of parseLines(member.text)) {
      const item: HistoryItem | null = row ? { row } : event && { event };
      if (item && isExpected(item)) yield item;
      else hasOthers ||= item !== null;
    }
    if (hasOthers) yield { damage: { file: path, member: number, bytes: 0, events: null, isTorn: false } };
  }
}

/** Returns the conversation of an event or a row; null for a row without a conversation. */
function getConversationId({ event, row }: HistoryItem): string | null {
  if (event) return event.conversationId;
  return row?.table === 'conversation' ? String(row.key) : null;
}

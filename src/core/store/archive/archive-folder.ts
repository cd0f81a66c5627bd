/** The files of the archive: one for each conversation, one for rows without a conversation, and the marks of missing appends. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Id } from '#contract/ids.ts';
import { codeOf } from '../../base/errors.ts';
import { syncFolder } from '../durable-files.ts';

/** Name of the archive in the data folder. */
export const ARCHIVE = 'archive';

const ENDING = '.jsonl.gz';

export function conversationFile(folder: string, conversationId: string): string {
  return join(folder, `${conversationId}${ENDING}`);
}

export function rowsFile(folder: string): string {
  return join(folder, `rows${ENDING}`);
}

/** Returns the ids of archived conversations, in the order of their creation; ignores files with other names. */
export async function listArchivedConversations(folder: string): Promise<string[]> {
  const names = (await listNames(folder)).filter((name) => name.endsWith(ENDING));
  return names
    .map((name) => name.slice(0, -ENDING.length))
    .filter((id) => Id.safeParse(id).success)
    .sort();
}

/** Deletes the file of a conversation, and versions of it that were set aside. */
export async function deleteConversationFiles(folder: string, conversationId: string): Promise<void> {
  const names = (await listNames(folder)).filter((name) => name.startsWith(`${conversationId}.`));
  for (const name of names) await rm(join(folder, name), { force: true });
  if (names.length > 0) await syncFolder(folder);
}

async function listNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

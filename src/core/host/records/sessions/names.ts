/** Names of a session's folder and files, and the links between them. */
import type { ConversationRow, RunRow } from '#contract/view.ts';
import { redact } from '#core/base/redact.ts';
import { slugOf } from '#core/base/text.ts';
import { code } from '../markdown-parts.ts';

export const SESSION_FILE = 'session.md';
export const METADATA_FILE = 'metadata.json';

/** Random digits of an id, which keep sessions of the same day and title apart. */
const UNIQUE = 12;

/** `YYYY-MM-DD-description-ID`; nothing of it changes after the first message. */
export function folderNameOf({
  createdAt,
  title,
  firstTitle = title,
  id,
}: Pick<ConversationRow, 'createdAt' | 'title' | 'firstTitle' | 'id'>) {
  return [createdAt.slice(0, 10), slugOf(redact(firstTitle)) || 'session', id.slice(-UNIQUE)].join('-');
}

/** `{agent}-{task}.md`. */
export function agentFileOf({ agent, id }: Pick<RunRow, 'agent' | 'id'>): string {
  return `${slugOf(agent) || 'agent'}-${id.slice(-UNIQUE)}.md`;
}

/** Whether a file in a session's folder belongs to the program; all others belong to the person. */
export function isOwnFile(name: string): boolean {
  return name === SESSION_FILE || name === METADATA_FILE || /^[a-z0-9-]+-[0-9a-f]{12}\.md$/.test(name);
}

/** As it is written in the folder of the note; code where a link could not hold its path. */
export function noteLink(path: string): string {
  return /[[\]|#^\n`]/.test(path) ? code(path) : `[[${path.replace(/\.md$/, '')}]]`;
}

/** Links include the folder, because every session has a file `session`. */
export function wikilink(folder: string, file: string, label?: string): string {
  const shown = label
    ?.replace(/[[\]|]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return `[[${folder}/${file.replace(/\.md$/, '')}${shown ? `|${shown}` : ''}]]`;
}

/** Unsent messages by conversation, kept in local storage across reloads and restarts. */

const PREFIX = 'triad-draft-';
/** The key of the conversation that is still to begin. */
export const NEW_DRAFT = 'new';

/** A try to send a message that the host has not answered. */
export interface SentTry {
  /** The id under which it went out. */
  id: string;
  /** Its words, as they stood in the box. */
  text: string;
  /** Ids of what was attached. */
  attached: string[];
  /** What was chosen with it. */
  choice: string;
}

export function readDraft(key: string): string {
  return localStorage.getItem(PREFIX + key) ?? '';
}

/** Where the storage is full nothing is kept: what stands in the box is the person's all the same. */
export function writeDraft(key: string, draft: string): void {
  try {
    if (draft === '') localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, draft);
  } catch {
    // Better an older draft after a restart than a message that cannot be written.
  }
}

/** The last one of a draft; null where it had an answer, or there was none. */
export function readTry(key: string): SentTry | null {
  const kept = readDraft(tryKey(key));
  try {
    // Nothing but tries is written there.
    return kept === '' ? null : (JSON.parse(kept) as SentTry);
  } catch {
    return null;
  }
}

export function writeTry(key: string, sent: SentTry | null): void {
  writeDraft(tryKey(key), sent === null ? '' : JSON.stringify(sent));
}

const tryKey = (key: string): string => `sent-${key}`;

/** Whether a change in the storage is one of this draft, or of its last try. */
export function changeOf(key: string, changed: string | null): 'draft' | 'try' | null {
  if (changed === PREFIX + key) return 'draft';
  return changed === PREFIX + tryKey(key) ? 'try' : null;
}

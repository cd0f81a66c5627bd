/** Unsent messages by conversation, kept in local storage across reloads and restarts. */

const PREFIX = 'triad-draft-';
/** The key of the conversation that is still to begin. */
export const NEW_DRAFT = 'new';

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

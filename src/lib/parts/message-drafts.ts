/** Unsent messages by conversation, kept in local storage across reloads and restarts. */

const PREFIX = 'triad-draft-';

export function readDraft(key: string): string {
  return localStorage.getItem(PREFIX + key) ?? '';
}

export function writeDraft(key: string, draft: string): void {
  if (draft === '') localStorage.removeItem(PREFIX + key);
  else localStorage.setItem(PREFIX + key, draft);
}

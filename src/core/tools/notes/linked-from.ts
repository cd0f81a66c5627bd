/** The words by which a lead is told in which earlier sessions a note was read or written. */
import type { NoteSession } from '../tool.ts';

/** More are only counted. */
const SHOWN = 3;

/** Null where there is none. */
export function linkedFrom(sessions: readonly NoteSession[] = []): string | null {
  if (sessions.length === 0) return null;
  const named = sessions.slice(0, SHOWN).map(({ id, title }) => `${JSON.stringify(title)} ${id}`);
  const more = sessions.length - named.length;
  return `linked from sessions: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

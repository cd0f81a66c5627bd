/** What of the person's words to a run none of its entries tells of. */
import type { Entry, Word } from '../message.ts';

/** `entries`: all of the run. It reads them before its next request, or never. */
export function unreadWords(said: readonly Word[] | null | undefined, entries: readonly Entry[]): Word[] {
  if (!said || said.length === 0) return [];
  const read = new Set(entries.flatMap((entry) => (entry.kind === 'user' ? (entry.said ?? []) : [])));
  return said.filter(({ id }) => !read.has(id));
}

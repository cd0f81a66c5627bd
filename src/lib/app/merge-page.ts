/** Merges a page of a list with the rows that are loaded. */

type IdOf<T> = (item: T) => string;

/** Adds a page at the end; rows that are loaded already are not added again. */
export function appended<T>(items: readonly T[], page: readonly T[], idOf: IdOf<T>): T[] {
  const known = new Set(items.map(idOf));
  return [...items, ...page.filter((item) => !known.has(idOf(item)))];
}

/**
 * Puts the first page, read again, before the rows below it. `below`: how many of those are kept; 0 where all of the
 * page is new.
 */
export function refreshed<T>(items: readonly T[], page: readonly T[], idOf: IdOf<T>): { items: T[]; below: number } {
  const ids = new Set(page.map(idOf));
  const oldest = page.at(-1);
  const end = oldest === undefined ? -1 : items.findIndex((item) => idOf(item) === idOf(oldest));
  // Rows that moved up stand in the page already.
  const below = end < 0 ? [] : items.slice(end + 1).filter((item) => !ids.has(idOf(item)));
  return { items: [...page, ...below], below: below.length };
}

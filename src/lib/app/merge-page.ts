/** How a page of a list goes together with what is loaded of it. */

type IdOf<T> = (item: T) => string;

/** With the page at the end; rows that moved meanwhile stand there once. */
export function appended<T>(items: readonly T[], page: readonly T[], idOf: IdOf<T>): T[] {
  const known = new Set(items.map(idOf));
  return [...items, ...page.filter((item) => !known.has(idOf(item)))];
}

/** With the first page read again; what was loaded below it stays, unless all of the page is new. */
export function refreshed<T>(items: readonly T[], page: readonly T[], idOf: IdOf<T>): { items: T[]; below: number } {
  const ids = new Set(page.map(idOf));
  const oldest = page.at(-1);
  const end = oldest === undefined ? -1 : items.findIndex((item) => idOf(item) === idOf(oldest));
  // Rows that moved up stand in the page already.
  const below = end < 0 ? [] : items.slice(end + 1).filter((item) => !ids.has(idOf(item)));
  return { items: [...page, ...below], below: below.length };
}

/** What of a list the palette shows for what was typed, best first. Pure. */

const plain = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** How well a text has all words of a query; null where it lacks one. A word that begins like it counts most. */
export function scoreOf(text: string, query: string): number | null {
  const among = plain(text);
  const starts = among.split(/[^\p{L}\p{N}]+/u);
  let score = 0;
  for (const word of plain(query).split(/\s+/).filter(Boolean)) {
    const at = among.indexOf(word);
    if (at < 0) return null;
    score += at === 0 ? 3 : starts.some((one) => one.startsWith(word)) ? 2 : 1;
  }
  return score;
}

/** At most `most`; equals keep their order. `textOf`: what is looked in. */
export function bestOf<T>(items: readonly T[], query: string, textOf: (item: T) => string, most: number): T[] {
  const scored = items.flatMap((item) => {
    const score = scoreOf(textOf(item), query);
    return score === null ? [] : [{ item, score }];
  });
  return scored
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ item }) => item);
}

/** What is called exactly as it was typed first, in its group and with it, whatever its kind; all else keeps its order. */
export function exactFirst<T, G extends { items: T[] }>(
  groups: readonly G[],
  query: string,
  namesOf: (item: T) => readonly string[],
): G[] {
  const asked = plain(query).trim();
  const isOther = (item: T): boolean => !namesOf(item).some((name) => plain(name).trim() === asked);
  const sorted = groups.map((group) => ({ ...group, items: sortedBy(group.items, isOther) }));
  return sortedBy(sorted, ({ items }) => items.every(isOther));
}

/** Those of which it is not so first. */
function sortedBy<T>(items: readonly T[], isLater: (item: T) => boolean): T[] {
  return items.toSorted((a, b) => Number(isLater(a)) - Number(isLater(b)));
}

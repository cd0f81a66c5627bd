/** "Did you mean": the known word that a mistyped one is nearest to. */

/** Maximum number of parts that are compared in every order. */
const MAX_PARTS = 3;

/**
 * Returns null when nothing is near: at most a third of the letters (and one in any case) may differ. The parts of a
 * word may be in another order, as in `WriteDatabase` for `DatabaseWrite`; a word in its own order goes first.
 */
export function nearest(word: string, known: readonly string[]): string | null {
  const own = findNearest(word.toLowerCase(), known, (candidate) => candidate.toLowerCase());
  if (own) return own.candidate;
  const reordered = reorderParts(word).flatMap(
    (spelling) => findNearest(spelling, known, (candidate) => splitParts(candidate).join('')) ?? [],
  );
  return reordered.sort((a, b) => a.distance - b.distance)[0]?.candidate ?? null;
}

function findNearest(
  typed: string,
  known: readonly string[],
  spell: (candidate: string) => string,
): { candidate: string; distance: number } | null {
  let best: { candidate: string; distance: number } | null = null;
  let least = Math.max(1, Math.floor(typed.length / 3)) + 1;
  for (const candidate of known) {
    const word = spell(candidate);
    // So many letters differ at least.
    if (Math.abs(typed.length - word.length) >= least) continue;
    const distance = editDistance(typed, word, least);
    if (distance >= least) continue;
    least = distance;
    best = { candidate, distance };
  }
  return best;
}

/** Returns the parts of a name such as `WriteDatabase`, `write_file` or `max-turns`, in lower case. */
function splitParts(word: string): string[] {
  const spaced = word.replaceAll(/(\p{Ll})(?=\p{Lu})/gu, '$1 ').toLowerCase();
  return spaced.split(/[^\p{L}\p{N}]+/u).filter((part) => part !== '');
}

/** Returns the other orders of a word's parts, without separators. The order of a dotted path has a meaning, so it has none. */
function reorderParts(word: string): string[] {
  const parts = word.includes('.') ? [] : splitParts(word);
  return parts.length < 2 || parts.length > MAX_PARTS ? [] : permute(parts).slice(1);
}

function permute(parts: readonly string[]): string[] {
  if (parts.length < 2) return [...parts];
  return parts.flatMap((part, index) => permute(parts.toSpliced(index, 1)).map((rest) => part + rest));
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one word into the other; Infinity from `most` on. */
function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > 40) return Infinity;
  let older: number[] = [];
  let old = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let value = Math.min(old[j]! + 1, row[j - 1]! + 1, old[j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) value = Math.min(value, older[j - 2]! + 1);
      row.push(value);
    }
    // No later row has less.
    if (Math.min(...row) >= most) return Infinity;
    older = old;
    old = row;
  }
  return old[b.length]!;
}

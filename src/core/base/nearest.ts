/** "Did you mean": the known word that a mistyped one is nearest to. */

/** Null when nothing is near: at most a third of the letters (and one in any case) may differ. */
export function nearest(word: string, known: readonly string[]): string | null {
  const typed = word.toLowerCase();
  let best: string | null = null;
  let least = Math.max(1, Math.floor(typed.length / 3)) + 1;
  for (const candidate of known) {
    const word = candidate.toLowerCase();
    // So many letters differ at least.
    if (Math.abs(typed.length - word.length) >= least) continue;
    const distance = editDistance(typed, word, least);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
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

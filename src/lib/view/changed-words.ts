/** Which words of a text are not in another version of it. Pure, and bounded: long texts are compared less exactly, not longer. */

export interface Span {
  start: number;
  end: number;
}

/** Most pairs of words that are compared one by one: a few milliseconds. */
const MOST_PAIRS = 250_000;

/** Neighbours as one span. Of what changed in texts too long for it, only words that the other has nowhere. */
export function changedWords(text: string, other: string): Span[] {
  const [mine, theirs] = [wordsIn(text), wordsIn(other)];
  const [a, b] = [mine.map(({ word }) => word), theirs.map(({ word }) => word)];
  let from = 0;
  while (from < a.length && from < b.length && a[from] === b[from]) from += 1;
  let [endA, endB] = [a.length, b.length];
  while (endA > from && endB > from && a[endA - 1] === b[endB - 1]) [endA, endB] = [endA - 1, endB - 1];
  const [middle, against] = [a.slice(from, endA), b.slice(from, endB)];
  const kept = middle.length * against.length <= MOST_PAIRS ? keptOf(middle, against) : knownOf(middle, b);
  return joined(
    mine.slice(from, endA).filter((_, at) => !kept[at]),
    text,
  );
}

function wordsIn(text: string): (Span & { word: string })[] {
  return [...text.matchAll(/[\p{L}\p{N}]+/gu)].map(({ 0: word, index }) => ({
    word: word.toLowerCase(),
    start: index,
    end: index + word.length,
  }));
}

/** Of each word whether it belongs to the longest sequence that both have. */
function keptOf(a: readonly string[], b: readonly string[]): boolean[] {
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] =
        a[i] === b[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
  const kept = a.map(() => false);
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) {
      kept[i] = true;
      [i, j] = [i + 1, j + 1];
    } else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) i += 1;
    else j += 1;
  }
  return kept;
}

function knownOf(a: readonly string[], b: readonly string[]): boolean[] {
  const known = new Set(b);
  return a.map((word) => known.has(word));
}

/** Spans with nothing but blanks between them are one. */
function joined(spans: readonly Span[], text: string): Span[] {
  const all: Span[] = [];
  for (const { start, end } of spans) {
    const last = all.at(-1);
    if (last && /^\s*$/.test(text.slice(last.end, start))) last.end = end;
    else all.push({ start, end });
  }
  return all;
}

/** Highlights words on the page by the CSS Custom Highlight API: ranges of text are painted, the DOM stays as it is. */
import type { Attachment } from 'svelte/attachments';

/** Highlight names in the style sheet: all matches, and the current one. */
const FOUND = 'found';
const CURRENT = 'found-here';

/** The distinct words of a search, in lower case. */
export function searchWordsOf(text: string): string[] {
  return [
    ...new Set(
      text
        .toLowerCase()
        .split(/\s+/)
        .filter((word) => word !== ''),
    ),
  ];
}

/** Block elements: no match crosses their edges, and no word. */
export const BLOCKS = 'p, li, td, th, pre, dt, dd, div, button, summary, header, footer, h1, h2, h3, h4, h5, h6';

/** Ranges of all matches below an element, in document order; a match may span inline elements. `words`: lower case. */
export function matchingRanges(root: Node, words: readonly string[]): Range[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const ranges: Range[] = [];
  let block: Element | null = null;
  let texts: Text[] = [];
  const flush = (): void => {
    ranges.push(...rangesIn(texts, words));
    texts = [];
  };
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (!(node instanceof Text)) continue;
    const own: Element | null = node.parentElement?.closest(BLOCKS) ?? null;
    if (own !== block) flush();
    block = own;
    texts.push(node);
  }
  flush();
  return ranges;
}

/** Matches in adjacent text nodes, read as one text. */
function rangesIn(texts: readonly Text[], words: readonly string[]): Range[] {
  const starts: number[] = [];
  let length = 0;
  for (const { data } of texts) {
    starts.push(length);
    length += data.length;
  }
  const matches = matchesIn(texts.map(({ data }) => data).join(''), words);
  return matches.flatMap(([start, end]) => rangeAcross(texts, starts, start, end) ?? []);
}

/** From `start` to `end` of the text that these nodes make; `starts`: where each of them begins in it. */
export function rangeAcross(
  texts: readonly Text[],
  starts: readonly number[],
  start: number,
  end: number,
): Range | null {
  const at = (offset: number): [Text, number] | null => {
    const index = starts.findLastIndex((one) => one <= offset);
    const node = texts[index];
    return node ? [node, offset - (starts[index] ?? 0)] : null;
  };
  const first = at(start);
  const last = at(end - 1);
  if (!first || !last) return null;
  const range = document.createRange();
  range.setStart(...first);
  range.setEnd(last[0], last[1] + 1);
  return range;
}

/**
 * Matches of words in a text as `[start, end)` in UTF-16 code units, sorted and without overlap. `words`: lower case.
 */
export function matchesIn(text: string, words: readonly string[]): [number, number][] {
  const lower = text.toLowerCase();
  // Letters that change their length (`İ`) would shift what comes after them.
  if (lower.length !== text.length) return [];
  const places = words.flatMap((word) => {
    const found: [number, number][] = [];
    for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length)) {
      found.push([at, at + word.length]);
    }
    return found;
  });
  let end = 0;
  return places.sort((a, b) => a[0] - b[0] || b[1] - a[1]).filter((place) => place[0] >= end && (end = place[1]) > 0);
}

/** Attachment that keeps all matches below an element highlighted while its content changes. */
export function highlightWords(words: readonly string[]): Attachment<HTMLElement> {
  return (root) => {
    if (words.length === 0) return undefined;
    const mark = (): void => void CSS.highlights.set(FOUND, new Highlight(...matchingRanges(root, words)));
    mark();
    root.dataset['highlights'] = '';
    const observer = new MutationObserver(mark);
    observer.observe(root, { childList: true, characterData: true, subtree: true });
    return () => {
      observer.disconnect();
      delete root.dataset['highlights'];
      CSS.highlights.delete(FOUND);
    };
  };
}

/** Highlights the current match; null clears it. */
export function highlightCurrent(range: Range | null): void {
  if (range === null) return void CSS.highlights.delete(CURRENT);
  const current = new Highlight(range);
  // Above all matches, of which it is one, whichever were painted last.
  current.priority = 1;
  CSS.highlights.set(CURRENT, current);
}

/** Marks words on the page where they stand, without a change to it: the browser paints ranges of text. */
import type { Attachment } from 'svelte/attachments';

/** Names under which the style sheet knows the paint. */
const FOUND = 'found';
const CURRENT = 'found-here';

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

/** Elements that set a text apart: nothing is found across their edges. */
const BLOCKS = 'p, li, td, th, pre, dt, dd, div, button, summary, header, footer, h1, h2, h3, h4, h5, h6';

/** Where any of the words stand below an element, in order; a word may begin in bold and end plain. */
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

/** In texts that are read as one. */
function rangesIn(texts: readonly Text[], words: readonly string[]): Range[] {
  const starts: number[] = [];
  let length = 0;
  for (const { data } of texts) {
    starts.push(length);
    length += data.length;
  }
  const at = (offset: number): [Text, number] | null => {
    const index = starts.findLastIndex((start) => start <= offset);
    const node = texts[index];
    return node ? [node, offset - (starts[index] ?? 0)] : null;
  };
  return matchesIn(texts.map(({ data }) => data).join(''), words).flatMap(([start, end]) => {
    const first = at(start);
    const last = at(end - 1);
    if (!first || !last) return [];
    const range = document.createRange();
    range.setStart(...first);
    range.setEnd(last[0], last[1] + 1);
    return [range];
  });
}

/** Places of words in a text, in order, as ranges of code units that do not overlap. */
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

/** Keeps the words marked below an element, whatever comes and goes there. */
export function highlightWords(words: readonly string[]): Attachment<HTMLElement> {
  return (root) => {
    if (words.length === 0) return undefined;
    const mark = (): void => void CSS.highlights.set(FOUND, new Highlight(...matchingRanges(root, words)));
    mark();
    const observer = new MutationObserver(mark);
    observer.observe(root, { childList: true, characterData: true, subtree: true });
    return () => {
      observer.disconnect();
      CSS.highlights.delete(FOUND);
    };
  };
}

/** Marks one place among those that are marked; null: none. */
export function highlightCurrent(range: Range | null): void {
  if (range === null) CSS.highlights.delete(CURRENT);
  else CSS.highlights.set(CURRENT, new Highlight(range));
}

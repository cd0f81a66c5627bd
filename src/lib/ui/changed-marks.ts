/** Marks the words of a rendered text that another version of it has not, once the text comes into view. */
import type { Attachment } from 'svelte/attachments';
import { changedWords } from '#lib/view/changed-words.ts';
import { BLOCKS, rangeAcross } from './text-matches.ts';

const CHANGED = 'changed';

/** `otherOf`: Markdown of the other version, asked for when it is needed; null: nothing is marked. */
export function markChanges(otherOf: () => string | null): Attachment<HTMLElement> {
  return (root) => {
    let marked: Range[] = [];
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      const other = otherOf();
      if (other === null) return;
      marked = changesBelow(root, other);
      root.dataset['highlights'] = '';
      const all = CSS.highlights.get(CHANGED) ?? new Highlight();
      for (const range of marked) all.add(range);
      CSS.highlights.set(CHANGED, all);
    });
    observer.observe(root);
    return () => {
      observer.disconnect();
      delete root.dataset['highlights'];
      const all = CSS.highlights.get(CHANGED);
      for (const range of marked) all?.delete(range);
      if (all?.size === 0) CSS.highlights.delete(CHANGED);
    };
  };
}

/** Code is coloured later, by other nodes, and left out. */
function changesBelow(root: Element, other: string): Range[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  const starts: number[] = [];
  let [whole, block]: [string, Element | null] = ['', null];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!(node instanceof Text) || parent?.closest('pre, .sr-only')) continue;
    const own = parent?.closest(BLOCKS) ?? null;
    if (own !== block) whole += '\n';
    block = own;
    texts.push(node);
    starts.push(whole.length);
    whole += node.data;
  }
  return changedWords(whole, other).flatMap(({ start, end }) => rangeAcross(texts, starts, start, end) ?? []);
}

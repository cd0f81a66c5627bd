/** What a block of HTML became by more words at its end: they are added to its last element, and nothing is built anew. */

export interface Growth {
  /** How many last elements, one in the other, lead from that of the block to the one that the text belongs into. */
  depth: number;
  text: string;
}

/** The ends of elements that hold words, and the line breaks between them. */
const ENDS = /(?:<\/(?:blockquote|code|h[1-6]|li|ol|p|pre|table|tbody|td|th|thead|tr|ul)>\n*)+$/;

const CHARACTERS: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

/** Null where the new HTML is more, or other, than the old one with text in its innermost last element. */
export function growthOf(before: string, after: string): Growth | null {
  const [ends = ''] = ENDS.exec(before) ?? [];
  const start = before.slice(0, before.length - ends.length);
  if (ends === '' || after.length < before.length || !after.startsWith(start) || !after.endsWith(ends)) return null;
  const text = textOf(after.slice(start.length, after.length - ends.length));
  return text === null ? null : { depth: ends.split('</').length - 2, text };
}

/** The words of a block that is a paragraph without markup; null for every other one. */
export function wordsOf(html: string): string | null {
  const [, words] = /^<p>([^<]*)<\/p>\n$/.exec(html) ?? [];
  return words === undefined ? null : textOf(words);
}

/** Null for markup, and for characters that a browser reads in its own way. */
function textOf(html: string): string | null {
  if (/[<\0\r]/.test(html)) return null;
  const text = html.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => CHARACTERS[entity] ?? '');
  return html.replace(/&(?:amp|lt|gt|quot|#39);/g, '').includes('&') ? null : text;
}

/** Adds the text to the element of a block. */
export function grow(block: Element, { depth, text }: Growth): void {
  let element = block;
  for (let level = 0; level < depth; level += 1) element = element.lastElementChild ?? element;
  if (element.lastChild instanceof Text) element.lastChild.appendData(text);
  else element.append(text);
}

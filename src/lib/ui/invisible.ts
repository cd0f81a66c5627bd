/** Characters that cannot be seen or that turn text around, made visible so that nothing hides in a question. */

/** First and last code point of each range that is replaced by a mark. */
const HIDDEN: readonly (readonly [number, number])[] = [
  [0x0000, 0x0008], // controls, except tab and line feed
  [0x000b, 0x001f],
  [0x007f, 0x009f],
  [0x00ad, 0x00ad], // soft hyphen
  [0x034f, 0x034f], // joiners and fillers
  [0x061c, 0x061c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f], // zero widths and direction marks
  [0x2028, 0x202e], // separators, embeddings and overrides
  [0x2060, 0x206f], // isolates
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f], // variation selectors
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff], // tags and more selectors
];

export interface RevealedSegment {
  text: string;
  /** Whether `text` is a mark in place of a hidden character. */
  marked: boolean;
}

/** Splits a text into segments, with each hidden character as a mark such as `⟦U+202E⟧`; CRLF line ends are kept. */
export function reveal(text: string): RevealedSegment[] {
  const segments: RevealedSegment[] = [];
  let plain = '';
  let at = 0;
  for (const character of text) {
    at += character.length;
    const endOfLine = character === '\r' && text[at] === '\n';
    if (endOfLine || !isHidden(character)) {
      plain += character;
      continue;
    }
    if (plain !== '') segments.push({ text: plain, marked: false });
    segments.push({ text: markOf(character), marked: true });
    plain = '';
  }
  if (plain !== '') segments.push({ text: plain, marked: false });
  return segments;
}

export function countHidden(text: string): number {
  return reveal(text).filter(({ marked }) => marked).length;
}

function isHidden(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return HIDDEN.some(([first, last]) => code >= first && code <= last);
}

function markOf(character: string): string {
  return `⟦U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟧`;
}

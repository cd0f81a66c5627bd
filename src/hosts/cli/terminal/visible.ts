/** Makes text of models, tools and files safe to show: nothing in it can hide, reorder or command the terminal. */
import { revealControls, getTrailingMarks, visibleText } from '#contract/visible-text.ts';

/** C0 without tab and line feed, DEL, C1; C1 holds one-character forms of escape sequences. */
// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** For names, and for what a person decides about: marks as on a page. Line ends and tabs stay. */
export function visible(text: string): string {
  return visibleText(text.replaceAll('\r\n', '\n'));
}

/** A whole text on one line. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Makes running text safe: shows control characters, and cuts stacks of marks. Keeps the marks of all writing systems. */
export function harmless(text: string): string {
  return revealControls(text)
    .replaceAll('\r\n', '\n')
    .replace(CONTROL, (character) => {
      const code = character.charCodeAt(0);
      if (code < 0x20) return String.fromCharCode(0x2400 + code);
      return code === 0x7f ? '␡' : `⟦U+${code.toString(16).toUpperCase().padStart(4, '0')}⟧`;
    });
}

/** Returns `harmless` for a text that arrives in parts. Counts marks that stack across parts. */
export function createPartFilter(): (part: string) => string {
  let marks = '';
  return (part) => {
    const text = marks + part;
    const shown = harmless(text).slice(marks.length);
    marks = getTrailingMarks(text);
    return shown;
  };
}

/** Makes text of models, tools and files safe to show: nothing in it can hide, reorder or command the terminal. */

/** Code points that reorder, join or show nothing. */
const HIDDEN: readonly (readonly [first: number, last: number])[] = [
  [0xad, 0xad], // soft hyphen
  [0x34f, 0x34f], // combining grapheme joiner
  [0x61c, 0x61c], // Arabic letter mark
  [0x115f, 0x1160], // Hangul fillers
  [0x17b4, 0x17b5], // Khmer inherent vowels
  [0x180b, 0x180f], // Mongolian selectors and vowel separator
  [0x200b, 0x200f], // zero-width characters, direction marks
  [0x2028, 0x202e], // line and paragraph separators, direction overrides
  [0x2060, 0x206f], // word joiner, invisible operators, isolates
  [0x2800, 0x2800], // empty Braille pattern
  [0x3164, 0x3164], // Hangul filler
  [0xfe00, 0xfe0f], // variation selectors
  [0xfeff, 0xfeff], // byte order mark
  [0xffa0, 0xffa0], // half-width Hangul filler
  [0xfff9, 0xfffb], // interlinear annotations
  [0x1bca0, 0x1bca3], // shorthand controls
  [0x1d173, 0x1d17a], // musical controls
  [0xe0000, 0xe0fff], // tags, further selectors
];
/** C0 without tab and line feed, DEL, C1; C1 holds one-character forms of escape sequences. */
// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/** Characters of which an emoji may be made: there a joiner and a selector hide nothing. */
const EMOJI = /[\p{Emoji_Presentation}\p{Extended_Pictographic}\p{Emoji_Modifier}]/u;
const JOINER = '\u200d';
const EMOJI_SELECTOR = '\ufe0f';

/** For what a person decides about: a character that cannot be seen is shown by its name. Line ends and tabs stay. */
export function visible(text: string): string {
  return harmless(text).replace(/[\u0080-\u{10ffff}]/gu, (character, offset: number, whole: string) => {
    const code = character.codePointAt(0)!;
    const hides = HIDDEN.some(([first, last]) => code >= first && code <= last);
    return hides && !isInEmoji(character, offset, whole) ? named(code) : character;
  });
}

/** For running text on a terminal: control characters lose their power, other writing systems keep their marks. */
export function harmless(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(CONTROL, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? '␡' : named(code);
  });
}

const named = (code: number) => `‹U+${code.toString(16).toUpperCase().padStart(4, '0')}›`;

function isInEmoji(character: string, offset: number, whole: string): boolean {
  if (character !== JOINER && character !== EMOJI_SELECTOR) return false;
  const before = [...whole.slice(Math.max(0, offset - 4), offset)];
  if (before.at(-1) === EMOJI_SELECTOR) before.pop();
  if (!EMOJI.test(before.at(-1) ?? '')) return false;
  if (character === EMOJI_SELECTOR) return true;
  return EMOJI.test(String.fromCodePoint(whole.codePointAt(offset + 1) ?? 0));
}

/** Splits a text into words for the search, without case and accents, with their positions. */

export interface Word {
  word: string;
  start: number;
  end: number;
}

/** Letters and digits with their marks; characters of scripts without word breaks, and emoji, one by one. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Extended_Pictographic}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}\p{M}])+/gu;
const ASCII = /^\p{ASCII}*$/u;
/** Letters with a stroke and ligatures, which Unicode normalization does not decompose. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
};
/** Characters at which a word is cut: nobody types longer ones, and a file of one line must not fill the index. */
const MAX_WORD = 64;

/** Without case and accents. */
export function plain(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const bare = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return bare.replace(/[ßæœøđðþłħı]/g, (letter) => LETTERS[letter] ?? letter);
}

export function* wordsOf(text: string): Generator<Word> {
  for (const match of text.matchAll(WORD)) {
    const word = plain(match[0]).slice(0, MAX_WORD);
    if (word !== '') yield { word, start: match.index, end: match.index + match[0].length };
  }
}

/** A parsed query: all of `words`, and a word that begins with `prefix`. */
export interface Terms {
  words: readonly string[];
  prefix: string | null;
}

/** Shortest prefix: shorter ones match too many words. */
const MIN_PREFIX = 2;
const MOST_WORDS = 32;

/** Parses a query. Its last word is a prefix unless something follows it. Null if there is no word. */
export function termsIn(text: string): Terms | null {
  const all = [...wordsOf(text)];
  const last = all.at(-1);
  if (!last) return null;
  const open = last.end === text.length && last.word.length >= MIN_PREFIX;
  const words = new Set((open ? all.slice(0, -1) : all).map(({ word }) => word));
  return { words: [...words].slice(0, MOST_WORDS), prefix: open ? last.word : null };
}

/** Positions of the words in the text; null unless it contains all of them. */
export function hitsIn(text: string, { words, prefix }: Terms): Word[] | null {
  // A quick check that rules most texts out, ten times faster.
  const whole = plain(text);
  if (![...words, prefix ?? ''].every((word) => whole.includes(word))) return null;
  const missing = new Set(words);
  const wanted = new Set(words);
  let begun = prefix === null;
  const hits: Word[] = [];
  for (const found of wordsOf(text)) {
    const begins = prefix !== null && found.word.startsWith(prefix);
    if (!begins && !wanted.has(found.word)) continue;
    begun ||= begins;
    missing.delete(found.word);
    hits.push(found);
  }
  return begun && missing.size === 0 ? hits : null;
}

/** Code units of a snippet. */
const SNIPPET = 240;

/** One line of text in which most of the words stand, in its middle, with the hits as ranges in it. */
export function snippetOf(
  text: string,
  hits: readonly Pick<Word, 'start' | 'end'>[],
): { snippet: string; hits: { start: number; end: number }[] } {
  const [first, last] = closest(text, hits);
  const around = Math.max(0, SNIPPET - (last - first)) / 2;
  const from = atWord(text, Math.max(0, Math.floor(first - around)), first);
  let to = Math.min(text.length, Math.max(from + SNIPPET, last));
  if (isLow(text, to)) to -= 1;
  const lead = from > 0 ? '…' : '';
  // Keeps the length, so that the ranges stay valid.
  const line = text.slice(from, to).replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ');
  const shift = lead.length - from;
  const within = hits
    .filter(({ end }) => end <= to)
    .map(({ start, end }) => ({ start: start + shift, end: end + shift }));
  return { snippet: `${lead}${line}${to < text.length ? '…' : ''}`, hits: within };
}

/** From the start of the first to the end of the last of those hits that have the most different words in a snippet. */
function closest(text: string, hits: readonly Pick<Word, 'start' | 'end'>[]): [start: number, end: number] {
  const words = hits.map(({ start, end }) => plain(text.slice(start, end)));
  const most = new Set(words).size;
  let best = { count: 0, from: 0, to: 0 };
  for (const [index, { start: from, end: own }] of hits.entries()) {
    if (best.count === most) break;
    const seen = new Set<string>();
    let to = own;
    for (const [at, { end }] of hits.slice(index, index + SNIPPET).entries()) {
      const word = words[index + at] ?? '';
      if (at > 0 && end - from > SNIPPET) break;
      if (!seen.has(word)) to = end;
      seen.add(word);
    }
    if (seen.size > best.count) best = { count: seen.size, from, to };
  }
  return [best.from, best.to];
}

/** The next word boundary at or after `place`, at most `limit`. */
function atWord(text: string, place: number, limit: number): number {
  if (place === 0) return 0;
  const space = text.slice(place, limit).search(/\s/);
  if (space >= 0) return place + space + 1;
  return isLow(text, place) ? place + 1 : place;
}

function isLow(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff;
}

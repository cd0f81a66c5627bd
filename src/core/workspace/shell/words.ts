/** Words of a shell as they are written, and what they come to. */
import { singleQuoted } from '../../base/text.ts';

/** What runs can't be told: nothing is listed then. */
export class Untold extends Error {}

export function untold(why: string): never {
  throw new Untold(why);
}

export interface Word {
  /** As it is written. */
  raw: string;
  /** What it comes to; null where only a running shell can tell. */
  text: string | null;
  /** Without its quotes, with expansions as they are written. */
  shown: string;
  /** Whether it may become several words, or none. */
  splits: boolean;
}

/** What an expansion stands for in a text: where it ends, by where it begins. */
export type Expansions = ReadonlyMap<number, number>;

/** A word that is there as such, without quotes. */
export function constant(text: string): Word {
  return { raw: text, text, shown: text, splits: false };
}

/** What ends a word, or is more than one, where it isn't quoted. */
const OUTSIDE = /[\s;&|<>()]/;
/** What begins an expansion behind a `$`. */
const EXPANDS = /[A-Za-z0-9_@*#?$!({[-]/;

/** The word that is written from `start` to `end`: it must be one, with each of its expansions among those given. */
export function readWord(source: string, start: number, end: number, expansions: Expansions): Word {
  const raw = source.slice(start, end);
  if (raw === '' || raw.startsWith('#')) untold('a word is none');
  let text = '';
  let [fixed, splits, opened] = [true, false, false];
  for (let at = start; at < end;) {
    const char = source[at]!;
    const past = expansions.get(at);
    if (past !== undefined) {
      text += source.slice(at, past);
      [fixed, splits] = [false, true];
      at = past;
    } else if (char === "'") {
      const close = source.indexOf("'", at + 1);
      text += source.slice(at + 1, close < 0 ? end : close);
      at = close < 0 ? end + 1 : close + 1;
    } else if (char === '"') {
      const quoted = readQuoted(source, at + 1, expansions, '"');
      text += quoted.text;
      fixed &&= quoted.fixed;
      at = quoted.end + 1;
    } else if (char === '$' && source[at + 1] === "'") {
      const escaped = readEscaped(source, at + 2);
      text += escaped.text;
      at = escaped.end + 1;
    } else if (char === '\\') {
      if (at + 1 >= end) untold('a word ends with "\\"');
      if (source[at + 1] !== '\n') text += source[at + 1];
      at += 2;
    } else {
      if (OUTSIDE.test(char) || char === '`' || (char === '$' && /["]/.test(source[at + 1] ?? '')))
        untold('a word is several');
      if (char === '$' && at + 1 < end && EXPANDS.test(source[at + 1]!)) untold('an expansion is none');
      if (opened && (char === ',' || source.startsWith('..', at))) untold('braces are expanded');
      opened ||= char === '{';
      // What matches file names is known only where they are.
      if (/[*?[]/.test(char)) [fixed, splits] = [false, true];
      text += char;
      at++;
    }
    if (at > end) untold('a quote is open');
  }
  return { raw, text: fixed ? text : null, shown: text, splits };
}

/** Up to a closing quote, or to the end of a text that is read like what stands in quotes. */
export function readQuoted(
  source: string,
  start: number,
  expansions: Expansions,
  close: '"' | '',
): { text: string; fixed: boolean; end: number } {
  let text = '';
  let fixed = true;
  let at = start;
  for (; at < source.length && source[at] !== close; at++) {
    const char = source[at]!;
    const past = expansions.get(at);
    if (past !== undefined) {
      text += source.slice(at, past);
      fixed = false;
      at = past - 1;
    } else if (char === '\\' && '$`"\\\n'.includes(source[at + 1] ?? ' ')) {
      at++;
      if (source[at] !== '\n') text += source[at];
    } else {
      if (char === '`' || (char === '$' && EXPANDS.test(source[at + 1] ?? ' '))) untold('an expansion is none');
      text += char;
    }
  }
  return { text, fixed, end: at };
}

const ESCAPES: Record<string, string> = {
  a: '\x07',
  b: '\b',
  e: '\x1B',
  E: '\x1B',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
const NUMBERS = /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3}))/y;

/** Up to the quote that closes `$'`. Only ASCII can be written as a number: of what is above bash makes bytes. */
function readEscaped(source: string, start: number): { text: string; end: number } {
  let text = '';
  let at = start;
  while (at < source.length && source[at] !== "'") {
    if (source[at] !== '\\') {
      text += source[at++];
      continue;
    }
    NUMBERS.lastIndex = at;
    const number = NUMBERS.exec(source);
    if (number) {
      const code =
        number[4] === undefined ? parseInt(number[1] ?? number[2] ?? number[3]!, 16) : parseInt(number[4], 8);
      if (code === 0 || code > 0x7e) untold('a character is written as a number');
      text += String.fromCharCode(code);
      at += number[0].length;
    } else {
      const char = source[at + 1] ?? '';
      const plain = ESCAPES[char] ?? (/[\\'"?]/.test(char) ? char : char === 'v' ? '\v' : null);
      text += plain ?? untold('an escape is unusual');
      at += 2;
    }
  }
  return { text, end: at };
}

/** What means the same to a shell with and without quotes. */
const PLAIN = /^[\p{L}\p{M}\p{N}_@%+=:,./-]+$/u;
/** The same, and where what is not known is put in. */
const WITH_MARK = /^[\p{L}\p{M}\p{N}_@%+=:,./{}-]+$/u;
/** Words of `find`, which everybody has to quote: behind a program's name no part of a line looks like one of them. */
const SIGN = /^[;()!]$/;

/** A text as a shell reads it as this text and nothing else. */
export function quoted(text: string): string {
  return PLAIN.test(text) ? text : singleQuoted(text);
}

/**
 * Words as one text, which a shell reads as these words again: `'*'` is another one than `*`. What was not quoted stands as
 * it is written.
 */
export function written(words: readonly Word[]): string {
  return words
    .map(({ text, raw }, index) => {
      if (text === null || raw === text) return raw;
      return index > 0 && SIGN.test(text) ? text : quoted(text);
    })
    .join(' ');
}

/** Words in which `{}` stands for what is not known, and `;` for an end. */
export function withMarks(words: readonly Word[]): Word[] {
  return words.map((word) => (word.text?.includes('{}') && WITH_MARK.test(word.text) ? constant(word.text) : word));
}

/** Words in which both stand for themselves, as for a program that runs no other. */
export function withoutMarks(words: readonly Word[]): Word[] {
  return words.map((word) =>
    word.text === ';' || word.text?.includes('{}') ? { ...word, raw: quoted(word.text), text: null } : word,
  );
}

/** A word of which `{}` is not known; `shown`: as it is written. */
export function unknown(text: string, shown: string): Word {
  return { raw: WITH_MARK.test(text) ? text : quoted(text), text: null, shown, splits: false };
}

/** Words as one text without any quotes around them: what denies must not be passed by because of a blank in a word. */
export function unquoted(words: readonly Word[]): string {
  return words.map(({ shown }) => shown).join(' ');
}

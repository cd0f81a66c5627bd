/** Patterns of rules and grants: `*`, `**`, `?`, `{a,b}`, and `\` before a character that stands for itself. */

/** `path`: `*` and `?` stop at a `/`. `loose`: ignores case. */
export interface MatchOptions {
  path: boolean;
  loose: boolean;
}

type Token =
  | { kind: 'char'; char: string }
  | { kind: 'one' }
  | { kind: 'some' }
  | { kind: 'any' }
  | { kind: 'folders' };

/** Most alternatives of one pattern, and most characters of all of them together. */
const MAX_ALTERNATIVES = 64;
const MAX_WRITTEN_OUT = 4096;

/** Whether a pattern matches a whole text. Takes time in proportion to the product of their lengths, for any input. */
export function matches(pattern: string, text: string, { path, loose }: MatchOptions): boolean {
  const fold = (value: string): string => (loose ? value.normalize('NFC').toLowerCase() : value.normalize('NFC'));
  const chars = [...fold(text)];
  return alternativesOf(fold(pattern)).some((one) => matchesOne(tokensOf(one), chars, path));
}

/** What is wrong with a pattern over paths, as the end of a sentence; null where nothing is. */
export function patternFault(pattern: string): string | null {
  if (pattern.startsWith('/') || /^[a-z]:/i.test(pattern))
    return 'must be relative to the project folder, without "/" at its beginning';
  if (pattern.split('/').includes('..')) return 'must not have ".." in it';
  const alternatives = alternativesOf(pattern);
  if (alternatives.length > MAX_ALTERNATIVES)
    return `has too many alternatives in "{…}": at most ${MAX_ALTERNATIVES} in all`;
  if (alternatives.reduce((sum, { length }) => sum + length, 0) > MAX_WRITTEN_OUT)
    return `is too long: with each of its alternatives written out, at most ${MAX_WRITTEN_OUT} characters`;
  return null;
}

/** A pattern that matches this text and nothing else. */
export function escapePattern(text: string): string {
  return text.replace(/[\\*?{},]/g, (char) => `\\${char}`);
}

/** `**` and a slash, at the beginning or behind a slash, stand for any folders, or for none. */
function tokensOf(pattern: string): Token[] {
  const tokens: Token[] = [];
  const chars = [...pattern];
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at]!;
    if (char === '\\' && at + 1 < chars.length) tokens.push({ kind: 'char', char: chars[++at]! });
    else if (char === '?') tokens.push({ kind: 'one' });
    else if (char !== '*') tokens.push({ kind: 'char', char });
    else if (chars[at + 1] !== '*') tokens.push({ kind: 'some' });
    else {
      const isFirst = at === 0 || chars[at - 1] === '/';
      while (chars[at + 1] === '*') at++;
      const isFolders = isFirst && chars[at + 1] === '/';
      if (isFolders) at++;
      // `**/**/` means the same as `**/`.
      if (!isFolders || tokens.at(-1)?.kind !== 'folders') tokens.push({ kind: isFolders ? 'folders' : 'any' });
    }
  }
  return tokens;
}

function matchesOne(tokens: readonly Token[], text: readonly string[], path: boolean): boolean {
  const least = tokens.filter(({ kind }) => kind === 'char' || kind === 'one').length;
  if (least > text.length) return false;
  // `reached[n]`: the tokens so far can match the first n characters.
  let reached = Array.from({ length: text.length + 1 }, (_, length) => length === 0);
  for (const token of tokens) {
    let begun = false;
    const next: boolean[] = [];
    for (let at = 0; at <= text.length; at++) {
      const char = text[at - 1];
      const isSlash = path && char === '/';
      if (token.kind === 'char') next[at] = at > 0 && reached[at - 1]! && char === token.char;
      else if (token.kind === 'one') next[at] = at > 0 && reached[at - 1]! && !isSlash;
      else if (token.kind === 'folders') next[at] = reached[at]! || (begun && char === '/');
      else next[at] = reached[at]! || (at > 0 && next[at - 1]! && !(token.kind === 'some' && isSlash));
      begun ||= reached[at]!;
    }
    reached = next;
  }
  return reached[text.length]!;
}

/** One pattern for each choice of `{…}`. An unclosed group is literal; beyond `MAX_ALTERNATIVES` the list is cut. */
export function alternativesOf(pattern: string): string[] {
  const whole = bracesOf(pattern);
  if (!whole) return [pattern];
  const { start, end, parts } = whole;
  const found: string[] = [];
  for (const part of parts) {
    found.push(...alternativesOf(pattern.slice(0, start) + part + pattern.slice(end + 1)));
    if (found.length > MAX_ALTERNATIVES) break;
  }
  return found;
}

/** The first innermost group that has a comma. */
function bracesOf(pattern: string): { start: number; end: number; parts: string[] } | null {
  let start = -1;
  let commas: number[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === '\\') at++;
    else if (char === '{') {
      start = at;
      commas = [];
    } else if (char === ',' && start >= 0) commas.push(at);
    else if (char === '}' && start >= 0) {
      if (commas.length === 0) {
        start = -1;
        continue;
      }
      const cuts = [start, ...commas, at];
      return {
        start,
        end: at,
        parts: cuts.slice(1).map((cut, index) => pattern.slice(cuts[index]! + 1, cut)),
      };
    }
  }
  return null;
}

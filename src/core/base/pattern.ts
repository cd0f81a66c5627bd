/** Patterns of rules and grants: `*`, `**`, `?`, `{a,b}`, and `\` before a character that stands for itself. */

/** `path`: `*` and `?` stop at a `/`. `loose`: ignores case. */
export interface MatchOptions {
  path: boolean;
  loose: boolean;
}

/** A character that stands for itself, or one of these. */
type Token = string | { wild: 'one' | 'some' | 'any' | 'folders' };
const ONE: Token = { wild: 'one' };
const SOME: Token = { wild: 'some' };
const ANY: Token = { wild: 'any' };
const FOLDERS: Token = { wild: 'folders' };

/** Most alternatives of one pattern, and most characters of all of them together. */
const MAX_ALTERNATIVES = 64;
const MAX_WRITTEN_OUT = 4096;

/** Whether a pattern matches a whole text. Takes time in proportion to the product of their lengths, for any input. */
export function matches(pattern: string, text: string, options: MatchOptions): boolean {
  return matching([pattern], text, options).length > 0;
}

/** Those of the patterns that match a whole text, each as `matches` says. */
export function matching(patterns: readonly string[], text: string, { path, loose }: MatchOptions): string[] {
  const chars = [...folded(text, loose)];
  return patterns.filter((pattern) => compiled(pattern, loose).some((tokens) => matchesOne(tokens, chars, path)));
}

/** Marks a position in a text at which a word may also start or end. It is no character of the text. */
export const BREAK = '\n';
/** Characters of a shell line between words, and quotes: a pattern is compared with the words alone. */
const BETWEEN_WORDS = /[;&|()`\s]/;
const QUOTES = /["'\\]/;

/** Returns whether a pattern matches any words of a text that follow each other. Ignores case and quotes; a text may have `BREAK`. */
export function matchesWords(pattern: string, text: string): boolean {
  const chars: string[] = [];
  const [starts, ends] = [new Set([0]), new Set<number>()];
  for (const char of folded(text, true)) {
    if (char === ' ' || char === BREAK) ends.add(chars.length);
    if (char !== BREAK) chars.push(char);
    if (char === ' ' || char === BREAK) starts.add(chars.length);
  }
  ends.add(chars.length);
  return compiled(pattern, true).some((tokens) =>
    reach(wordTokens(tokens), chars, false, [...starts]).some((at) => ends.has(at)),
  );
}

function wordTokens(tokens: readonly Token[]): Token[] {
  return tokens
    .filter((token) => typeof token !== 'string' || !QUOTES.test(token))
    .map((token) => (typeof token === 'string' && BETWEEN_WORDS.test(token) ? ' ' : token))
    .filter((token, index, all) => token !== ' ' || all[index - 1] !== ' ');
}

function folded(text: string, loose: boolean): string {
  return loose ? text.normalize('NFC').toLowerCase() : text.normalize('NFC');
}

/** Most patterns that are kept compiled, and the longest of them: every call is held against all rules. */
const MAX_KEPT = 2000;
const MAX_KEPT_LENGTH = 200;
const kept = { loose: new Map<string, Token[][]>(), exact: new Map<string, Token[][]>() };

/** Tokens of each alternative. */
function compiled(pattern: string, loose: boolean): Token[][] {
  const known = loose ? kept.loose : kept.exact;
  const before = known.get(pattern);
  if (before) return before;
  const alternatives = alternativesOf(folded(pattern, loose)).map(tokensOf);
  if (pattern.length > MAX_KEPT_LENGTH) return alternatives;
  if (known.size >= MAX_KEPT) known.clear();
  known.set(pattern, alternatives);
  return alternatives;
}

/** The only text that a pattern matches; null where it has wildcards or alternatives. */
export function literalOf(pattern: string): string | null {
  const [only, ...others] = alternativesOf(pattern);
  const tokens = tokensOf(only ?? '');
  return others.length === 0 && tokens.every((token) => typeof token === 'string') ? tokens.join('') : null;
}

/** What is wrong with a pattern over paths, as the end of a sentence; null where nothing is. */
export function patternFault(pattern: string): string | null {
  if (pattern.startsWith('/') || /^[a-z]:/i.test(pattern))
    return 'must be relative to the project folder, without "/" at its beginning';
  if (pattern.split('/').includes('..')) return 'must not have ".." in it';
  return alternativesFault(pattern);
}

/** The same of any pattern: what is beyond these bounds would be left out of it in silence. */
export function alternativesFault(pattern: string): string | null {
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

/** The least that matches all of these texts. */
export function patternOf(texts: readonly string[]): string {
  const values = texts.map(escapePattern);
  return values.length === 1 ? values[0]! : `{${values.join(',')}}`;
}

/** `**` and a slash, at the beginning or behind a slash, stand for any folders, or for none. */
function tokensOf(pattern: string): Token[] {
  const tokens: Token[] = [];
  const chars = [...pattern];
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at]!;
    if (char === '\\' && at + 1 < chars.length) tokens.push(chars[++at]!);
    else if (char === '?') tokens.push(ONE);
    else if (char !== '*') tokens.push(char);
    else if (chars[at + 1] !== '*') tokens.push(SOME);
    else {
      const isFirst = at === 0 || chars[at - 1] === '/';
      while (chars[at + 1] === '*') at++;
      const isFolders = isFirst && chars[at + 1] === '/';
      if (isFolders) at++;
      // `**/**/` means the same as `**/`.
      if (!isFolders || tokens.at(-1) !== FOLDERS) tokens.push(isFolders ? FOLDERS : ANY);
    }
  }
  return tokens;
}

function matchesOne(tokens: readonly Token[], text: readonly string[], path: boolean): boolean {
  return reach(tokens, text, path, [0]).at(-1) === text.length;
}

/** Returns the positions at which the tokens can end if they start at one of `starts`, in order, each once. */
function reach(
  tokens: readonly Token[],
  text: readonly string[],
  path: boolean,
  starts: readonly number[],
): readonly number[] {
  let reached = starts;
  for (const token of tokens) {
    reached =
      typeof token === 'string'
        ? reached.filter((at) => text[at] === token).map(next)
        : after(token, reached, text, path);
    if (reached.length === 0) return [];
  }
  return reached;
}

const next = (at: number): number => at + 1;

function after(
  token: Exclude<Token, string>,
  reached: readonly number[],
  text: readonly string[],
  path: boolean,
): number[] {
  const isSlash = (at: number): boolean => path && text[at] === '/';
  if (token === ONE) return reached.filter((at) => at < text.length && !isSlash(at)).map(next);
  const found: number[] = [];
  if (token === SOME) {
    for (const from of reached) {
      // What can be reached from there is found already.
      if (from <= (found.at(-1) ?? -1)) continue;
      found.push(from);
      for (let at = from; at < text.length && !isSlash(at); at++) found.push(at + 1);
    }
    return found;
  }
  const first = reached[0]!;
  for (let at = first, index = 0; at <= text.length; at++) {
    const isReached = reached[index] === at;
    if (isReached) index++;
    if (isReached || token === ANY || (at > first && text[at - 1] === '/')) found.push(at);
  }
  return found;
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

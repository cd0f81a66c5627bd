/**
 * Text in which nothing hides, the same for pages, desktop, terminal and engine: what cannot be seen, turns text around or
 * only looks like something else stands as a mark, and long empty stretches as their length. Pure.
 */

/** `hidden`: characters that cannot be seen; `mixed`: the scripts of the word before it; `gap`: an empty stretch. */
export interface Piece {
  kind: 'plain' | 'hidden' | 'mixed' | 'gap';
  /** What is shown. */
  text: string;
  /** Characters, words, or lines or spaces for which it stands. */
  count: number;
}

/**
 * Maximum number of marks that are shown on one letter. More marks cover the lines around. Everyday writing has at most
 * five marks without a width (Hebrew with accents, Burmese).
 */
const MAX_MARKS = 5;
const STACKING_MARK = '[[\\p{Mn}\\p{Me}]--\\p{Default_Ignorable_Code_Point}]';
/** A mark without a width, or an invisible character between marks. */
const MARK = '[\\p{Mn}\\p{Me}\\u200B-\\u200F\\u2060-\\u2064\\uFEFF]';

/** From so many on, blank lines in a row are shown as their number; the same for spaces and tabs. */
const BLANK_LINES = 4;
const SPACES = 40;

/** Scripts in everyday use (UAX #31, table 5). A word with a letter of one of them must be of that one alone. */
const SCRIPTS = [
  ...['Latin', 'Cyrillic', 'Greek', 'Arabic', 'Armenian', 'Bengali', 'Bopomofo', 'Devanagari', 'Ethiopic'],
  ...['Georgian', 'Gujarati', 'Gurmukhi', 'Han', 'Hangul', 'Hebrew', 'Hiragana', 'Kannada', 'Katakana', 'Khmer'],
  ...['Lao', 'Malayalam', 'Myanmar', 'Oriya', 'Sinhala', 'Tamil', 'Telugu', 'Thaana', 'Thai', 'Tibetan'],
];
/** Scripts that are written within one word, with Latin too: "Tシャツ", "PC방", "READMEを読む". */
const EAST_ASIAN = ['Han', 'Hiragana', 'Katakana', 'Bopomofo', 'Hangul'];

/** Expressions over the tables of Unicode take milliseconds to build: each is built where it is first needed. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

const cjk = EAST_ASIAN.map((script) => `\\p{scx=${script}}`).join('');
/** The letters of these, with what is common to all scripts. */
const only = (...scripts: string[]) => `[\\p{scx=Common}\\p{scx=Inherited}\\p{M}\\p{N}${scxOf(scripts)}]+`;
const scxOf = (scripts: readonly string[]) => scripts.map((script) => `\\p{scx=${script}}`).join('');

const ofOneScript = once(
  () => new RegExp(`^(?:${[...SCRIPTS.map((script) => only(script)), only('Latin', ...EAST_ASIAN)].join('|')})$`, 'v'),
);
const inEverydayUse = once(() => new RegExp(`[${scxOf(SCRIPTS)}]`, 'v'));
const scriptLetters = once(() => SCRIPTS.map((script) => ({ script, letter: new RegExp(`\\p{sc=${script}}`, 'v') })));

/**
 * What shows nothing, reorders, or is up to a font: controls (line feed and tab are none), formats, selectors, tags,
 * private and unassigned characters, halves of pairs, blanks that are no letters, and spaces other than the usual one.
 */
const HIDDEN =
  '[[\\p{Default_Ignorable_Code_Point}\\p{Bidi_Control}\\p{Variation_Selector}\\p{C}\\p{Z}' +
  '\\u2800\\u{1D159}\\uFFFC]--[\\t\\n\\r ]]';

/** The same of text that is ASCII alone. */
const HIDDEN_IN_ASCII = '[\\0-\\x08\\v\\f\\x0E-\\x1F\\x7F]';
const ASCII = /^[\0-\x7F]*$/;

const STRETCHES = [`(?<lines>(?:^|(?<end>\\n))(?:[ \\t]*\\r?\\n){${BLANK_LINES},})`, `(?<spaces>[ \\t]{${SPACES},})`];
const hiddenAmong = (characters: string) => `(?<hidden>(?<one>${characters}|\\r(?!\\n))\\k<one>*)`;

/** The first that fits wins; between them is plain text. Most text is ASCII, and goes without the tables of Unicode. */
const foundInAscii = new RegExp([...STRETCHES, hiddenAmong(HIDDEN_IN_ASCII)].join('|'), 'gv');
const foundAnywhere = once(
  () =>
    new RegExp(
      [
        // Only there do joiners and selectors show something.
        '(?<emoji>(?=[\\p{Extended_Pictographic}\\p{Regional_Indicator}#*0-9])\\p{RGI_Emoji})',
        ...STRETCHES,
        // Indents Japanese paragraphs and stands between Chinese words.
        `(?<wide>(?<=[${cjk}])\\u3000|\\u3000(?=[${cjk}]))`,
        // One that does not break where French sets one: before signs, after «, between thousands and before their short names.
        '(?<french>[\\u00A0\\u202F](?=[;:!?»%$€])|(?<=«)[\\u00A0\\u202F]|' +
          '(?<=\\d)[\\u00A0\\u202F](?=\\d{3}(?!\\d)|(?:k|M|Md)(?!\\S)))',
        hiddenAmong(HIDDEN),
        '(?<word>\\p{L}[[\\p{L}\\p{M}\\p{N}]--\\p{Default_Ignorable_Code_Point}]*)',
      ].join('|'),
      'gv',
    ),
);

/** Matches the marks on one letter above the maximum. */
const excessMarks = once(() => new RegExp(`(?<=${STACKING_MARK}{${MAX_MARKS}})${STACKING_MARK}+`, 'gv'));

/** A text in pieces, each hidden character as a mark such as `⟦U+202E⟧`, ends of lines as they are. */
export function piecesOf(text: string): Piece[] {
  if (ASCII.test(text)) return splitPlainText(text);
  const pieces: Piece[] = [];
  let from = 0;
  for (const { index, 0: marks } of text.matchAll(excessMarks())) {
    pieces.push(...splitPlainText(text.slice(from, index)), stackPiece(marks));
    from = index + marks.length;
  }
  return [...pieces, ...splitPlainText(text.slice(from))];
}

/** Returns the pieces of a text without stacks of marks. */
function splitPlainText(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  const plainTo = (end: number): void => {
    if (end > from) pieces.push({ kind: 'plain', text: text.slice(from, end), count: 0 });
    from = end;
  };
  for (const match of text.matchAll(ASCII.test(text) ? foundInAscii : foundAnywhere())) {
    const { index, 0: found, groups = {} } = match;
    if (groups['hidden'] !== undefined) {
      plainTo(index);
      pieces.push(hiddenPiece(found));
    } else if (groups['lines'] !== undefined) {
      // The end of the line before and of the last blank one stay.
      const before = groups['end'] === undefined ? 0 : 1;
      plainTo(index + before);
      pieces.push(blankLines(found.split('\n').length - 1 - before));
      from = index + found.length - 1;
      continue;
    } else if (groups['spaces'] !== undefined) {
      plainTo(index);
      pieces.push({ kind: 'gap', text: `⋯ ${counted(found.length)} spaces ⋯`, count: found.length });
    } else if (groups['word'] !== undefined && mixesScripts(found)) {
      plainTo(index + found.length);
      pieces.push({ kind: 'mixed', text: `⟦mixes ${scriptsOf(found).join(' and ')}⟧`, count: 1 });
    } else continue;
    from = index + found.length;
  }
  plainTo(text.length);
  return pieces;
}

/** A text with its marks, for where there is one string only: titles, notifications, a terminal. */
export function visibleText(text: string): string {
  return piecesOf(text)
    .map((piece) => piece.text)
    .join('');
}

const lastMarks = once(() => new RegExp(`${MARK}{1,${MAX_MARKS}}$`, 'v'));

/** Matches characters that change the direction of text, and stacks of marks, with invisible characters between them. */
const foundInRunningText = once(() => {
  const control = '(?<control>(?<one>[\\u202A-\\u202E\\u2066-\\u2069])\\k<one>*)';
  return new RegExp(`${control}|(?<shown>${MARK}{${MAX_MARKS}})(?<marks>${MARK}+)`, 'gv');
});

/**
 * Makes visible what rearranges or covers running text: bidirectional embeddings, overrides and isolates, and marks that
 * stack on one letter. Leaves what writing systems and emoji need, such as joiners and the marks U+200E, U+200F and U+061C.
 */
export function revealControls(text: string): string {
  if (ASCII.test(text)) return text;
  return text.replaceAll(foundInRunningText(), (...match) => {
    const { control, shown, marks } = match.at(-1) as Record<'control' | 'shown' | 'marks', string | undefined>;
    return control === undefined ? `${shown}${stackPiece(marks ?? '').text}` : hiddenPiece(control).text;
  });
}

/** Returns the shown marks at the end of a text, which count for the text that follows. */
export function getTrailingMarks(text: string): string {
  if (ASCII.test(text)) return '';
  return lastMarks().exec(text)?.[0] ?? '';
}

/** Whether a text has characters that cannot be seen, or words that mix scripts. Empty stretches hide nothing by themselves. */
export function hasHidden(text: string): boolean {
  return piecesOf(text).some(({ kind }) => kind === 'hidden' || kind === 'mixed');
}

/** Lines (an end of line at the end begins none) and characters, as code points. */
export function lengthOf(text: string): { lines: number; characters: number } {
  let [lines, characters] = [0, 0];
  for (const character of text) {
    characters += 1;
    if (character === '\n') lines += 1;
  }
  return { lines: text === '' || text.endsWith('\n') ? lines : lines + 1, characters };
}

/** Such as "12 lines, 340 characters". */
export function lengthWords(text: string): string {
  const { lines, characters } = lengthOf(text);
  return `${counted(lines)} ${lines === 1 ? 'line' : 'lines'}, ${counted(characters)} ${characters === 1 ? 'character' : 'characters'}`;
}

/**
 * Lines with each long run of blank ones as one entry `{ gap }`. `blankAs` tells of a blank line what kind it is (a diff
 * has three); null of any other. A run is of one kind.
 */
export function foldBlankLines<T>(
  lines: readonly T[],
  blankAs: (line: T) => string | null,
): (T | { gap: Piece; first: T })[] {
  const folded: (T | { gap: Piece; first: T })[] = [];
  for (let at = 0; at < lines.length;) {
    const first = lines[at]!;
    const kind = blankAs(first);
    let end = at + 1;
    while (kind !== null && end < lines.length && blankAs(lines[end]!) === kind) end += 1;
    if (end - at >= BLANK_LINES) folded.push({ gap: blankLines(end - at), first });
    else folded.push(...lines.slice(at, end));
    at = end;
  }
  return folded;
}

function blankLines(count: number): Piece {
  return { kind: 'gap', text: `⋯ ${counted(count)} blank lines ⋯`, count };
}

/** A character as often as it stands there. */
function hiddenPiece(run: string): Piece {
  const code = run.codePointAt(0)!;
  const count = run.length / String.fromCodePoint(code).length;
  const times = count === 1 ? '' : ` ×${counted(count)}`;
  return { kind: 'hidden', text: `⟦U+${code.toString(16).toUpperCase().padStart(4, '0')}${times}⟧`, count };
}

/** Returns the piece that replaces marks above the maximum. */
function stackPiece(marks: string): Piece {
  const count = [...marks].length;
  return { kind: 'hidden', text: `⟦+${counted(count)} marks⟧`, count };
}

function mixesScripts(word: string): boolean {
  return /[^\0-\x7f]/.test(word) && !ofOneScript().test(word) && inEverydayUse().test(word);
}

function scriptsOf(word: string): string[] {
  const known = scriptLetters().flatMap(({ script, letter }) => (letter.test(word) ? [script] : []));
  return known.length > 1 ? known : [...known, 'another script'];
}

const counted = (count: number) => count.toLocaleString('en-US');

/** Strips the marks of Markdown and JSON from a text and maps ranges of it to the result. */

interface Range {
  start: number;
  end: number;
}
/** A range that is removed or replaced by `put`. */
interface Cut extends Range {
  put: string;
}

/**
 * Marks of Markdown around words: what opens them and the words are groups, the rest closes them. Lengths are
 * bounded: a file of one line must not be looked through again from each of its characters.
 */
const AROUND = [
  /(\*{2,3})(?=\S)((?:[^*\n]|\*(?!\*)){1,400}?)(?<=\S)\1/g,
  /(?<![\w*/])(\*)(?=[^\s*])([^*\n]{1,400}?)(?<=\S)\*(?![\w*])/g,
  /(?<![\w`])(_)(?=[^\s_])([^_\n]{1,400}?)(?<=\S)_(?![\w`])/g,
  /(~~)(?=\S)([^~\n]{1,400}?)(?<=\S)~~/g,
  /(!?\[)([^\]\n]{1,400})\]\([^()\s]{1,2000}\)/g,
];

/** Lines that are nothing but a mark: the fence of a code block, a rule. */
const LINES = [/^[ \t]*(?:`{3,}|~{3,})[^\n`]*$/gm, /^(?=[^\n]*[-*_=]{2})[ \t|:*_=+-]+$/gm];
/** What a line begins with: quoted, in a list, done or to do, a heading. */
const BEGIN = /^[ \t]*(?:>[ \t]?)*(?:[*+-][ \t]+(?:\[[ xX]\][ \t]+)?)?(?:#{1,6}[ \t]+)?/gm;
const ITEM = /[*+-]/;
const CODE = /`+/g;

const TABLE_ROW = /^[ \t]*\|[^\n]*$/gm;
const JSON_BEGIN = /^\s*(?:\{\s*"|\[\s*["[{])/;
const JSON_TOKEN = /"(?:[^"\\]|\\[^])*"?|[[\]{},:]/g;
const ESCAPE = /\\[nrt"\\/]/g;

/** The text without marks. `kept`: sorted ranges that stay unchanged, returned at their new places. */
export function plainText(text: string, kept: readonly Range[]): { text: string; kept: Range[] } {
  const blocks = JSON_BEGIN.test(text) ? jsonCuts(text) : blockCuts(text);
  const cuts = chosen([...blocks, ...around(text), ...cutsOf(text, CODE, () => '')], kept);
  let [plain, at, cut] = ['', 0, 0];
  const upTo = (place: number): number => {
    for (let next = cuts[cut]; next && next.start < place; next = cuts[(cut += 1)]) {
      plain += text.slice(at, next.start) + next.put;
      at = next.end;
    }
    plain += text.slice(at, place);
    at = place;
    return plain.length;
  };
  const moved = kept.map(({ start, end }) => ({ start: upTo(start), end: upTo(end) }));
  upTo(text.length);
  return { text: plain, kept: moved };
}

/** The cuts to make, sorted: pairs of marks go together, no two overlap, and none touches a kept range. */
function chosen(marks: readonly Cut[][], kept: readonly Range[]): Cut[] {
  const held = new Uint8Array(kept.at(-1)?.end ?? 0);
  for (const { start, end } of kept) held.fill(1, start, end);
  const isKept = ({ start, end }: Cut): boolean => held.subarray(start, end).includes(1);
  const cuts = marks.filter((cut) => !cut.some(isKept)).flat();
  let end = 0;
  return cuts
    .sort((a, b) => a.start - b.start || b.end - a.end)
    .filter((cut) => cut.start >= end && (end = cut.end) > 0);
}

function around(text: string): Cut[][] {
  return AROUND.flatMap((mark) =>
    [...text.matchAll(mark)].map(({ index, 0: all, 1: open = '', 2: words = '' }) => {
      const inner = index + open.length;
      return [
        { start: index, end: inner, put: '' },
        { start: inner + words.length, end: index + all.length, put: '' },
      ];
    }),
  );
}

function blockCuts(text: string): Cut[][] {
  const lines = LINES.flatMap((line) => cutsOf(text, line, () => ''));
  const begins = cutsOf(text, BEGIN, (mark) => (ITEM.test(mark) ? '• ' : ''));
  const rows = [...text.matchAll(TABLE_ROW)].map(({ index, 0: row }) =>
    cutsOf(row, /\|/g, (_, at) => (row.slice(0, at).trim() === '' || row.slice(at + 1).trim() === '' ? '' : '·'))
      .flat()
      .map(({ start, end, put }) => ({ start: start + index, end: end + index, put })),
  );
  return [...lines, ...begins, ...rows];
}

/** Keeps names and values, removes the punctuation of JSON; the text may be cut off. */
function jsonCuts(text: string): Cut[][] {
  return [...text.matchAll(JSON_TOKEN)].flatMap(({ index, 0: token }): Cut[][] => {
    const end = index + token.length;
    if (token === ',' || token === ':') return [[{ start: index, end, put: `${token} ` }]];
    if (!token.startsWith('"')) return [[{ start: index, end, put: '' }]];
    const closed = token.length > 1 && token.endsWith('"') ? [[{ start: end - 1, end, put: '' }]] : [];
    const escapes = cutsOf(token, ESCAPE, ([, letter = '']) => ('nrt'.includes(letter) ? ' ' : letter));
    const inside = escapes.map((group) =>
      group.map(({ put, ...cut }) => ({ start: cut.start + index, end: cut.end + index, put })),
    );
    return [[{ start: index, end: index + 1, put: '' }], ...inside, ...closed];
  });
}

/** One for each non-empty match of the pattern. */
function cutsOf(text: string, pattern: RegExp, put: (mark: string, at: number) => string): Cut[][] {
  return [...text.matchAll(pattern)].flatMap(({ index, 0: mark }): Cut[][] =>
    mark === '' ? [] : [[{ start: index, end: index + mark.length, put: put(mark, index) }]],
  );
}

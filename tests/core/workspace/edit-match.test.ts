/** An edit changes what it names, where only one place can be meant, and nothing else. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256 } from '#core/base/hash.ts';
import { applyEdits, type Edit } from '#core/workspace/edit-match.ts';
import { Work } from '#core/workspace/edit-lines.ts';
import { samples } from '../../support/samples.ts';

const edit = (oldText: string, newText: string, replaceAll?: boolean): Edit => ({ oldText, newText, replaceAll });

/** How it was found and what came of it, or the refusal. */
function outcome(text: string, ...edits: Edit[]): readonly [string, string] {
  try {
    const done = applyEdits(text, edits);
    return [done.matches.map(({ kind }) => kind).join(), done.text];
  } catch (error) {
    return ['refused', error instanceof Error ? error.message : String(error)];
  }
}

const CODE = 'class A {\n\tsum(a, b) {\n\t\treturn a + b;\n\t}\n}\n';
const LONG = 'const total = items.map((item) => item.price).reduce((a, b) => a + b, 0);';

describe('an edit that is applied', () => {
  test.for<[string, string, Edit[], string, string]>([
    ['a piece of a line', 'a b c', [edit('b', 'x')], 'exact', 'a x c'],
    ['each edit in the text of the one before', 'a', [edit('a', 'b'), edit('b', 'c')], 'exact,exact', 'c'],
    ['every exact place', 'a.a.a', [edit('a', 'bb', true)], 'exact', 'bb.bb.bb'],
    ['dollars as they are', 'a', [edit('a', '$&$1')], 'exact', '$&$1'],
    ['a mark at the beginning stays', '\uFEFFa\n', [edit('a', 'b')], 'exact', '\uFEFFb\n'],
    ['also where it was quoted', '\uFEFFa\n', [edit('\uFEFFa', '\uFEFFb')], 'exact', '\uFEFFb\n'],
    ['new lines as all others are', 'a\r\nb\r\n', [edit('a', 'x\ny')], 'exact', 'x\r\ny\r\nb\r\n'],
    ['where all are not alike, as given', 'a\r\nb\n', [edit('a', 'x\ny')], 'exact', 'x\ny\r\nb\n'],
    ['other line breaks', 'a\r\nb\r\nc', [edit('a\nb\n', 'x\ny\n')], 'whitespace', 'x\r\ny\r\nc'],
    ['no break at the end', 'a\r\nb', [edit('a\nb\n', 'a\nc\n')], 'whitespace', 'a\r\nc'],
    ['blanks at the end of lines', 'a  \nb\n', [edit('a\nb', 'a\nc')], 'whitespace', 'a  \nc\n'],
    [
      'deeper by the same',
      '    if (x) {\n      y();\n    }\n',
      [edit('if (x) {\n  y();\n}', 'if (x) {\n  y();\n    z();\n}')],
      'whitespace',
      '    if (x) {\n      y();\n        z();\n    }\n',
    ],
    [
      'less deep by the same',
      'if (x) {\n  y();\n}\n',
      [edit('    if (x) {\n      y();\n    }\n', '    if (x) {\n      z();\n        w();\n    }\n')],
      'whitespace',
      'if (x) {\n  z();\n    w();\n}\n',
    ],
    [
      'tabs for spaces',
      CODE,
      [edit('  sum(a, b) {\n    return a + b;\n  }', '  sum(a, b) {\n    const c = a + b;\n    return c;\n  }')],
      'whitespace',
      'class A {\n\tsum(a, b) {\n\t\tconst c = a + b;\n\t\treturn c;\n\t}\n}\n',
    ],
    ['of the line that changes', 'a\n\tb\n', [edit('a\nb\n', 'a\nc\n')], 'whitespace', 'a\n\tc\n'],
    [
      'as given, where the indents do not correspond',
      ' a\n   a\n x\n',
      [edit('a\na\n', 'b\nb\n')],
      'whitespace',
      'b\nb\n x\n',
    ],
    ['lines taken out', ' a\n b\n c\n', [edit('b\n', '')], 'exact', ' a\n  c\n'],
    ['lines taken out by their words', ' a\n b\n c\n', [edit('   b\n', '')], 'whitespace', ' a\n c\n'],
    [
      'the line that is most like it',
      `x\n  ${LONG}\ny\n`,
      [edit(LONG.replace('price', 'prize'), 'const total = 0;')],
      'fuzzy',
      'x\n  const total = 0;\ny\n',
    ],
    [
      'lines that are only repeated stay as they are in the file',
      `function f() { // really\n${LONG}\n}\n`,
      [edit(`function f() { // realy\n${LONG}\n}`, `function f() { // realy\nreturn 0;\n}`)],
      'fuzzy',
      'function f() { // really\nreturn 0;\n}\n',
    ],
  ])('%s', ([, text, edits, kinds, expected]) => {
    expect(outcome(text, ...edits)).toEqual([kinds, expected]);
  });
});

describe('an edit that is rejected with a reason', () => {
  test.for<[string, string, Edit[], string]>([
    ['nothing to look for', 'a', [edit('', 'x')], 'old_text is empty: give the text'],
    ['nothing to change', 'a', [edit('a', 'a')], 'are the same'],
    ['there and back', 'a', [edit('a', 'b'), edit('b', 'a')], 'change nothing'],
    ['half a character', '😀', [edit('\uD83D', 'x')], 'whole characters'],
    ['two places', 'a\nb\na', [edit('a', 'x')], 'fits 2 places, at the lines 1, 3: give more of the lines around'],
    ['places that overlap', 'aaa', [edit('aa', 'x')], 'fits 2 places'],
    [
      'very many places',
      'a\n'.repeat(2000),
      [edit('a', 'x')],
      'fits 1000 places or more, at the lines 1, 2, 3, 4, 5, 6, 7, 8, …',
    ],
    ['two places but for blanks', ' a\nb\n  a\n', [edit('a\t', 'x')], 'fits 2 places, at the lines 1, 3'],
    ['all places, but none is exact', ' ab\n', [edit('ab\t', 'x', true)], 'which replace_all needs'],
    ['two places that are as like', `${LONG}1\n${LONG}2\n`, [edit(`${LONG}3`, 'x')], 'not in the file'],
    ['a part of a line', `x = ${LONG}\n`, [edit(LONG.replace('price', 'prize'), 'x')], 'not in the file'],
    [
      'less at the end of a line',
      `${LONG}\n`,
      [edit(LONG.slice(0, -1).replace('price', 'prize'), 'x')],
      'not in the file',
    ],
    [
      'a line between that says something else',
      `${LONG}\nbreak;\n${LONG}2\n`,
      [edit(`${LONG}\ncontinue;\n${LONG}2`, 'x')],
      'not in the file',
    ],
    [
      'only like it a little',
      'let total = sum(a, b)\n',
      [edit('let total = add(c, d)', 'x')],
      'closest lines are:\n1: let total = sum(a, b)\nCopy',
    ],
    [
      'like it, but not enough',
      `${LONG}\n`,
      [edit(LONG.replace('price', 'weight').replace('reduce', 'fold'), 'x')],
      'closest lines are:\n1: const total',
    ],
    ['nothing like it', 'a\nb\n', [edit('Something else entirely', 'x')], 'nor anything like it: read the file'],
    ['only blanks', 'a\n\n\nb', [edit(' \n \n', 'x')], 'not in the file'],
    [
      'one of several',
      'a',
      [edit('a', 'b'), edit('c', 'd')],
      'Edit 2 of 2, so none was made: old_text is not in the file',
    ],
  ])('%s', ([, text, edits, says]) => {
    const [kind, words] = outcome(text, ...edits);
    expect(kind).toBe('refused');
    expect(words).toContain(says);
  });
});

const line = fc.oneof(
  fc.constantFrom('a', 'b', '', ' a', '\ta', 'a ', 'ü', '😀', '\uFEFF', LONG),
  fc.string({ maxLength: 6 }),
);
const text = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\r\n')), { maxLength: 12 })
  .map((lines) => lines.flat().join('').toWellFormed());

test('an edit at half of a CRLF line break leaves no single CR or LF', () => {
  const crlf = 'one\r\ntwo\r\nthree\r\n';
  const after = (old: string, fresh: string, more = {}) => applyEdits(crlf, [{ ...edit(old, fresh), ...more }]).text;
  expect(after('\ntwo', '\n2')).toBe('one\r\n2\r\nthree\r\n');
  expect(after('\ntwo', ' 2')).toBe('one 2\r\nthree\r\n');
  expect(after('\nt', ' t', { replaceAll: true })).toBe('one two three\r\n');
  // The inverse of an edit whose new text took the file's line breaks.
  const { text: there } = applyEdits('a\r\n', [edit('a', '\n \r\n')]);
  expect(applyEdits(there, [edit('\n \r\n', 'a')]).text).toBe('a\r\n');
});

test('an exact edit followed by its inverse restores every byte of the text', () => {
  // A mark that an edit puts at the beginning would count as one of the file.
  const piece = fc.tuple(
    text,
    fc.nat(),
    fc.nat(),
    text.map((fresh) => fresh.replaceAll('\uFEFF', '')),
  );
  let tried = 0;
  fc.assert(
    fc.property(piece, ([whole, from, length, fresh]) => {
      const start = from % (whole.length + 1);
      const old = whole.slice(start, start + 1 + (length % 40));
      // Half a line break at an end of the old text: the line break that the edit leaves is another one.
      const isCut =
        (old.startsWith('\n') && whole[start - 1] === '\r') ||
        (old.endsWith('\r') && whole[start + old.length] === '\n');
      const there = old === '' || isCut || old.startsWith('\uFEFF') ? null : quietly(whole, edit(old, fresh));
      const back = there?.matches[0]?.kind === 'exact' && fresh !== '' ? quietly(there.text, edit(fresh, old)) : null;
      if (back?.matches[0]?.kind !== 'exact') return;
      tried++;
      expect(back.text).toBe(whole);
    }),
    samples(150),
  );
  expect(tried).toBeGreaterThan(10);
});

test('an edit keeps every byte around its lines, and rejects two equally similar places', () => {
  const word = fc.stringMatching(/^[a-z]{6,12}( [a-z]{6,12}){3}$/);
  fc.assert(
    fc.property(text, text, word, fc.constantFrom('', 'x'), fc.nat(5), (before, behind, words, slip, at) => {
      // A word of its own, so that nothing else is like it.
      const place = `${words.slice(0, at)}${slip}${words.slice(at)}`;
      const asked = edit(`\t${words} \n`, 'NEW\n');
      const once = `${before}  ${place}\n${behind}`;
      const done = quietly(once, asked);
      if (done) expect([`${before}  NEW\n${behind}`, `${before}NEW\n${behind}`]).toContain(done.text);
      expect(quietly(`${once}\n${place}\n`, asked)).toBeNull();
    }),
    samples(60),
  );
});

function quietly(whole: string, one: Edit) {
  try {
    return applyEdits(whole, [one]);
  } catch {
    return null;
  }
}

describe('an edit in a large file', () => {
  const many = Array.from(
    { length: 24_000 },
    (_, n) => `  ${sha256(`${n}`).slice(0, 30)} = compute(other[${n * 7}]); // ${n} of many`,
  );
  const large = many.join('\n');
  const slip = (n: number): string => many[n]!.replace('compute', 'compote');

  test('finds a similar place with less work than three times the length of the file', () => {
    expect(large.length).toBeGreaterThan(1_500_000);
    const work = new Work();
    const { matches } = applyEdits(large, [edit(`${slip(9)}\n${slip(10)}`, 'x')], work);
    expect(matches).toEqual([{ kind: 'fuzzy', line: 10 }]);
    expect(work.done).toBeLessThan(3 * large.length);
  });

  test('is rejected if the search for similar text is too expensive, also over several edits', () => {
    const edits = many.slice(0, 20).map((_, n) => edit(slip(n), `x${n}`));
    const work = new Work(5_000_000);
    expect(() => applyEdits(large, edits, work)).toThrow('too much text to look for anything like it');
    expect(work.done).toBeLessThanOrEqual(5_000_000);
    expect(() => applyEdits('\n'.repeat(200_000), [edit('a\nb', 'x')])).toThrow('too much text');
    expect(applyEdits(large, [edit(many[5]!, 'x')], new Work(0)).matches).toEqual([{ kind: 'exact', line: 6 }]);
  });
});

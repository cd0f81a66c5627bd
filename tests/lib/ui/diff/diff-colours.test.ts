// A difference is coloured by the code of its sides, and never shows other text for it.
import { expect, test } from 'vitest';
import { coloursOf, endingOf, sidesOf } from '#lib/ui/diff/diff-colours.ts';
import { diffLines } from '#lib/ui/diff/diff-lines.ts';

const DIFF = '--- a/x.ts\n+++ b/src/x.ts\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n@@ -9,1 +9,2 @@\n nine\n+ten\n';
const lines = diffLines(DIFF);

test('the file extension selects the language', () => {
  expect(endingOf(DIFF)).toBe('ts');
  expect(endingOf('--- /dev/null\n+++ b/a.b/Makefile\n')).toBe('');
  expect(endingOf('It is too large to show.')).toBe('');
});

test('sidesOf returns the code of each side of each hunk', () => {
  expect(sidesOf(lines).map(({ code }) => code)).toEqual(['one\n2\nthree', 'one\ntwo\nthree', 'nine\nten']);
});

test('each line has the colours of its side', async () => {
  const asked: string[] = [];
  const colours = await coloursOf(sidesOf(lines), (code) => {
    asked.push(code);
    const light = `#${asked.length}`;
    return Promise.resolve(code.split('\n').map((text) => [{ text, light, dark: light }]));
  });
  const shown = lines.map((line) => [line.text, colours.get(line)?.[0]?.light]);
  expect(shown).toEqual([
    ['@@ -1,3 +1,3 @@', undefined],
    ['one', '#1'],
    ['two', '#2'],
    ['2', '#1'],
    ['three', '#1'],
    ['@@ -9,1 +9,2 @@', undefined],
    ['nine', '#3'],
    ['ten', '#3'],
  ]);
});

test('a line stays plain if its colours are for another text or unknown', async () => {
  const other = await coloursOf(sidesOf(lines), (code) =>
    Promise.resolve(code.split('\n').map((text) => [{ text: text.replace('two', 'too'), light: '#1', dark: '#1' }])),
  );
  expect(lines.filter((line) => line.kind !== 'place' && !other.has(line)).map(({ text }) => text)).toEqual(['two']);
  expect(await coloursOf(sidesOf(lines), () => Promise.resolve(null))).toEqual(new Map());
});

/** A place that was found reads as plain words, and what was found stands where it stood. */
import { expect, test } from 'vitest';
import { plainText } from '#core/store/search/plain-text.ts';
import { variations } from '../../../support/samples.ts';

/** The text as it is shown with the word in angle brackets wherever it was found. */
function shown(text: string, word = '\0'): string {
  const found = [...text.matchAll(new RegExp(word, 'g'))];
  const kept = found.map(({ index }) => ({ start: index, end: index + word.length }));
  const result = plainText(text, kept);
  return result.kept.reduceRight(
    (whole, { start, end }) => `${whole.slice(0, start)}‹${whole.slice(start, end)}›${whole.slice(end)}`,
    result.text,
  );
}

test('removes Markdown marks and keeps the words and the positions of hits', () => {
  expect(shown('## The **quick** `fox`\n\n- *jumps* over\n- [x] the ~~lazy~~ dog', 'quick')).toBe(
    'The ‹quick› fox\n\n• jumps over\n• the lazy dog',
  );
  expect(shown('> - ## One *by* one', 'One')).toBe('• ‹One› by one');
  expect(shown('foo**bar**baz ***both*** _once_', 'bar')).toBe('foo‹bar›baz both once');
  expect(shown('> See [the **guide**](https://example.com/guide) and ![a plan](map.png).', 'plan')).toBe(
    'See the guide and a ‹plan›.',
  );
  expect(shown('```ts\nconst sum = 1;\n```\n---\nend', 'sum')).toBe('\nconst ‹sum› = 1;\n\n\nend');
  expect(shown('| Place | State |\n|:--|--:|\n| hangar | open |', 'hangar')).toBe(
    ' Place · State \n\n ‹hangar› · open ',
  );
});

test('keeps text that only looks like a Markdown mark', () => {
  for (const text of [
    'src/**/*.ts and **/*.js',
    'a * b * c = 2',
    'snake_case_name and __init__.py',
    '#channel, C# and x#1',
    '[1] and f(x)',
    'a | b, 1 - 2, -5',
  ])
    expect(shown(text)).toBe(text);
});

test('keeps a whole mark that contains a hit', () => {
  expect(shown('[the guide](https://example.com/quokka) says **so**', 'quokka')).toBe(
    '[the guide](https://example.com/‹quokka›) says so',
  );
  expect(shown('```quokka\nx\n```', 'quokka')).toContain('‹quokka›\nx');
});

test('shows JSON as names and values, even if the JSON is cut off', () => {
  expect(shown('{"operation":"list_children","children":[{"name":"fox-finder","done":true}],"n":2}', 'fox')).toBe(
    'operation: list_children, children: name: ‹fox›-finder, done: true, n: 2',
  );
  expect(shown(String.raw`[{"text":"say \"hi\"\n**now**, {ok}: C:\\temp"`, 'hi')).toBe(
    String.raw`text: say "‹hi›" now, {ok}: C:\temp`,
  );
  expect(shown('{"text":"it goes on and', 'goes')).toBe('text: it ‹goes› on and');
  expect(shown('{ not: "JSON" }')).toBe('{ not: "JSON" }');
});

test('converts a long line of marks in little time', () => {
  for (const mark of variations(['*', '`', '![a](', '[', '_', '-', '|', '#', '> ', '{"', '~~', '**a '], 3))
    expect(plainText(mark.repeat(20_000 / mark.length), []).text.length).toBeLessThanOrEqual(40_000);
  expect(shown(`[${'"fox",'.repeat(3000)}`, 'fox')).toBe('‹fox›, '.repeat(3000));
});

/** What a search answers is looked at in bounds: it may be anything. */
import { expect, test } from 'vitest';
import { readAnswer } from '#core/tools/web/search-answer.ts';

test('reads only the first 500 results, and only the beginning of a long text', () => {
  const good = { url: 'https://example.org/', title: `${'x'.repeat(499)}😀 and more`, content: 'y'.repeat(100_000) };
  const many = JSON.stringify({ results: [good, ...Array.from({ length: 499 }, () => ({})), good] });
  expect(readAnswer(many, 8)).toEqual([{ url: good.url, title: 'x'.repeat(499), snippet: 'y'.repeat(500) }]);
});

test('takes the first text field of a result as one line, without the marks of the match', () => {
  const url = 'https://e.org/';
  const all = { url, snippet: 'one', content: 'two', description: 'three' };
  const snippets = (results: unknown[]) => readAnswer(JSON.stringify({ results }), 9)?.map(({ snippet }) => snippet);
  expect(snippets([all, { ...all, snippet: null }, { url, description: 'three' }, { url }])).toEqual([
    ...['one', 'two', 'three', ''],
  ]);
  expect(snippets([{ url, snippet: ' <b>a</b>  <em>b</em>\n<strong>c</strong> <i>d</i> ' }])).toEqual([
    'a b c <i>d</i>',
  ]);
  expect(snippets([{ url, snippet: 7, content: 'two' }, { url: 'ftp://e.org/' }, 1, null])).toEqual(['two']);
  expect(readAnswer(JSON.stringify({ results: [{ url, title: '<b>T</b>' }] }), 1)).toEqual([
    { title: 'T', url, snippet: '' },
  ]);
});

test.for(['', '{', 'null', '[]', '{"results":{}}', '{"type":"search","web":{}}', '{"type":"other"}'])(
  'returns no results for %j, which is not an answer of a search',
  (text) => {
    expect(readAnswer(text, 9)).toBeNull();
  },
);

/** What a search answers is looked at in bounds: it may be anything. */
import { expect, test } from 'vitest';
import { readAnswer } from '#core/tools/web/search-answer.ts';

test('of very many results only the first are looked at, and of a long text its beginning', () => {
  const good = { url: 'https://example.org/', title: `${'x'.repeat(499)}😀 and more`, content: 'y'.repeat(100_000) };
  const many = JSON.stringify({ results: [good, ...Array.from({ length: 499 }, () => ({})), good] });
  expect(readAnswer(many, 8)).toEqual([{ url: good.url, title: 'x'.repeat(499), snippet: 'y'.repeat(500) }]);
});

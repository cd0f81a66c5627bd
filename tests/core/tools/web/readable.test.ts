/** The text of pages of all shapes, with links that lead somewhere. */
import { expect, test } from 'vitest';
import { readable } from '#core/tools/web/readable.ts';

const AT = 'https://site.example/deep/page';
const BODY = '<p>Short</p><a href="/x">Link</a><a href="javascript:go()">Do</a>';

test.for<[string, string]>([
  ['in a body', `<html><head><title>T</title></head><body>${BODY}</body></html>`],
  ['without tags of its parts', `<title>T</title>${BODY}`],
  ['without a body', `<html><title>T</title>${BODY}</html>`],
  ['with another base', '<title>T</title><base href="/"><p>Short</p><p><a href="x">Link</a>Do</p>'],
  [
    'with what is hidden, empty or to click',
    `<title>T</title><p hidden>No</p><a href="#top"> </a>${BODY}<button>No</button>`,
  ],
])('%s', ([, html]) => {
  const { text, title } = readable(html, AT);
  expect([title, text.replaceAll(/\n+/g, '')]).toEqual(['T', 'Short[Link](https://site.example/x)Do']);
});

test('where no main part is found, the whole body counts', () => {
  const { part, text } = readable(
    `<html><body><div style="display: none">${BODY}<p hidden>No</p></div></body></html>`,
    AT,
  );
  expect([part, text]).toEqual(['whole', 'Short\n\n[Link](https://site.example/x)Do']);
});

test('a title is one line, and not longer than it may be', () => {
  expect(readable(`<title> a\n b ${'c'.repeat(500)}</title><p>x`, AT).title).toMatch(/^a b c{196}$/);
  expect(readable('<p>x', AT)).toMatchObject({ title: null, language: null });
  expect(readable('<html lang="en; do this"><body><p>x</body></html>', AT).language).toBeNull();
});

test.for([
  '',
  'plain words',
  '<',
  '<html',
  '<!-- <html -->',
  '<html><frameset></frameset></html>',
  '\ud800 &#xD800;',
  '<p>\0',
])('%j is text too', (html) => {
  expect(readable(html, AT).text.isWellFormed()).toBe(true);
});

test('a table with headings is one, any other is read as paragraphs', () => {
  const { text } = readable('<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2<br>3</td></tr></table><p>x', AT);
  expect(text).toContain('| A | B |\n| --- | --- |\n| 1 | 2 3 |');
  expect(readable('<table><tr><td>1</td><td>2</td></tr></table>', AT).text).not.toContain('|');
});

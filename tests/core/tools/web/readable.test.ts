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
])('extracts title, text and links of a page %s', ([, html]) => {
  const { text, title } = readable(html, AT);
  expect([title, text.replaceAll(/\n+/g, '')]).toEqual(['T', 'Short[Link](https://site.example/x)Do']);
});

test('uses the whole body if the page has no main part', () => {
  const { part, text } = readable(
    `<html><body><div style="display: none">${BODY}<p hidden>No</p></div></body></html>`,
    AT,
  );
  expect([part, text]).toEqual(['whole', 'Short\n\n[Link](https://site.example/x)Do']);
});

test('reduces the title to one line of at most 200 characters, and drops an invalid language', () => {
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
])('returns well-formed text for the input %j', (html) => {
  expect(readable(html, AT).text.isWellFormed()).toBe(true);
});

test('writes a table with headings as a Markdown table, and other tables as paragraphs', () => {
  const { text } = readable('<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2<br>3</td></tr></table><p>x', AT);
  expect(text).toContain('| A | B |\n| --- | --- |\n| 1 | 2 3 |');
  expect(readable('<table><tr><td>1</td><td>2</td></tr></table>', AT).text).not.toContain('|');
});

test('makes the addresses of links and pictures absolute, or leaves the address out', () => {
  const html = [
    ...['<a href="?x=1">query</a>', '<a href="">self</a>', '<a href="#a">part</a>', '<a href="mailto:a@b.c">mail</a>'],
    ...['<a href="/i"><img src="i.png" alt="In"></a>', '<img src="i.png">', '<img src="ftp://x/i" alt="ftp">'],
    ...['<img alt="none">', '<a>no address</a>', '<a href="/e">  </a>'],
  ];
  expect(readable(html.map((part) => `<p>${part}</p>`).join(''), AT).text.split('\n\n')).toEqual([
    ...[`[query](${AT}?x=1)`, `[self](${AT})`, `[part](${AT}#a)`, 'mail'],
    ...['[![In](https://site.example/deep/i.png)](https://site.example/i)'],
    ...[`![none](${AT})`, 'no address'],
  ]);
});

test('leaves out elements that a reader does not see as text', () => {
  const unread = ['script', 'style', 'noscript', 'template', 'iframe', 'object', 'canvas', 'svg', 'button', 'textarea'];
  const parts = unread.map((name) => `<${name}>hidden</${name}>`).join('');
  const html = `<p>a</p>${parts}<select><option>hidden</select><input value="hidden"><p hidden>hidden</p><p>b</p>`;
  expect(readable(html, AT).text).toBe('a\n\nb');
});

test('writes headings, lists, rules, code and tables as consistent Markdown', () => {
  const table =
    '<table><thead><tr><th>A</th></tr></thead><tbody><tr><td> x <br> y|z </td></tr></tbody>' +
    '<tfoot><tr><td><p>f</p></td></tr></tfoot></table>';
  const html = `<h2>T</h2><ul><li>i</li></ul><hr><pre><code>c</code></pre>${table}<p>end</p>`;
  expect(readable(html, AT).text).toBe(
    ['## T', '-   i', '---', '```\nc\n```', '| A |\n| --- |\n| x y\\|z |\n| f |', 'end'].join('\n\n'),
  );
  const outer = '<table><tr><th>No</th><td><table><tr><td>in</td><td>out</td></tr></table></td></tr></table>';
  expect(readable(`${outer}<p>x</p>`, AT).text).not.toContain('|');
});

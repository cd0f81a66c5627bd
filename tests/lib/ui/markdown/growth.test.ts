// Words at the end of a block are told from everything else that its HTML may become.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BlockReader } from '#lib/ui/markdown/blocks.ts';
import { growthOf, wordsOf } from '#lib/ui/markdown/growth.ts';
import { htmlOf } from '#lib/ui/markdown/html.ts';
import { samples } from '../../../support/samples.ts';

const escaped = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');

/** The HTML with a text at the end of the element that so many last elements lead to. */
function grown(html: string, depth: number, text: string): string {
  const ends = [...html.matchAll(/<\/[a-z0-9]+>/g)].slice(-depth - 1);
  const at = ends[0]?.index ?? 0;
  return `${html.slice(0, at)}${escaped(text)}${html.slice(at)}`;
}

const pieces = fc
  .array(
    fc.constantFrom(
      ...[
        'plain words',
        ' more',
        '.',
        ' **bold',
        '**',
        ' *em*',
        ' `code',
        '`',
        ' <b>',
        ' & ',
        '&copy;',
        '"quoted"',
        "it's",
        '\0',
      ],
      ...['\n', '\n\n', '- item', '  - deep', '1. one', '> quote', '| a | b |', '|---|---|', '# ', '![a](https://a.b)'],
      ...['https://example.org', '/path', ' [x](https://e.org)', '\\', '_a_', 'b', '  \n'],
    ),
    { maxLength: 16 },
  )
  .map((list) => list.join(''));

it('growthOf returns exactly the appended text, or null', () => {
  let grew = 0;
  fc.assert(
    fc.property(pieces, fc.integer({ min: 1, max: 6 }), (text, step) => {
      const reader = new BlockReader();
      const before: string[] = [];
      for (let length = step; length <= text.length; length += step) {
        for (const [at, { token }] of reader.read(text.slice(0, length), true).entries()) {
          const [old, html] = [before[at] ?? '', htmlOf(token)];
          before[at] = html;
          const growth = growthOf(old, html);
          if (old === html || growth === null) continue;
          grew += 1;
          expect(grown(old, growth.depth, growth.text)).toBe(html);
        }
      }
    }),
    samples(50),
  );
  expect(grew, 'or nothing was looked at').toBeGreaterThan(100);
});

it.each([
  ['words of a paragraph', '<p>a</p>\n', '<p>a b</p>\n', { depth: 0, text: ' b' }],
  [
    'words of the last item',
    '<ul>\n<li>a</li>\n</ul>\n',
    '<ul>\n<li>a &lt;b&gt;</li>\n</ul>\n',
    { depth: 1, text: ' <b>' },
  ],
  ['a new element', '<p>a</p>\n', '<p>a <em>b</em></p>\n', null],
  ['a new item', '<ul>\n<li>a</li>\n</ul>\n', '<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n', null],
  ['an address that grew', '<p><a href="h:a">a</a></p>\n', '<p><a href="h:ab">ab</a></p>\n', null],
  ['another kind of block', '<p>a</p>\n', '<h2>a</h2>\n', null],
  ['less', '<p>aa</p>\n', '<p>a</p>\n', null],
  ['a character that only a browser knows', '<p>a</p>\n', '<p>a&copy;</p>\n', null],
  ['no character at all', '<p>a</p>\n', '<p>a\0</p>\n', null],
])('growthOf handles %s', (_name, before, after, growth) => {
  expect(growthOf(before, after)).toEqual(growth);
});

it('wordsOf returns the text of a plain paragraph, and null for any other block', () => {
  const of = (source: string): (string | null)[] =>
    new BlockReader().read(source, false).map(({ token }) => wordsOf(htmlOf(token)));
  expect(of('It\'s "a" > b & c,\nand <d>.')).toEqual(['It\'s "a" > b & c,\nand <d>.']);
  expect(of('&amp;lt; stays')).toEqual(['&lt; stays']);
  expect(of('&copy; and &notit; are read by the browser')).toEqual([null]);
  for (const other of [
    '*a*',
    '`a`',
    '# a',
    '- a',
    '> a',
    '[a](https://b.example)',
    'a  \nb',
    'a\0b',
    '| a |\n|---|\n| b |',
  ])
    expect(of(other), other).toEqual([null]);
});

// What a block of Markdown becomes before it is sanitised.
import { Lexer } from 'marked';
import { describe, expect, it, test } from 'vitest';
import { htmlOf } from '#lib/ui/markdown/html.ts';

const html = (source: string) => new Lexer({ gfm: true }).lex(source).map(htmlOf).join('');

it('shows a task list item with a box instead of a bullet', () => {
  expect(html('- [x] done\n- [ ] to do\n- neither')).toMatch(
    /<li data-task="">☑ done<\/li>\s*<li data-task="">☐ to do<\/li>\s*<li>neither<\/li>/,
  );
});

it('preserves the column alignment of a table', () => {
  expect(html('| a | b | c |\n|---|:-:|--:|\n| 1 | 2 | 3 |')).toMatch(
    /<th>a<\/th>\s*<th align="center">b<\/th>\s*<th align="right">c<\/th>/,
  );
});

/** The host that is shown beside each link; null if none is. */
const shownHosts = (source: string) =>
  [...html(source).matchAll(/<a [^>]*?(?:data-target="([^"]*)")?>/g)].map(([, host]) => host ?? null);

describe('the host beside a link', () => {
  test.for([
    ['[github.com](https://evil.example/x)', 'evil.example'],
    ['[https://github.com/login](https://evil.example)', 'evil.example'],
    ['https://github.com@evil.example/', 'evil.example'],
    ['<https://github.com:443@evil.example:8443/>', 'evil.example:8443'],
    // A part of the text is the host of the target.
    ['[microsoft.com](https://t.co/x)', 't.co'],
    ['[github.com, not evil.example](https://evil.example)', 'evil.example'],
    ['[github.com/evil.example](https://evil.example/evil.example)', 'evil.example'],
    ['[evil.example.github.com](https://evil.example)', 'evil.example'],
    ['[evil.example@github.com](https://evil.example)', 'evil.example'],
    ['[evil.example/github.com](https://evil.example/)', 'evil.example'],
    ['https://github.com.evil.example.%65xample/', 'github.com.evil.example.example'],
    ['https://GITHUB.COM/', 'github.com'],
    ['<https://\u0430pple.com/>', 'xn--pple-43d.com'],
    ['https://evil\u200B.example/', 'evil.example'],
    ['https://github\u3002com/', 'github.com'],
    ['[**github.com**](https://evil.example)', 'evil.example'],
    ['[`github.com`](https://evil.example)', 'evil.example'],
    ['[![github.com](https://img.example/a.png)](https://evil.example)', 'evil.example'],
    ['![github.com](https://img.example/a.png)', 'img.example'],
    ['[github.com][1]\n\n[1]: https://evil.example', 'evil.example'],
    ['[git&#104;ub.com](https://evil.example)', 'evil.example'],
    ['[me@bank.example](mailto:thief@evil.example)', 'thief@evil.example'],
    ['[the guide](https://docs.example/guide)', 'docs.example'],
    ['[](https://evil.example)', 'evil.example'],
  ] as const)('is shown for %s', ([source, host]) => {
    expect(shownHosts(source)).toEqual([host]);
  });

  test.for([
    'https://docs.example/guide?a=1&b=2#part',
    '<https://docs.example>',
    'www.docs.example/guide',
    '[docs.example](https://docs.example/guide)',
    '[docs.example/guide](https://docs.example/guide)',
    'me@docs.example',
  ])('is left out for an address that shows it: %s', (source) => {
    expect(shownHosts(source)).toEqual([null]);
  });
});

describe('characters that rearrange or cover text', () => {
  test.for([
    'a\u202Eb',
    'a&#8238;b',
    'a&#x202E;b',
    'a&#X0202e;b',
    '`a\u202Eb`',
    '[a\u202Eb](https://docs.example)',
    '| a\u202Eb |\n|---|',
    '# a\u202Eb',
    '<b title="a\u202Eb">',
  ])('are marks in %j', (source) => {
    expect(html(source)).toContain('a⟦U+202E⟧b');
    expect(html(source)).not.toContain('\u202E');
  });

  it('are truncated when stacked, also as character references', () => {
    for (const mark of ['\u0301', '&#769;', '&#x301;', '&tdot;', '&DownBreve;'])
      expect(html(`e${mark.repeat(40)}!`), mark).toMatch(/^<p>e\p{M}{5}⟦\+35 marks⟧!<\/p>/u);
  });

  it('leave the address of a link unchanged', () => {
    expect(html('[x](https://docs.example/a\u202Eb)')).toContain('href="https://docs.example/a%E2%80%AEb"');
    expect(html('[x](https://docs.example/é)')).toContain('href="https://docs.example/é"');
  });

  it('remain plain character references in code', () => {
    expect(html('`&#8238;`')).toContain('&amp;#8238;');
  });
});

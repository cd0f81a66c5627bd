// What a block of Markdown becomes before it is sanitised.
import { Lexer } from 'marked';
import { expect, it } from 'vitest';
import { htmlOf } from '#lib/ui/markdown/html.ts';

const html = (source: string) => new Lexer({ gfm: true }).lex(source).map(htmlOf).join('');

it('marks an item that is a task, which has its box instead of a bullet', () => {
  expect(html('- [x] done\n- [ ] to do\n- neither')).toMatch(
    /<li data-task="">☑ done<\/li>\s*<li data-task="">☐ to do<\/li>\s*<li>neither<\/li>/,
  );
});

it('keeps on which side of its column a table says that its words stand', () => {
  expect(html('| a | b | c |\n|---|:-:|--:|\n| 1 | 2 | 3 |')).toMatch(
    /<th>a<\/th>\s*<th align="center">b<\/th>\s*<th align="right">c<\/th>/,
  );
});

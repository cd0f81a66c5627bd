// What is copied as text has the words of a Markdown text and none of its marks.
import { expect, it } from 'vitest';
import { plainOf } from '#lib/ui/markdown/plain.ts';

it.each([
  ['# Title\n\nSome **bold** and `code` &amp; more, <b>x</b>.', 'Title\n\nSome bold and code & more, <b>x</b>.'],
  ['- one\n- two\n  - deep\n\n1. first\n2. second', '• one\n• two\n  • deep\n\n1. first\n2. second'],
  ['- [x] done\n- [ ] open', '☑ done\n☐ open'],
  ['```ts\nconst a = *1*;\n```', 'const a = *1*;'],
  ['| a | b |\n|---|---|\n| 1 | *2* |', 'a\tb\n1\t2'],
  ['> quoted [link](https://example.com)\n\n---\n\n![a picture](x.png)', 'quoted link\n\na picture'],
  ['', ''],
])('plainOf removes the Markdown marks of %j', (markdown, text) => {
  expect(plainOf(markdown)).toBe(text);
});

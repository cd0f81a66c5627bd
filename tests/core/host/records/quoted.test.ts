/** Quoted text in the Markdown of records: no wikilink in it is a link, and code stays as it is. */
import { describe, expect, test } from 'vitest';
import { quote } from '#core/host/records/markdown-parts.ts';
import { frontMatter } from '#core/host/records/sessions/front-matter.ts';
import { fieldsOf } from '../../../support/session-files.ts';

describe('quote', () => {
  test.for<[string, string]>([
    ['See [[note|it]] and ![[picture]].', '> See \\[\\[note|it]] and !\\[\\[picture]].'],
    ['[[[a]]]', '> \\[\\[[a]]]'],
    ['`[[a]]`', '> `\\[\\[a]]`'],
    ['```[[a]]\n[[b]]\n```\n[[c]]', '> ```\\[\\[a]]\n> [[b]]\n> ```\n> \\[\\[c]]'],
    ['````\n```\n[[a]]\n````\n[[b]]', '> ````\n> ```\n> [[a]]\n> ````\n> \\[\\[b]]'],
    ['~~~\n[[never closed', '> ~~~\n> [[never closed'],
  ])('quotes %j as %j', ([text, quoted]) => {
    expect(quote(text)).toBe(quoted);
  });

  test.for([
    '- ```\n  x\n  ```\n\n[[a]]',
    '<!--\n```\n-->\n[[a]]\n```',
    '  ```\n```\n[[a]]',
    '> ```\n\n[[a]]',
    '~~~ `x`\n[[a]]\n~~~\n[[a]]',
  ])('escapes every link if code cannot be recognized with certainty: %j', (text) => {
    expect(quote(text)).not.toMatch(/\[\[/);
  });
});

test('front matter escapes links in values, keeps links of the program and reads back unchanged', () => {
  const fields = {
    subagent_of: '[[a/session]]',
    title: '[[x]] \\[[y]]',
    reviews: [{ attempt: 1, critique: 'See [[z]].' }],
    sub_agents: ['[[a/b-0123456789ab]]'],
  };
  const text = frontMatter(fields);
  expect(fieldsOf(text)).toEqual(fields);
  expect(text.match(/\[\[[^\]]*\]\]/g)).toEqual(['[[a/session]]', '[[a/b-0123456789ab]]']);
});

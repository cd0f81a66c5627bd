// Which word at the cursor asks for a completion, and what stands in its place.
import { expect, it } from 'vitest';
import { mentionOf, withCode, withMention, withWord, wordAt } from '#lib/chat/composer/word.ts';

/** The cursor stands at `|`. */
const at = (marked: string) => wordAt(marked.replace('|', ''), marked.indexOf('|'));

it.each([
  ['@|', { kind: 'mention', query: '', start: 0, end: 1 }],
  ['Look at @src/pa|rse.ts', { kind: 'mention', query: 'src/pa', start: 8, end: 15 }],
  ['(@a|)', { kind: 'mention', query: 'a', start: 1, end: 3 }],
  ['see @"my do|', { kind: 'mention', query: 'my do', start: 4, end: 11 }],
  ['a\n@é|', { kind: 'mention', query: 'é', start: 2, end: 4 }],
  ['/|', { kind: 'command', query: '', start: 0, end: 1 }],
  ['/comp|', { kind: 'command', query: 'comp', start: 0, end: 5 }],
  ['/server:pro| more', { kind: 'command', query: 'server:pro', start: 0, end: 11 }],
])('%s opens a completion', (marked, word) => expect(at(marked)).toEqual(word));

it.each(['me@example|', '@a b|', 'a /comp|', '/etc/ho|sts', '/comp|act', 'no|', ' /x|', '@"a" |', '@a\n|'])(
  '%s opens no completion',
  (marked) => expect(at(marked)).toBeNull(),
);

it('mentionOf quotes paths with special characters, and leaves a folder open for completion', () => {
  expect(mentionOf('src/a-b.ts')).toBe('@src/a-b.ts ');
  expect(mentionOf('src/')).toBe('@src/');
  expect(mentionOf('my file.ts')).toBe('@"my file.ts" ');
  expect(mentionOf('my folder/')).toBe('@"my folder/');
  expect(mentionOf('a\n"b')).toBe('@"a\\n\\"b" ');
});

it('replaces the word at the cursor with the completion and one space', () => {
  const text = 'Look at @pa and go';
  const word = wordAt(text, 11)!;
  expect(withWord(text, word, '@src/parse.ts ')).toEqual({ text: 'Look at @src/parse.ts and go', caret: 22 });
});

it('inserts a path at the cursor, separated by spaces from the text around it', () => {
  expect(withMention('', 0, 'a.ts')).toEqual(['@a.ts ', 6]);
  expect(withMention('Look at', 7, 'a.ts')).toEqual(['Look at @a.ts ', 14]);
  expect(withMention('Look at  now', 8, 'a.ts')).toEqual(['Look at @a.ts now', 14]);
});

it('appends code in a long enough fence, and puts the cursor where the file is named', () => {
  const put = (text: string, code: string): string => {
    const [message, caret] = withCode(text, { code, language: 'ts', ask: 'Put this code into' });
    return `${message.slice(0, caret)}|${message.slice(caret)}`;
  };
  expect(put('', 'let a;\n')).toBe('Put this code into @|\n\n```ts\nlet a;\n```');
  expect(put('Thanks. \n', 'let a;')).toBe('Thanks.\n\nPut this code into @|\n\n```ts\nlet a;\n```');
  expect(put('', 'a\n````\nb')).toBe('Put this code into @|\n\n`````ts\na\n````\nb\n`````');
});

// The arrow keys go through messages of before only where the box is empty or shows one unchanged.
import { expect, it } from 'vitest';
import { pastOf, stepInto } from '#lib/chat/composer/past.ts';

const messages = () => ['one', 'two\nlines', 'three'];
const unasked = () => expect.fail('they are worked out for nothing');
const box = (text: string, caret = text.length) => ({ text, start: caret, end: caret });

it('the arrow keys go to older messages and back to an empty box', () => {
  expect(stepInto({ messages, at: null }, box(''), 'older')).toEqual({ at: 2, text: 'three' });
  expect(stepInto({ messages, at: 2 }, box('three'), 'older')).toEqual({ at: 1, text: 'two\nlines' });
  expect(stepInto({ messages, at: 1 }, box('two\nlines', 0), 'older')).toEqual({ at: 0, text: 'one' });
  expect(stepInto({ messages, at: 1 }, box('two\nlines'), 'newer')).toEqual({ at: 2, text: 'three' });
  expect(stepInto({ messages, at: 2 }, box('three'), 'newer')).toEqual({ at: null, text: '' });
});

it.each([
  ['the box has words of its own', { messages: unasked, at: null }, box('mine'), 'older'],
  ['it was changed', { messages, at: 2 }, box('three!'), 'older'],
  ['the cursor is within it', { messages, at: 1 }, box('two\nlines', 4), 'older'],
  ['something is selected', { messages, at: 2 }, { text: 'three', start: 0, end: 5 }, 'older'],
  ['there is no older one', { messages, at: 0 }, box('one'), 'older'],
  ['nothing is shown of before', { messages, at: null }, box(''), 'newer'],
  ['nothing was said', { messages: () => [], at: null }, box(''), 'older'],
] as const)('leaves the arrow keys alone where %s', (_why, past, shown, step) => {
  expect(stepInto(past, shown, step)).toBeNull();
});

it('lists each past message once, at its latest position, and skips blank messages', () => {
  expect(pastOf(['a', 'b', 'a', ' ', 'c+'], (prompt) => prompt.replace('+', ''))).toEqual(['b', 'a', 'c']);
});

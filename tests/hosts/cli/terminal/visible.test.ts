/** Nothing in a model's text may hide, reorder or command the terminal where a person decides. */
import { expect, test } from 'vitest';
import { harmless, visible } from '#hosts/cli/terminal/visible.ts';

test('escape sequences lose their power, in both their forms', () => {
  expect(visible('\u001b[2Jgone\u001b]0;title\u0007')).toBe('␛[2Jgone␛]0;title␇');
  expect(visible('\u009b2J')).toBe('‹U+009B›2J');
  expect(visible('a\bb\u007f\0')).toBe('a␈b␡␀');
});

test('line ends and tabs stay; a return that would overwrite the line is shown', () => {
  expect(visible('a\r\nb\tc\n')).toBe('a\nb\tc\n');
  expect(visible('rm -rf /\rls        ')).toBe('rm -rf /␍ls        ');
});

test('characters that reorder text are named', () => {
  expect(visible('a\u202eb\u2066c\u200f')).toBe('a‹U+202E›b‹U+2066›c‹U+200F›');
});

test('characters that show nothing are named, tags beyond the first plane too', () => {
  expect(visible('r\u200bm\u2060\ufeff\u00ad\u3164')).toBe('r‹U+200B›m‹U+2060›‹U+FEFF›‹U+00AD›‹U+3164›');
  expect(visible('x\u{e0041}')).toBe('x‹U+E0041›');
  expect(visible('a\u2028b')).toBe('a‹U+2028›b');
});

test('emoji keep their joiners and selectors; elsewhere those are named', () => {
  const family = '👩🏽\u200d👩\u200d👧 ❤\ufe0f\u200d🔥';
  expect(visible(family)).toBe(family);
  expect(visible('r\u200dm \ufe0f')).toBe('r‹U+200D›m ‹U+FE0F›');
});

test('all other writing stays as it is', () => {
  const text = 'Grüße, мир, 世界, שלום, مرحبا, e\u0301';
  expect(visible(text)).toBe(text);
  expect(harmless('می\u200cخواهم \u001b[0m')).toBe('می\u200cخواهم ␛[0m');
});

/** Nothing in a model's text may command the terminal; what hides or deceives is marked as on a page. */
import { expect, test } from 'vitest';
import { harmless, visible } from '#hosts/cli/terminal/visible.ts';

test('escape sequences lose their power, in both their forms', () => {
  expect(visible('\u001b[2Jgone\u001b]0;title\u0007')).toBe('⟦U+001B⟧[2Jgone⟦U+001B⟧]0;title⟦U+0007⟧');
  expect(visible('\u009b2J')).toBe('⟦U+009B⟧2J');
  expect(harmless('a\bb\u007f\0\u009b')).toBe('a␈b␡␀⟦U+009B⟧');
});

test('line ends and tabs stay; a return that would overwrite the line is shown', () => {
  expect(visible('a\r\nb\tc\n')).toBe('a\nb\tc\n');
  expect(visible('rm -rf /\rls        ')).toBe('rm -rf /⟦U+000D⟧ls        ');
});

test('running text keeps what other writing systems need', () => {
  expect(harmless('می\u200cخواهم \u001b[0m')).toBe('می\u200cخواهم ␛[0m');
});

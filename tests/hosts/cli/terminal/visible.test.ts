/** Nothing in a model's text may command the terminal; what hides or deceives is marked as on a page. */
import { expect, test } from 'vitest';
import { createPartFilter, harmless, visible } from '#hosts/cli/terminal/visible.ts';

test('marks escape sequences in both forms', () => {
  expect(visible('\u001b[2Jgone\u001b]0;title\u0007')).toBe('⟦U+001B⟧[2Jgone⟦U+001B⟧]0;title⟦U+0007⟧');
  expect(visible('\u009b2J')).toBe('⟦U+009B⟧2J');
  expect(harmless('a\bb\u007f\0\u009b')).toBe('a␈b␡␀⟦U+009B⟧');
});

test('keeps line ends and tabs, and marks a carriage return within a line', () => {
  expect(visible('a\r\nb\tc\n')).toBe('a\nb\tc\n');
  expect(visible('rm -rf /\rls        ')).toBe('rm -rf /⟦U+000D⟧ls        ');
});

test('harmless keeps the joiners that other scripts need', () => {
  expect(harmless('می\u200cخواهم \u001b[0m')).toBe('می\u200cخواهم ␛[0m');
});

test('harmless marks characters that reverse text, and shortens stacks of combining marks', () => {
  expect(harmless('a\u202Eb')).toBe('a⟦U+202E⟧b');
  expect(harmless(`e${'\u0301'.repeat(40)}`)).toBe(`e${'\u0301'.repeat(5)}⟦+35 marks⟧`);
});

test('shortens a stack of combining marks that arrives in parts', () => {
  const show = createPartFilter();
  const parts = ['e\u0301\u0301', ...Array<string>(6).fill('\u0301'), 'x', '\u0301'].map(show);
  expect(parts.join('')).toBe(`e${'\u0301'.repeat(5)}${'⟦+1 marks⟧'.repeat(3)}x\u0301`);
});

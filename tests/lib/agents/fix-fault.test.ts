// A suggestion takes the place of what is wrong, and of nothing else.
import { expect, test } from 'vitest';
import { fixed } from '#lib/agents/fix-fault.ts';

const fault = (line: number, column: number, suggestion: string | null = 'model') => ({
  line,
  column,
  suggestion,
  key: null,
  message: '',
});

test.for([
  ['a key', 'x\nmodle: a\n', fault(2, 1), 'x\nmodel: a\n'],
  ['a value', 'effort: hihg # c', fault(1, 9, 'high'), 'effort: high # c'],
  ['a quoted value', 'effort: "hihg" # c', fault(1, 9, 'high'), 'effort: "high" # c'],
  ['an item', 'tools: [grpe, glob]', fault(1, 9, 'grep'), 'tools: [grep, glob]'],
  ['no suggestion', 'modle: a', fault(1, 1, null), null],
  ['nothing there', 'a:\n', fault(1, 3), null],
  ['behind the end', 'a', fault(9, 9), null],
] as const)('fixes %s', ([, text, one, expected]) => {
  expect(fixed(text, one)).toBe(expected);
});

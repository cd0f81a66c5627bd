import { expect, it } from 'vitest';
import { SUMMARY_CHARS } from '#contract/limits.ts';
import { pathTitleOf, summaryOf, titleOf, wholeUnits } from '#contract/messages/short-text.ts';

it('makes a title of the first line, and cuts no character in two', () => {
  expect(titleOf('\n  Look at this.\nThen at that.')).toBe('Look at this.');
  expect(titleOf('a'.repeat(80))).toBe('a'.repeat(80));
  expect(titleOf(`${'a'.repeat(79)}😀`)).toBe(`${'a'.repeat(79)}…`);
  expect(titleOf('😀'.repeat(41))).toBe(`${'😀'.repeat(40)}…`);
});

it('shows of a path its end, on one line', () => {
  expect(pathTitleOf('web/app')).toBe('web/app');
  expect(pathTitleOf('a\nb')).toBe('a␣b');
  expect(pathTitleOf(`${'a'.repeat(99)}/${'b'.repeat(59)}`)).toBe(`…/${'b'.repeat(59)}`);
  expect(pathTitleOf(`a${'😀'.repeat(40)}b`)).toBe(`…${'😀'.repeat(29)}b`);
});

it('leaves a text that is short enough whole', () => {
  expect(wholeUnits('😀', 2)).toBe(2);
  expect(wholeUnits('😀😀', 3)).toBe(2);
  expect(wholeUnits('ab', 0)).toBe(0);
});

it.each([
  ['# Report\n\n## Summary\n\nAll\n is well.\n\n## Details\n\nMore.', 'All is well.'],
  ['# Rapport\n\n## Résumé\n\nTout va bien.', 'Tout va bien.'],
  ['# Report\n\nNo summary here.', 'No summary here.'],
  ['# Report', '# Report'],
])('sums up %j', (report, summary) => {
  expect(summaryOf(report)).toBe(summary);
});

it('counts the characters of a summary, whatever they take', () => {
  expect(summaryOf(`## Summary\n${'😀'.repeat(SUMMARY_CHARS)}`)).toBe('😀'.repeat(SUMMARY_CHARS));
  expect(summaryOf(`## Summary\n${'😀'.repeat(SUMMARY_CHARS + 1)}`)).toBe(`${'😀'.repeat(SUMMARY_CHARS)}…`);
});

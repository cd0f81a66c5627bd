import { expect, it } from 'vitest';
import { SUMMARY_CHARS } from '#contract/limits.ts';
import { pathTitleOf, summaryOf, titleOf, wholeUnits } from '#contract/messages/short-text.ts';

it('uses the first line as the title, and splits no character', () => {
  expect(titleOf('\n  Look at this.\nThen at that.')).toBe('Look at this.');
  expect(titleOf('a'.repeat(80))).toBe('a'.repeat(80));
  expect(titleOf(`${'a'.repeat(79)}😀`)).toBe(`${'a'.repeat(79)}…`);
  expect(titleOf('😀'.repeat(41))).toBe(`${'😀'.repeat(40)}…`);
});

it('shortens a path to its end on one line', () => {
  expect(pathTitleOf('web/app')).toBe('web/app');
  expect(pathTitleOf('a\nb')).toBe('a␣b');
  expect(pathTitleOf(`${'a'.repeat(99)}/${'b'.repeat(59)}`)).toBe(`…/${'b'.repeat(59)}`);
  expect(pathTitleOf(`a${'😀'.repeat(40)}b`)).toBe(`…${'😀'.repeat(29)}b`);
});

it('cuts a text at a whole character within the given length', () => {
  expect(wholeUnits('😀', 2)).toBe(2);
  expect(wholeUnits('😀😀', 3)).toBe(2);
  expect(wholeUnits('ab', 0)).toBe(0);
});

it.each([
  ['# Report\n\n## Summary\n\nAll\n is well.\n\n## Details\n\nMore.', 'All is well.'],
  ['# Rapport\n\n## Résumé\n\nTout va bien.', 'Tout va bien.'],
  ['# Report\n\nNo summary here.', 'No summary here.'],
  ['# Report', '# Report'],
])('summarises the report %j', (report, summary) => {
  expect(summaryOf(report)).toBe(summary);
});

it('limits a summary by characters, not by code units', () => {
  expect(summaryOf(`## Summary\n${'😀'.repeat(SUMMARY_CHARS)}`)).toBe('😀'.repeat(SUMMARY_CHARS));
  expect(summaryOf(`## Summary\n${'😀'.repeat(SUMMARY_CHARS + 1)}`)).toBe(`${'😀'.repeat(SUMMARY_CHARS)}…`);
});

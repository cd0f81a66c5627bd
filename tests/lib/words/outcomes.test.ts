import { expect, it } from 'vitest';
import { Outcome } from '#contract/outcome.ts';
import { OUTCOMES } from '#domain/status-of.ts';
import { text } from '#lib/words/text.ts';

it('has a label for every outcome', () => {
  expect(OUTCOMES).toEqual(Outcome.options);
  for (const outcome of OUTCOMES) expect(text.phases[outcome]).not.toBe('');
});

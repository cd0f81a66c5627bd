// What the page works out by itself is the same as what the engine works out.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Outcome } from '#contract/outcome.ts';
import { OUTCOMES } from '#contract/status-of.ts';
import { summaryOf as engineSummary } from '#core/base/text.ts';
import { summaryOf } from '#lib/view/title.ts';
import { text } from '#lib/words/text.ts';

const report = fc
  .array(fc.constantFrom('# Report', '## Summary', '## Details', 'Some words here.', '😀'.repeat(60), '', '- a point'))
  .map((lines) => lines.join('\n'));

describe('the page', () => {
  it('has a word for every outcome', () => {
    expect(OUTCOMES).toEqual(Outcome.options);
    for (const outcome of OUTCOMES) expect(text.phases[outcome]).not.toBe('');
  });

  it('summarises a report as the engine does', () => {
    fc.assert(
      fc.property(report, (value) => {
        expect(summaryOf(value)).toBe(engineSummary(value));
      }),
    );
  });
});

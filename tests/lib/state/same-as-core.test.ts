// What the page works out by itself is the same as what the engine works out.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Outcome, STATUS_OF } from '#contract/outcome.ts';
import { summaryOf as engineSummary } from '#core/text.ts';
import { OUTCOMES, statusOf } from '#lib/state/status.ts';
import { summaryOf } from '#lib/state/title.ts';
import { text } from '#lib/text.ts';

const report = fc
  .array(
    fc.constantFrom(
      '# Report',
      '## Summary',
      '## Details',
      'Some words here.',
      '😀'.repeat(60),
      '',
      '- a point',
    ),
  )
  .map((lines) => lines.join('\n'));

describe('the page', () => {
  it('gives every outcome the status of the contract, and a word', () => {
    expect(statusOf).toEqual(STATUS_OF);
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

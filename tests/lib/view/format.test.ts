// Amounts as people read them; what is not known is never shown as nothing.
import { describe, expect, it } from 'vitest';
import { clockTime, cost, dollars, duration, minutes, tokens } from '#lib/view/format.ts';

describe('format', () => {
  it('shows running time as a clock', () => {
    expect([0, 42_000, 725_000, 3_723_000].map(clockTime)).toEqual(['0:00', '0:42', '12:05', '1:02:03']);
  });

  it('shows durations in fitting units', () => {
    expect([84, 3210, 125_000, 7_500_000, null].map(duration)).toEqual([
      '84 ms',
      '3.2 s',
      '2 min 5 s',
      '2 h 5 min',
      '—',
    ]);
  });

  it('shows less than a minute as a fraction', () => {
    expect([0, 0.001, 0.05, 0.5, 2.52, 30].map(minutes)).toEqual(['0', '0', '0.05', '0.5', '2.5', '30']);
  });

  it('shows no cost as soon as one price is unknown', () => {
    expect(cost({ nanoUsd: 12_300_000, unpriced: 0 })).toBe('$0.01');
    expect(cost({ nanoUsd: 12_300_000, unpriced: 1 })).toBe('—');
    expect([dollars(0), dollars(1_230_000), dollars(null)]).toEqual(['$0.00', '$0.0012', '—']);
    expect(dollars(20_000), 'little is not nothing').toBe('<$0.0001');
  });

  it('shortens large numbers of tokens', () => {
    expect([950, 3420, 1_200_000].map(tokens)).toEqual(['950', '3.4K', '1.2M']);
  });
});

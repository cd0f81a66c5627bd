// The chart of days: its axis is round, and nothing that was used is left out of its bars.
import { expect, it } from 'vitest';
import { historyDaysWords as words } from '#lib/words/history-days-words.ts';
import { ticksTo, timeStep } from '#lib/view/ticks.ts';
import { barsOf, isFlat, SHOWN_SERIES } from '#lib/view/usage-bars.ts';

const used = (tokens: number, nanoUsd: number, unpriced = 0) => ({ count: 1, tokens, estimated: 0, nanoUsd, unpriced });

it('has an axis of round steps that includes the highest value', () => {
  expect(ticksTo(0)).toEqual([0, 1]);
  expect(ticksTo(7)).toEqual([0, 5, 10]);
  expect(ticksTo(3)).toEqual([0, 1, 2, 3]);
  expect(ticksTo(0.11)).toEqual([0, 0.05, 0.1, 0.15]);
  expect(ticksTo(123_000_000).at(-1)).toBe(150_000_000);
  for (const most of [1, 9, 99, 1234, 5e9]) expect(ticksTo(most).at(-1)).toBeGreaterThanOrEqual(most);
});

it('has round steps of time', () => {
  expect(timeStep(27_000, 8)).toBe(5000);
  expect(timeStep(3 * 3_600_000, 8)).toBe(30 * 60_000);
  expect(timeStep(10 * 86_400_000, 5)).toBe(2 * 86_400_000);
});

it('combines all series after the largest five, so that the parts add up', () => {
  const parts = Array.from({ length: 9 }, (_, n) => ({ name: `agent ${n}`, ...used(10 * n + 1, 100 - n) }));
  const day = { ...used(369, 864), parts };
  const { series, bars, sum } = barsOf(['2026-03-01', '2026-03-02'], [day, { ...used(5, 7, 2), parts: [] }], 'cost');
  expect(series).toEqual(['agent 0', 'agent 1', 'agent 2', 'agent 3', 'agent 4', null]);
  expect(series).toHaveLength(SHOWN_SERIES + 1);
  expect(bars[0]?.parts.reduce((all, { nanoUsd }) => all + nanoUsd, 0)).toBe(864);
  expect(bars[0]?.parts.reduce((all, one) => all + one.tokens, 0)).toBe(369);
  expect(sum).toEqual({ ...used(374, 871, 2), count: 2 });
  expect(barsOf(['2026-03-01'], [day], 'tokens').series[0]).toBe('agent 8');
});

it('draws one bar per day if the usage is not split', () => {
  expect(barsOf(['2026-03-01'], [used(3, 4)], 'cost')).toMatchObject({
    series: [''],
    bars: [{ day: '2026-03-01', parts: [{ tokens: 3, nanoUsd: 4 }] }],
  });
});

it('formats partly unknown costs, estimated tokens, days and counts', () => {
  expect(words.cost(used(1, 1_200_000_000))).toBe('$1.20');
  expect(words.cost(used(1, 1_200_000_000, 2))).toBe('$1.20 + unknown');
  expect(words.cost(used(1, 0, 2))).toBe('cost unknown');
  expect(words.tokens({ tokens: 1200, estimated: 3 })).toBe('≈ 1.2K tokens');
  expect(words.day('2026-03-01', '2026-03-01')).toBe('Today');
  expect(words.day('2026-02-28', '2026-03-01')).toBe('Yesterday');
  expect(words.day('2026-02-27', '2026-03-01')).toBe('Fri, Feb 27');
  expect(words.day('2025-02-27', '2026-03-01')).toBe('Thu, Feb 27, 2025');
  expect(words.counts.workflows(1, true)).toBe('1 workflow');
  expect(words.counts.agents(5000, false)).toBe('5000 runs or more');
});

it('a chart without cost is flat for cost, but not for tokens', () => {
  const sum = { count: 1, tokens: 5, estimated: 0, nanoUsd: 0, unpriced: 0 };
  expect(isFlat({ sum }, 'cost')).toBe(true);
  expect(isFlat({ sum }, 'tokens')).toBe(false);
  expect(isFlat({ sum: { ...sum, nanoUsd: 1 } }, 'cost')).toBe(false);
});

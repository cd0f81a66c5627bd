/** The bars of a chart of days: what each of the greatest agents or models used, and all others together. Pure. */
import type { DayTotals, Totals } from '#contract/history/history-methods.ts';

/** Parts that are told apart. */
export const SHOWN_SERIES = 5;

type Figures = Pick<Totals, 'tokens' | 'estimated' | 'nanoUsd' | 'unpriced'>;
const NOTHING: Figures = { tokens: 0, estimated: 0, nanoUsd: 0, unpriced: 0 };

export interface UsageBar {
  day: string;
  total: Totals;
  /** In the order of the series. */
  parts: Figures[];
}

export interface UsageBars {
  /** Greatest first; null: all others together. One with an empty name where the days are not split. */
  series: (string | null)[];
  bars: UsageBar[];
  sum: Totals;
}

export function barsOf(days: readonly string[], totals: readonly DayTotals[], measure: 'cost' | 'tokens'): UsageBars {
  const weight = (one: Figures): number => (measure === 'cost' ? one.nanoUsd : one.tokens);
  const isSplit = totals.some(({ parts }) => parts !== undefined);
  const all = totals.flatMap(({ parts }) => parts ?? []);
  const ranked = [...Map.groupBy(all, ({ name }) => name)]
    .map(([name, own]) => ({ name, used: sumOf(own) }))
    .sort((a, b) => weight(b.used) - weight(a.used) || b.used.tokens - a.used.tokens || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
  const named = ranked.length > SHOWN_SERIES + 1 ? ranked.slice(0, SHOWN_SERIES) : ranked;
  const series = isSplit ? [...named, ...(named.length < ranked.length ? [null] : [])] : [''];
  return {
    series,
    bars: days.flatMap((day, at) => {
      const total = totals[at];
      if (!total) return [];
      const parts = series.map((name) => {
        if (name === '') return total;
        const own = total.parts ?? [];
        return sumOf(
          name === null ? own.filter((one) => !named.includes(one.name)) : own.filter((one) => one.name === name),
        );
      });
      return [{ day, total, parts }];
    }),
    sum: totals.reduce<Totals>((sum, one) => ({ ...sumOf([sum, one]), count: sum.count + one.count }), {
      ...NOTHING,
      count: 0,
    }),
  };
}

/** Whether there is nothing of it to draw, though something ran. */
export function isFlat({ sum }: Pick<UsageBars, 'sum'>, measure: 'cost' | 'tokens'): boolean {
  return (measure === 'cost' ? sum.nanoUsd : sum.tokens) === 0;
}

function sumOf(parts: readonly Figures[]): Figures {
  return parts.reduce(
    (sum, one) => ({
      tokens: sum.tokens + one.tokens,
      estimated: sum.estimated + one.estimated,
      nanoUsd: sum.nanoUsd + one.nanoUsd,
      unpriced: sum.unpriced + one.unpriced,
    }),
    NOTHING,
  );
}

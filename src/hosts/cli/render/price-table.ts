/** Prices of models as a table. Pure. */
import type { PriceOverview, PriceRow } from '#contract/prices.ts';
import { table } from '../terminal/table.ts';
import { visible } from '../terminal/visible.ts';

const UNKNOWN = 'unknown';

/** Of US dollars per million tokens, and per thousand searches; models without a price come last. */
export function priceTable({ models, unpriced }: PriceOverview, width: number): string[] {
  const columns = [
    { title: 'MODEL' },
    { title: 'IN', align: 'right' as const },
    { title: 'OUT', align: 'right' as const },
    { title: 'CACHE READ', rank: 1, align: 'right' as const },
    { title: 'WRITE 5M', rank: 2, align: 'right' as const },
    { title: 'WRITE 1H', rank: 3, align: 'right' as const },
    { title: '1000 SEARCHES', rank: 3, align: 'right' as const },
    { title: 'FROM' },
  ];
  const rows = models.flatMap((row) => {
    const from = `${row.source} ${row.version}`;
    const own = [visible(row.model), ...pricesIn(row), shown(row.webSearch), from];
    if (row.longPrompt === null) return [own];
    return [own, [`  above ${row.longPrompt.above} tokens`, ...pricesIn(row.longPrompt), '', from]];
  });
  const listed = new Set(models.map(({ model }) => model));
  const missing = unpriced.filter((model) => !listed.has(model));
  const without = missing.map((model) => [visible(model), ...Array<string>(6).fill(UNKNOWN), 'no list']);
  return ['US dollars per million tokens', ...table(columns, [...rows, ...without], width)];
}

const shown = (price: number | null): string => (price === null ? UNKNOWN : `${price}`);

function pricesIn(
  prices: Pick<PriceRow, 'input' | 'output' | 'cacheRead' | 'cacheWrite5m' | 'cacheWrite1h'>,
): string[] {
  const { input, output, cacheRead, cacheWrite5m, cacheWrite1h } = prices;
  return [input, output, cacheRead, cacheWrite5m, cacheWrite1h].map(shown);
}

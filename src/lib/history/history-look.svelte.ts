/** How the history looks on this device: which columns, and the chart; kept in local storage. */
import type { TotalsBy } from '#contract/history/history-methods.ts';
import { type HistoryList, LISTS } from '#lib/view/history-query.ts';

/** Beside the first, which is always there. `who`: the agents of a workflow, the model of a sub-agent. */
export const COLUMNS = ['who', 'outcome', 'duration', 'tokens', 'cost', 'when'] as const;
export type Column = (typeof COLUMNS)[number];
export const MEASURES = ['cost', 'tokens'] as const;
export type Measure = (typeof MEASURES)[number];
export const SPLITS = ['none', 'agent', 'model'] as const satisfies readonly ('none' | TotalsBy)[];
type Split = (typeof SPLITS)[number];
export const PERIODS = [7, 30, 90] as const;
type Period = (typeof PERIODS)[number];

interface Kept {
  hidden: Record<HistoryList, Column[]>;
  chart: { open: boolean; measure: Measure; by: Split; days: Period };
}

const KEY = 'triad-history';
const USUAL: Kept = {
  hidden: { workflows: [], agents: [] },
  chart: { open: false, measure: 'cost', by: 'none', days: 30 },
};
/** In a narrow list only these are shown. */
const NARROW: readonly Column[] = ['outcome', 'duration', 'cost', 'when'];
const WIDTHS: Readonly<Record<Column, string>> = {
  who: 'minmax(7.5rem, 1fr)',
  outcome: '8rem',
  duration: '8rem',
  tokens: '4rem',
  cost: '4.5rem',
  when: '6.5rem',
};

export class HistoryLook {
  #kept = $state.raw<Kept>(read());

  get chart(): Kept['chart'] {
    return this.#kept.chart;
  }

  setChart(change: Partial<Kept['chart']>): void {
    this.#keep({ ...this.#kept, chart: { ...this.#kept.chart, ...change } });
  }

  columnsOf(list: HistoryList): readonly Column[] {
    return COLUMNS.filter((column) => !this.#kept.hidden[list].includes(column));
  }

  showColumn(list: HistoryList, column: Column, shown: boolean): void {
    const others = this.#kept.hidden[list].filter((one) => one !== column);
    const hidden = { ...this.#kept.hidden, [list]: shown ? others : [...others, column] };
    this.#keep({ ...this.#kept, hidden });
  }

  #keep(kept: Kept): void {
    this.#kept = kept;
    localStorage.setItem(KEY, JSON.stringify(kept));
  }
}

/** `grid-template-columns` of a wide list, or a narrow one. `byDay`: below the heading of a day only the time is shown. */
export function templateOf(columns: readonly Column[], narrow: boolean, byDay: boolean): string {
  const shown = narrow ? columns.filter((column) => NARROW.includes(column)) : columns;
  return [
    narrow ? 'minmax(0, 1fr)' : 'minmax(0, 3fr)',
    ...shown.map((column) => (byDay && column === 'when' ? '4rem' : WIDTHS[column])),
  ].join(' ');
}

/** What is kept may be of another version, or no JSON. */
function read(): Kept {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Kept>;
    const hidden = LISTS.map((list) => [list, COLUMNS.filter((one) => found.hidden?.[list]?.includes(one))]);
    const { open, measure, by, days } = { ...USUAL.chart, ...found.chart };
    return {
      hidden: Object.fromEntries(hidden) as Kept['hidden'],
      chart: {
        open: open === true,
        measure: MEASURES.find((one) => one === measure) ?? USUAL.chart.measure,
        by: SPLITS.find((one) => one === by) ?? USUAL.chart.by,
        days: PERIODS.find((one) => one === days) ?? USUAL.chart.days,
      },
    };
  } catch {
    return USUAL;
  }
}

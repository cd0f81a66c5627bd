/** The words of the history's days: their totals, the chart of them, kept filters and the choice of columns. */
import type { Totals } from '#contract/history/history-methods.ts';
import { dayAfter } from '#lib/view/calendar.ts';
import { dayName, dollars, tokens } from '#lib/view/format.ts';
import { plural } from './sentences.ts';

/** The cost of what has a price, and that there is more. */
function costOf({ nanoUsd, unpriced }: Pick<Totals, 'nanoUsd' | 'unpriced'>): string {
  if (unpriced === 0) return dollars(nanoUsd);
  return nanoUsd === 0 ? 'cost unknown' : `${dollars(nanoUsd)} + unknown`;
}

function tokensOf({ tokens: all, estimated }: Pick<Totals, 'tokens' | 'estimated'>): string {
  return `${estimated > 0 ? '≈ ' : ''}${tokens(all)}`;
}

export const historyDaysWords = {
  /** `today`: of the reader's calendar. */
  day: (day: string, today: string) =>
    day === today ? 'Today' : day === dayAfter(today, -1) ? 'Yesterday' : dayName(day, today),
  counts: {
    workflows: (count: number, whole: boolean) => `${plural(count, 'workflow', 'workflows')}${whole ? '' : ' or more'}`,
    /** Of sub-agents, and of the stages and coagents that serve them. */
    agents: (count: number, whole: boolean) => `${plural(count, 'run', 'runs')}${whole ? '' : ' or more'}`,
  },
  tokens: (totals: Pick<Totals, 'tokens' | 'estimated'>) => `${tokensOf(totals)} tokens`,
  tokensOf,
  cost: costOf,
  costWhy: (unpriced: number) =>
    unpriced === 0
      ? 'At the list prices of the models'
      : `Of ${plural(unpriced, 'model request', 'model requests')} the price is not known`,
  notWhole: 'Only the newest that match were added up: there are too many for all of them.',
  saved: {
    open: 'Saved filters',
    none: 'No filter is saved yet. Set some, then give them a name here.',
    list: 'Saved filters',
    name: 'Name of these filters',
    save: 'Save',
    saved: (name: string) => `Saved as “${name}”`,
    rename: (name: string) => `Rename “${name}”`,
    newName: (name: string) => `New name of “${name}”`,
    remove: (name: string) => `Delete “${name}”`,
    removed: (name: string) => `Deleted “${name}”`,
    undo: 'Undo',
  },
  columns: {
    open: 'Columns',
    names: {
      who: { workflows: 'Agents', agents: 'Model' },
      outcome: 'Outcome',
      duration: 'Work',
      tokens: 'Tokens',
      cost: 'Cost',
      when: 'When',
    },
  },
  values: {
    today: 'Today',
    sevenDays: 'Last 7 days',
    thirtyDays: 'Last 30 days',
    yesterday: 'Yesterday',
    sinceYesterday: 'Since yesterday',
    otherDay: 'Another day…',
    otherCost: 'Another amount…',
    atLeast: (cost: string) => `${cost} or more`,
  },
  chart: {
    open: 'Chart',
    title: 'By day',
    measure: 'What the chart shows',
    measures: { cost: 'Cost', tokens: 'Tokens' },
    by: 'Split by',
    splits: { none: 'Whole', agent: 'Agent', model: 'Model' },
    period: 'Period',
    periods: (days: number) => `${days} days`,
    /** In place of bars that would all be nothing. `unpriced`: a price of something is not known. */
    flat: {
      cost: (unpriced: boolean) => (unpriced ? 'No known cost in this time' : 'No cost in this time'),
      tokens: (_: boolean) => 'No tokens in this time',
    },
    others: 'others',
    all: 'all',
    day: 'Day',
    total: 'Total',
    counted: { workflows: 'Workflows', agents: 'Runs' },
    hint: 'Arrow keys go through the days; Enter lists what ran on one.',
    none: 'Nothing ran in these days.',
    table: 'Cost and tokens by day',
    sum: (days: number, count: string) => `${plural(days, 'day', 'days')}, ${count}`,
    failed: 'The chart could not be loaded',
  },
} as const;

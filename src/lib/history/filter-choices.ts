/** What each filter of the history can be set to, and what it is called once it is. */
import { OUTCOMES } from '#domain/status-of.ts';
import type { Facets } from '#lib/app/history-browser.svelte.ts';
import { dayAfter } from '#lib/view/calendar.ts';
import { dayName, usd } from '#lib/view/format.ts';
import { KINDS, STATUSES, type FilterName, type HistoryQuery } from '#lib/view/history-query.ts';
import { text } from '#lib/words/text.ts';

export interface Choice {
  /** As the address has it. */
  value: string;
  name: string;
}

/** `today`: of the reader's calendar. What is set can be chosen, whether it occurs or not. */
export function choicesOf(filter: FilterName, query: HistoryQuery, facets: Facets, today: string): Choice[] {
  const words = text.history;
  const { values } = words.days;
  const listed = (known: readonly string[], set: string | null): Choice[] =>
    (set === null || known.includes(set) ? known : [set, ...known]).map((value) => ({ value, name: value }));
  switch (filter) {
    case 'outcome':
      return OUTCOMES.map((value) => ({ value, name: text.phases[value] }));
    case 'status':
      return STATUSES.map((value) => ({ value, name: words.statuses[value] }));
    case 'kind':
      return KINDS.map((value) => ({ value, name: text.kinds[value] }));
    case 'agent':
      return listed(facets.agents, query.agent);
    case 'model':
      return listed(facets.models, query.model);
    case 'tool':
      return listed(facets.tools, query.tool);
    case 'folder':
      return listed(facets.folders, query.folder);
    case 'from':
      return [
        { value: today, name: values.today },
        { value: dayAfter(today, -1), name: values.sinceYesterday },
        { value: dayAfter(today, -6), name: values.sevenDays },
        { value: dayAfter(today, -29), name: values.thirtyDays },
      ];
    case 'to':
      return [
        { value: today, name: values.today },
        { value: dayAfter(today, -1), name: values.yesterday },
      ];
    case 'minCostUsd':
      return ['0.01', '0.1', '1', '10'].map((value) => ({ value, name: values.atLeast(usd(Number(value))) }));
  }
}

/** What asks for a value that is written; undefined of filters that only have values to choose from. */
export function writtenOf(filter: FilterName): string | undefined {
  const { values } = text.history.days;
  if (filter === 'from' || filter === 'to') return values.otherDay;
  return filter === 'minCostUsd' ? values.otherCost : undefined;
}

/** The query with a filter set; an empty value takes it away. */
export function withFilter(query: HistoryQuery, filter: FilterName, value: string): HistoryQuery {
  if (filter !== 'minCostUsd') return { ...query, [filter]: value === '' ? null : value };
  const cost = Number(value);
  return { ...query, minCostUsd: value !== '' && cost > 0 && Number.isFinite(cost) ? cost : null };
}

/** `outcome: error`, as its chip says it. */
export function chipName(filter: FilterName, query: HistoryQuery, today: string): string {
  const { chips } = text.history;
  const value = query[filter];
  if (filter === 'outcome' && query.outcome !== null)
    return `${chips.outcome}${text.colon} ${text.phases[query.outcome]}`;
  if (filter === 'kind' && query.kind !== null) return `${chips.kind}${text.colon} ${text.kinds[query.kind]}`;
  if ((filter === 'from' || filter === 'to') && value !== null) {
    return `${chips[filter]} ${dayName(String(value), today)}`;
  }
  if (filter === 'minCostUsd') return `${chips.minCostUsd}${value}`;
  return `${chips[filter]}${text.colon} ${value}`;
}

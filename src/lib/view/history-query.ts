/** The query of the history page as its address holds it: search words, filters and sort order. */
import type { Outcome, Status } from '#contract/outcome.ts';
import type { Input, WorkflowSort } from '#contract/rpc.ts';
import { OUTCOMES, STATUS_OF } from '#contract/status-of.ts';

export interface HistoryQuery {
  /** Search words; empty for the list of workflows. */
  text: string;
  sort: WorkflowSort;
  outcome: Outcome | null;
  status: Status | null;
  agent: string | null;
  model: string | null;
  tool: string | null;
  folder: string | null;
  /** Days of the reader's calendar, as `2026-01-31`; the last one is included. */
  from: string | null;
  to: string | null;
  minCostUsd: number | null;
}
/** The part of an address after its path. */
export type Search = '' | `?${string}`;
export type FilterName = Exclude<keyof HistoryQuery, 'text' | 'sort'>;

export const SORTS = ['newest', 'cost', 'tokens', 'duration'] as const satisfies readonly WorkflowSort[];
export const STATUSES: readonly Status[] = [...new Set<Status>(['pending', 'running', ...Object.values(STATUS_OF)])];
const FILTERS = [
  ...(['outcome', 'status', 'agent', 'model', 'tool', 'folder', 'from', 'to', 'minCostUsd'] as const),
] satisfies FilterName[];

export const NO_FILTERS: HistoryQuery = {
  text: '',
  sort: 'newest',
  outcome: null,
  status: null,
  agent: null,
  model: null,
  tool: null,
  folder: null,
  from: null,
  to: null,
  minCostUsd: null,
};

/** Parses an address; invalid values are dropped, since an address may come from anywhere. */
export function queryOf(params: Pick<URLSearchParams, 'get'>): HistoryQuery {
  const cost = Number(params.get('cost') ?? '');
  return {
    text: params.get('q') ?? '',
    sort: oneOf(SORTS, params.get('sort')) ?? 'newest',
    outcome: oneOf(OUTCOMES, params.get('outcome')),
    status: oneOf(STATUSES, params.get('status')),
    agent: params.get('agent') || null,
    model: params.get('model') || null,
    tool: params.get('tool') || null,
    folder: params.get('folder') || null,
    from: day(params.get('from')),
    to: day(params.get('to')),
    minCostUsd: cost > 0 && Number.isFinite(cost) ? cost : null,
  };
}

/** The query string with `?`, or empty for the default query; equal queries give equal strings. */
export function queryStringOf(query: HistoryQuery): Search {
  const params = new URLSearchParams();
  if (query.text !== '') params.set('q', query.text);
  for (const name of FILTERS) {
    const value = query[name];
    if (value !== null) params.set(name === 'minCostUsd' ? 'cost' : name, String(value));
  }
  if (query.sort !== 'newest') params.set('sort', query.sort);
  const search = params.toString();
  return search === '' ? '' : `?${search}`;
}

/** Names of the filters that are set. */
export function activeFilters(query: HistoryQuery): FilterName[] {
  return FILTERS.filter((name) => query[name] !== null);
}

/** The input of `workflow.list`; days become instants in the reader's time zone. */
export function listInput(query: HistoryQuery): Input<'workflow.list'> {
  const { sort, from, to, outcome, status, agent, model, tool, folder, minCostUsd } = query;
  const given = { outcome, status, agent, model, tool, folder, minCostUsd };
  return {
    sort,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)),
    ...(from === null ? {} : { from: startOf(from, 0) }),
    ...(to === null ? {} : { to: startOf(to, 1) }),
  };
}

function oneOf<T extends string>(values: readonly T[], value: string | null): T | null {
  return values.find((one) => one === value) ?? null;
}

function day(value: string | null): string | null {
  if (value === null || !/^\d{4}-\d\d-\d\d$/.test(value)) return null;
  return Number.isNaN(Date.parse(value)) ? null : value;
}

/** The first moment of a day in the reader's time zone, or of a day after it. */
function startOf(value: string, daysAfter: number): string {
  const [year = 0, month = 1, date = 1] = value.split('-').map(Number);
  return new Date(year, month - 1, date + daysAfter).toISOString();
}

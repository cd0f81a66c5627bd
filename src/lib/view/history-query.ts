/** The query of the history page as its address holds it: search words, filters and sort order. */
import type { RunKind } from '#contract/agent.ts';
import type { TotalsBy } from '#contract/history/history-methods.ts';
import type { ExecutionSort, WorkflowSort } from '#contract/list-filter.ts';
import type { Outcome, Status } from '#contract/outcome.ts';
import type { Input } from '#contract/rpc.ts';
import type { SearchHit } from '#contract/view.ts';
import { OUTCOMES, STATUS_OF } from '#domain/status-of.ts';
import { startOfDay } from './calendar.ts';

/** What is listed: workflows, or the executions of sub-agents. */
export type HistoryList = 'workflows' | 'agents';
type ChildKind = Exclude<RunKind, 'lead'>;

export interface HistoryQuery {
  /** Search words; empty for a list. */
  text: string;
  list: HistoryList;
  sort: WorkflowSort;
  outcome: Outcome | null;
  status: Status | null;
  agent: string | null;
  kind: ChildKind | null;
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
export type FilterName = Exclude<keyof HistoryQuery, 'text' | 'list' | 'sort'>;

export const LISTS = ['workflows', 'agents'] as const satisfies readonly HistoryList[];
export const KINDS = ['spawn', 'delegate', 'parallel', 'chain', 'coagent'] as const satisfies readonly ChildKind[];
export const STATUSES: readonly Status[] = [...new Set<Status>(['pending', 'running', ...Object.values(STATUS_OF)])];
const EXECUTION_SORTS = ['newest', 'cost', 'duration'] as const satisfies readonly ExecutionSort[];
export const SORTS: Readonly<Record<HistoryList, readonly WorkflowSort[]>> = {
  workflows: ['newest', 'cost', 'tokens', 'duration'],
  agents: EXECUTION_SORTS,
};
/** In the order of their fields. */
export const FILTERS: Readonly<Record<HistoryList, readonly FilterName[]>> = {
  workflows: ['outcome', 'status', 'agent', 'model', 'tool', 'folder', 'from', 'to', 'minCostUsd'],
  agents: ['status', 'agent', 'kind', 'model', 'from', 'to', 'minCostUsd'],
};

export const NO_FILTERS: HistoryQuery = {
  text: '',
  list: 'workflows',
  sort: 'newest',
  outcome: null,
  status: null,
  agent: null,
  kind: null,
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
  const list = oneOf(LISTS, params.get('list')) ?? 'workflows';
  const query: HistoryQuery = {
    text: params.get('q') ?? '',
    list,
    sort: oneOf(SORTS.workflows, params.get('sort')) ?? 'newest',
    outcome: oneOf(OUTCOMES, params.get('outcome')),
    status: oneOf(STATUSES, params.get('status')),
    agent: params.get('agent') || null,
    kind: oneOf(KINDS, params.get('kind')),
    model: params.get('model') || null,
    tool: params.get('tool') || null,
    folder: params.get('folder') || null,
    from: day(params.get('from')),
    to: day(params.get('to')),
    minCostUsd: cost > 0 && Number.isFinite(cost) ? cost : null,
  };
  return withList(query, list);
}

/** The same query of a list, as far as that has its filters and its order. */
export function withList({ text, ...query }: HistoryQuery, list: HistoryList): HistoryQuery {
  const filters = Object.fromEntries(FILTERS[list].map((name) => [name, query[name]]));
  return { ...NO_FILTERS, ...filters, text, list, sort: oneOf(SORTS[list], query.sort) ?? 'newest' };
}

/** The query string with `?`, or empty for the default query; equal queries give equal strings. */
export function queryStringOf(query: HistoryQuery): Search {
  const params = new URLSearchParams();
  if (query.text !== '') params.set('q', query.text);
  if (query.list !== 'workflows') params.set('list', query.list);
  for (const name of FILTERS[query.list]) {
    const value = query[name];
    if (value !== null) params.set(name === 'minCostUsd' ? 'cost' : name, String(value));
  }
  if (query.sort !== 'newest') params.set('sort', query.sort);
  const search = params.toString();
  return search === '' ? '' : `?${search}`;
}

/** Names of the filters that are set. */
export function activeFilters(query: HistoryQuery): FilterName[] {
  return FILTERS[query.list].filter((name) => query[name] !== null);
}

/** The input of `workflow.list`; days become instants in the reader's time zone. */
export function listInput(query: HistoryQuery): Input<'workflow.list'> {
  return { sort: query.sort, ...filterOf(query) };
}

/** The input of `execution.list`, likewise. */
export function executionInput(query: HistoryQuery): Input<'execution.list'> {
  return { sort: oneOf(EXECUTION_SORTS, query.sort) ?? 'newest', ...executionFilterOf(query) };
}

/** The input of `history.search`: what was found in all, or in what the list has with its filters. */
export function searchInput(query: HistoryQuery): Input<'history.search'> {
  const { text } = query;
  if (query.list === 'agents') return { text, executions: executionFilterOf(query) };
  return activeFilters(query).length === 0 ? { text } : { text, workflows: filterOf(query) };
}

type Span = { from: string; to: string };

/** The input of `workflow.days`; `by`: whose parts are wanted. */
export function workflowDaysInput(query: HistoryQuery, days: Span[], by?: TotalsBy): Input<'workflow.days'> {
  return { ...filterOf(query), days, ...(by === undefined ? {} : { by }) };
}

/** The input of `execution.days`. */
export function executionDaysInput(query: HistoryQuery, days: Span[]): Input<'execution.days'> {
  return { ...executionFilterOf(query), days };
}

function filterOf(query: HistoryQuery) {
  const { outcome, status, agent, model, tool, folder } = query;
  return { ...given({ outcome, status, agent, model, tool, folder }), ...boundsOf(query) };
}

function executionFilterOf(query: HistoryQuery) {
  const { status, agent, kind, model } = query;
  return { ...given({ status, agent, kind, model }), ...boundsOf(query) };
}

function boundsOf({ from, to, minCostUsd }: HistoryQuery): Pick<Input<'workflow.list'>, 'from' | 'to' | 'minCostUsd'> {
  return given({
    from: from === null ? null : startOfDay(from),
    to: to === null ? null : startOfDay(to, 1),
    minCostUsd,
  });
}

/** What stands behind the address of a workflow that opens at a place where words were found. */
export function queryOfHit({ runId, n }: Pick<SearchHit, 'runId' | 'n'>, text: string): string {
  return new URLSearchParams({ run: runId, n: String(n), q: text }).toString();
}

/** Without the fields that are null. */
function given<T extends object>(fields: T): { [F in keyof T]?: NonNullable<T[F]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as {
    [F in keyof T]?: NonNullable<T[F]>;
  };
}

function oneOf<T extends string>(values: readonly T[], value: string | null): T | null {
  return values.find((one) => one === value) ?? null;
}

function day(value: string | null): string | null {
  if (value === null || !/^\d{4}-\d\d-\d\d$/.test(value)) return null;
  return Number.isNaN(Date.parse(value)) ? null : value;
}

/** Index terms of a workflow (one for each filter value) and its index keys (one for each sort order). */
import { notesOf } from '#contract/call-row.ts';
import type { WorkflowSort } from '#contract/list-filter.ts';
import type { RunRow, ToolCallRow, WorkflowRow } from '#contract/view.ts';
import { sortKeyOfId } from '../rows/row-codec.ts';
import type { WorkflowFilter } from '../store.ts';

const FACETS = ['agent', 'model', 'tool', 'folder', 'outcome', 'status'] as const;
type Facet = (typeof FACETS)[number];

/** The term of every workflow that is listed. */
export const ANY = '*';

/** The term of each note that a workflow read or wrote, and that of every such workflow of a folder. */
const NOTE = 'note:';
export const notedIn = (folder: string): string => `noted:${folder}`;
/** Of more notes of a workflow only so many are kept: each is a row of every index. */
const MAX_NOTES = 50;

export function notesAmong(terms: readonly string[]): string[] {
  return terms.flatMap((term) => (term.startsWith(NOTE) ? [term.slice(NOTE.length)] : []));
}

function termOf(facet: Facet, value: string): string {
  return `${facet}:${value}`;
}

/** What terms and keys are computed from. */
export interface WorkflowFacts {
  workflow: WorkflowRow;
  runs: readonly RunRow[];
  calls: readonly ToolCallRow[];
  folder: string;
}

/** A model and a tool count when a run used them, an outcome when the workflow or any of its runs ended so. */
export function termsOf({ workflow, runs, calls, folder }: WorkflowFacts): string[] {
  const started = runs.filter(({ attempt }) => attempt > 0);
  const values: Record<Facet, (string | null)[]> = {
    agent: [...workflow.agents, ...runs.map(({ agent }) => agent)],
    model: started.map(({ envelope }) => envelope.model),
    tool: calls.map(({ name }) => name),
    folder: [folder],
    outcome: [workflow.outcome, ...runs.map(({ outcome }) => outcome)],
    status: [workflow.status],
  };
  const terms = FACETS.flatMap((facet) =>
    values[facet].flatMap((value) => (value === null ? [] : [termOf(facet, value)])),
  );
  const { read, written } = notesOf(calls);
  const notes = [...new Set([...written, ...read])].slice(0, MAX_NOTES);
  const noted = notes.length === 0 ? [] : [notedIn(folder), ...notes.map((path) => `${NOTE}${path}`)];
  return [...new Set([ANY, ...terms, ...noted])];
}

/** The terms that a matching workflow must have. */
export function termsOfFilter(filter: WorkflowFilter): string[] {
  return FACETS.flatMap((facet) => {
    const value = filter[facet];
    return value === undefined ? [] : [termOf(facet, value)];
  });
}

/** The fields of an index row besides its terms, of a workflow or of an execution (which has no order by tokens). */
export interface IndexKeys extends Record<WorkflowSort, string> {
  createdAt: string;
  nanoUsd: number;
}

export function indexKeysOf({
  id,
  createdAt,
  durationMs,
  workedMs,
  usage,
}: Pick<WorkflowRow, 'id' | 'createdAt' | 'durationMs' | 'workedMs' | 'usage'>): IndexKeys {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, nanoUsd } = usage;
  const place = sortKeyOfId(id);
  return {
    newest: place,
    createdAt,
    nanoUsd,
    cost: greatestFirst(nanoUsd, place),
    tokens: greatestFirst(inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens, place),
    duration: greatestFirst(workedMs ?? durationMs ?? 0, place),
  };
}

/** A key whose ascending order is descending by value, then newest first. */
function greatestFirst(value: number, place: string): string {
  return `${sortKeyOfId(Math.round(Math.max(0, value)).toString(16).padStart(14, '0'))}-${place}`;
}

/** Checks the conditions that terms cannot express: dates and costs. */
export function matchesFilter(
  filter: Pick<WorkflowFilter, 'from' | 'to' | 'minCostUsd'>,
  { createdAt, nanoUsd }: Pick<IndexKeys, 'createdAt' | 'nanoUsd'>,
): boolean {
  const created = Date.parse(createdAt);
  return (
    (filter.from === undefined || created >= Date.parse(filter.from)) &&
    (filter.to === undefined || created < Date.parse(filter.to)) &&
    (filter.minCostUsd === undefined || nanoUsd >= filter.minCostUsd * 1e9)
  );
}

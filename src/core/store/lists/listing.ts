/**
 * The two lists of the history, workflows and executions of sub-agents, in one description: what an entry of a list is
 * filtered by (its terms), sorted by, and what it adds to the totals of its hour.
 */
import type { WorkflowSort } from '#contract/list-filter.ts';
import type { ToolCallRow, WorkflowRow } from '#contract/view.ts';
import { notesOf } from '#domain/call-row.ts';
import { inputTokensOf } from '#domain/tally.ts';
import type { PlainRun } from '../rows/reader.ts';
import { sortKeyOfId } from '../rows/row-codec.ts';
import type { ExecutionFilter, WorkflowFilter } from '../store.ts';
import { type Figures, figuresOfExecution, figuresOfWorkflow } from './figures.ts';

export type ListName = 'workflow' | 'execution';
/** The orders other than newest first. */
export type Figure = Exclude<WorkflowSort, 'newest'>;

/** An entry of a list. */
export interface ListEntry extends Record<Figure, number> {
  id: string;
  /** In milliseconds since 1970. */
  createdAt: number;
  terms: string[];
  figures: Figures;
}

/** Conditions on an entry that its terms do not express. */
export type EntryBounds = Pick<WorkflowFilter, 'from' | 'to' | 'minCostUsd'>;

/** The facts about a workflow that its entries are computed from. */
export interface WorkflowFacts {
  workflow: WorkflowRow;
  /** All of the workflow. */
  runs: readonly PlainRun[];
  calls: readonly ToolCallRow[];
  folder: string;
}

/** The filters that are terms. */
const FACETS = {
  workflow: ['agent', 'model', 'tool', 'folder', 'outcome', 'status'],
  execution: ['agent', 'kind', 'status', 'model'],
} as const satisfies Record<ListName, readonly (keyof (WorkflowFilter & ExecutionFilter))[]>;
type Facet<L extends ListName> = (typeof FACETS)[L][number];

/** The name of a facet in the counts, which both lists share. */
export function nameFacet<L extends ListName, F extends Facet<L>>(list: L, facet: F): string {
  return list === 'workflow' ? facet : `${list}.${facet}`;
}

function toTerms<L extends ListName>(
  list: L,
  values: Readonly<Record<Facet<L>, string | undefined | readonly (string | null)[]>>,
): string[] {
  const facets: readonly Facet<L>[] = FACETS[list];
  return facets.flatMap((facet) =>
    [values[facet]].flat().flatMap((value) => (value ? [`${nameFacet(list, facet)}:${value}`] : [])),
  );
}

/** The terms that a matching entry has. */
export function getFilterTerms(list: ListName, filter: WorkflowFilter & ExecutionFilter): string[] {
  const { agent, model, tool, folder, outcome, status, kind } = filter;
  return toTerms(list, { agent, model, tool, folder, outcome, status, kind });
}

/** The term of every workflow of a folder in which notes were read or written. */
export const getNotedTerm = (folder: string): string => `noted:${folder}`;
/** The term of a note that a workflow read or wrote. */
const NOTE = 'note:';
/** Most notes of a workflow that become terms. */
const MAX_NOTES = 50;

export function getNotes(terms: readonly string[]): string[] {
  return terms.flatMap((term) => (term.startsWith(NOTE) ? [term.slice(NOTE.length)] : []));
}

/** A model and a tool count when a run used them, an outcome when the workflow or any of its runs ended so. */
function getWorkflowTerms({ workflow, runs, calls, folder }: WorkflowFacts): string[] {
  const started = runs.filter(({ attempt }) => attempt > 0);
  const terms = toTerms('workflow', {
    agent: [...workflow.agents, ...runs.map(({ agent }) => agent)],
    model: started.map(({ envelope }) => envelope.model),
    tool: calls.map(({ name }) => name),
    folder,
    outcome: [workflow.outcome, ...runs.map(({ outcome }) => outcome)],
    status: workflow.status,
  });
  const { read, written } = notesOf(calls);
  const notes = [...new Set([...written, ...read])].slice(0, MAX_NOTES).map((path) => `${NOTE}${path}`);
  return [...new Set([...terms, ...(notes.length === 0 ? [] : [getNotedTerm(folder), ...notes])])];
}

/** What a workflow and its executions are in the lists. A copy of a workflow in a fork is in no list. */
export function getEntries(facts: WorkflowFacts): Record<ListName, ListEntry[]> {
  const { workflow, runs } = facts;
  const own = { ...getSortValues(workflow, workflow.createdAt), terms: getWorkflowTerms(facts) };
  return {
    workflow: workflow.copiedFrom ? [] : [{ ...own, figures: figuresOfWorkflow(workflow, runs) }],
    execution: runs
      .filter(({ kind }) => kind !== 'lead')
      .map((run) => {
        const { agent, kind, status, envelope } = run;
        const terms = toTerms('execution', { agent, kind, status, model: envelope.model });
        return { ...getSortValues(run, run.queuedAt), terms, figures: figuresOfExecution(run) };
      }),
  };
}

function getSortValues(
  { id, durationMs, workedMs, usage }: Pick<WorkflowRow, 'id' | 'durationMs' | 'workedMs' | 'usage'>,
  createdAt: string,
) {
  return {
    id,
    createdAt: Date.parse(createdAt),
    cost: toCount(usage.nanoUsd),
    tokens: toCount(inputTokensOf(usage) + usage.outputTokens),
    duration: toCount(workedMs ?? durationMs ?? 0),
  };
}

function toCount(value: number): number {
  return Math.round(Math.max(0, value));
}

/** The cursor behind an entry: keys in ascending order are the greatest values first, equal ones newest first. */
export function getSortKey(entry: Readonly<Record<Figure, number> & { id: string }>, sort: WorkflowSort): string {
  const place = sortKeyOfId(entry.id);
  return sort === 'newest' ? place : `${sortKeyOfId(entry[sort].toString(16).padStart(DIGITS, '0'))}-${place}`;
}

const DIGITS = 14;

/** The value in a key of `getSortKey`. */
export function getKeyValue(key: string): number {
  return parseInt(sortKeyOfId(key.slice(0, DIGITS)), 16);
}

/** Returns the check of dates and costs. */
export function makeBoundsCheck({ from, to, minCostUsd }: EntryBounds): (createdAt: number, cost: number) => boolean {
  const first = from === undefined ? -Infinity : Date.parse(from);
  const end = to === undefined ? Infinity : Date.parse(to);
  const least = minCostUsd === undefined ? -Infinity : minCostUsd * 1e9;
  return (createdAt, cost) => createdAt >= first && createdAt < end && cost >= least;
}

/** Returns the check for a list with this filter. */
export function makeFilterCheck(
  wanted: readonly string[],
  bounds: EntryBounds,
): (entry: Pick<ListEntry, 'terms' | 'createdAt' | 'cost'>) => boolean {
  const isWithin = makeBoundsCheck(bounds);
  return ({ terms, createdAt, cost }) => wanted.every((term) => terms.includes(term)) && isWithin(createdAt, cost);
}

/** The lists of the history, its search, its totals by day, and the filters that a person keeps. */
import { z } from 'zod';
import { Instant } from '../ids.ts';
import { ListedExecution } from '../execution.ts';
import { executionFilter, ExecutionSort, workflowFilter, WorkflowSort } from '../list-filter.ts';
import { method, nothing, pageOf, paging } from '../method.ts';
import { ListedWorkflow, SearchHit, TitleHit } from '../view.ts';

/** Sums over workflows, or over executions of sub-agents. */
export const Totals = z.object({
  /** How many workflows, or executions. */
  count: z.int(),
  /** Of all classes. */
  tokens: z.int(),
  /** The part of them that nobody counted. */
  estimated: z.int(),
  /** Billionths of a US dollar, of the requests whose price is known. */
  nanoUsd: z.int(),
  /** Requests whose price is not known. */
  unpriced: z.int(),
});
export type Totals = z.infer<typeof Totals>;

export const TotalsBy = z.enum(['agent', 'model']);
export type TotalsBy = z.infer<typeof TotalsBy>;

/** `parts`: what the runs of each agent, or model, used; `count` is in how many workflows they did. Greatest cost first. */
const DayTotals = Totals.extend({ parts: z.array(Totals.extend({ name: z.string() })).optional() });
export type DayTotals = z.infer<typeof DayTotals>;

/** From the first moment to the one after the last, in the calendar of who asks. */
const days = z
  .array(z.strictObject({ from: Instant, to: Instant }))
  .min(1)
  .max(400);
/** In the order of the days; where it is not `whole`, only the newest of what matches were added up. */
const Days = z.object({ days: z.array(DayTotals), whole: z.boolean() });

const filterName = z.string().trim().min(1).max(60);
/** `query`: as the address of the history has it, with its `?`. */
export const SavedFilter = z.object({ name: filterName, query: z.string().min(1).max(2000).startsWith('?') });
/** Most that are kept. */
export const MAX_FILTERS = 100;
export type SavedFilter = z.infer<typeof SavedFilter>;

export const historyMethods = {
  'workflow.list': method(
    z.strictObject({ ...paging, ...workflowFilter, sort: WorkflowSort.default('newest') }),
    pageOf(ListedWorkflow),
  ),
  /** What can be filtered by: the values that occur, most frequent first. */
  'workflow.facets': method(
    nothing,
    z.object({
      agents: z.array(z.string()),
      models: z.array(z.string()),
      tools: z.array(z.string()),
      folders: z.array(z.string()),
    }),
  ),
  /** The executions of sub-agents in all conversations that are not in the trash. */
  'execution.list': method(
    z.strictObject({ ...paging, ...executionFilter, sort: ExecutionSort.default('newest') }),
    pageOf(ListedExecution),
  ),
  /** What they can be filtered by: the values that occur, most frequent first. */
  'execution.facets': method(nothing, z.object({ agents: z.array(z.string()), models: z.array(z.string()) })),
  /**
   * Full text of prompts, answers, reports and tool results; all words must occur. Newest first. With the first page, where
   * there are any: `titles` of conversations and names of `agents` that have them. With a `kind` only what is of it, among
   * the newest places alone, and no names. With `workflows` only what is in `workflow.list` with that filter, with
   * `executions` only what sub-agents in such an `execution.list` said and did: one of both, no names, and a page may have
   * fewer.
   */
  'history.search': method(
    z.strictObject({
      ...paging,
      text: z
        .string()
        .max(1000)
        .refine((text) => text.trim() !== '', 'is empty: write what to look for'),
      kind: SearchHit.shape.kind.optional(),
      workflows: z.strictObject(workflowFilter).optional(),
      executions: z.strictObject(executionFilter).optional(),
    }),
    pageOf(SearchHit).extend({ titles: z.array(TitleHit).optional(), agents: z.array(z.string()).optional() }),
  ),
  /** What ran on each of these days, as far as it is in `workflow.list` with this filter. */
  'workflow.days': method(z.strictObject({ ...workflowFilter, days, by: TotalsBy.optional() }), Days),
  /** The same of `execution.list`. */
  'execution.days': method(z.strictObject({ ...executionFilter, days }), Days),
  /** By name. */
  'filter.list': method(nothing, z.array(SavedFilter)),
  /** Keeps a filter, in place of one of the same name; with `was` it takes the place of that one: a new name. */
  'filter.save': method(z.strictObject({ ...SavedFilter.shape, was: filterName.optional() }), z.array(SavedFilter)),
  'filter.remove': method(z.strictObject({ name: filterName }), z.array(SavedFilter)),
};

/** What a workflow, or an execution, adds to the totals of its hour: kept with its index row, so that it can be taken back. */
import type { Totals } from '#contract/history/history-methods.ts';
import type { Tally } from '#contract/outcome.ts';
import { estimatedTokensOf, inputTokensOf } from '#contract/tally.ts';
import type { RunRow, WorkflowRow } from '#contract/view.ts';

/** `all` workflows; what runs of an `agent` or a `model` used; `execution`: all executions of sub-agents. */
export type Group = 'all' | 'agent' | 'model' | 'execution';

/** `name`: of the agent or the model; else empty. */
export interface Sum extends Totals {
  group: Group;
  name: string;
}

export interface Figures {
  /** In UTC, such as `2026-11-26T04`. */
  hour: string;
  sums: Sum[];
}

export const NO_TOTALS: Totals = { count: 0, tokens: 0, estimated: 0, nanoUsd: 0, unpriced: 0 };

export function addTotals(a: Totals, b: Totals, sign: 1 | -1 = 1): Totals {
  return {
    count: a.count + sign * b.count,
    tokens: a.tokens + sign * b.tokens,
    estimated: a.estimated + sign * b.estimated,
    nanoUsd: a.nanoUsd + sign * b.nanoUsd,
    unpriced: a.unpriced + sign * b.unpriced,
  };
}

export function hourOf(at: string): string {
  return new Date(at).toISOString().slice(0, 13);
}

function totalsOf(usage: Tally): Totals {
  return {
    count: 1,
    tokens: inputTokensOf(usage) + usage.outputTokens,
    estimated: estimatedTokensOf(usage),
    nanoUsd: usage.nanoUsd,
    unpriced: usage.unpriced,
  };
}

/** `runs`: all of the workflow. What they used counts at the hour in which the workflow began. */
export function figuresOfWorkflow(workflow: WorkflowRow, runs: readonly RunRow[]): Figures {
  const parts = (group: Group, nameOf: (run: RunRow) => string): Sum[] =>
    [...Map.groupBy(runs, nameOf)].flatMap(([name, own]) => {
      const used = own.filter(({ usage }) => usage.requests > 0);
      if (used.length === 0) return [];
      const sum = used.reduce((total, { usage }) => addTotals(total, totalsOf(usage)), NO_TOTALS);
      return [{ group, name, ...sum, count: 1 }];
    });
  return {
    hour: hourOf(workflow.createdAt),
    sums: [
      { group: 'all', name: '', ...totalsOf(workflow.usage) },
      ...parts('agent', ({ agent }) => agent),
      ...parts('model', ({ envelope }) => envelope.model),
    ],
  };
}

export function figuresOfExecution({ queuedAt, usage }: RunRow): Figures {
  return { hour: hourOf(queuedAt), sums: [{ group: 'execution', name: '', ...totalsOf(usage) }] };
}

type Packed = [group: Group, name: string, ...totals: [number, number, number, number, number]];

/** As an index row has them: without the names of the fields, which would be most of it. */
export function textOf({ hour, sums }: Figures): string {
  const packed = sums.map(({ group, name, count, tokens, estimated, nanoUsd, unpriced }): Packed => [
    ...([group, name, count, tokens, estimated, nanoUsd, unpriced] as const),
  ]);
  return JSON.stringify([hour, packed]);
}

/** Null for a row from before they were kept. */
export function figuresIn(text: string | null | undefined): Figures | null {
  if (text == null) return null;
  const [hour, packed] = JSON.parse(text) as [string, Packed[]];
  const sums = packed.map(([group, name, count, tokens, estimated, nanoUsd, unpriced]) => ({
    ...{ group, name, count, tokens, estimated, nanoUsd, unpriced },
  }));
  return { hour, sums };
}

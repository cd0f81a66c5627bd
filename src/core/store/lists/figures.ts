/** Amounts that a workflow or an execution adds to the totals of its hour: stored with its index row, so that it can be subtracted again. */
import type { Totals } from '#contract/history/history-methods.ts';
import type { Tally } from '#contract/outcome.ts';
import { estimatedTokensOf, inputTokensOf } from '#domain/tally.ts';
import type { WorkflowRow } from '#contract/view.ts';
import type { PlainRun } from '../rows/reader.ts';

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

export const AMOUNTS = ['count', 'tokens', 'estimated', 'nanoUsd', 'unpriced'] as const satisfies (keyof Totals)[];

/** Totals with these amounts. */
export function mapAmounts(amountOf: (name: keyof Totals, index: number) => number): Totals {
  return Object.fromEntries(AMOUNTS.map((name, index) => [name, amountOf(name, index)])) as unknown as Totals;
}

export const NO_TOTALS: Totals = mapAmounts(() => 0);

export function addTotals(a: Totals, b: Totals, sign: 1 | -1 = 1): Totals {
  return mapAmounts((name) => a[name] + sign * b[name]);
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
export function figuresOfWorkflow(workflow: WorkflowRow, runs: readonly PlainRun[]): Figures {
  const parts = (group: Group, nameOf: (run: PlainRun) => string): Sum[] =>
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

export function figuresOfExecution({ queuedAt, usage }: PlainRun): Figures {
  return { hour: hourOf(queuedAt), sums: [{ group: 'execution', name: '', ...totalsOf(usage) }] };
}

/** Figures as the index stores them: without the names of the fields, which would be most of it. */
export type PackedFigures = [hour: string, sums: [Group, string, ...number[]][]];

export function packFigures({ hour, sums }: Figures): PackedFigures {
  return [hour, sums.map((sum) => [sum.group, sum.name, ...AMOUNTS.map((name) => sum[name])])];
}

export function unpackFigures([hour, sums]: PackedFigures): Figures {
  const unpack = ([group, name, ...amounts]: PackedFigures[1][number]): Sum => {
    return { group, name, ...mapAmounts((_, index) => amounts[index] ?? 0) };
  };
  return { hour, sums: sums.map(unpack) };
}

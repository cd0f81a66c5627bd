/** What all items of a batch have in common, as lines that are said once. Pure. */
import { summariesOf, type Summary } from '#contract/approvals/summary.ts';
import type { Question } from '#lib/view/phase.ts';
import type { BlockLine } from '#lib/words/decision-words.ts';
import { text } from '#lib/words/text.ts';

/** Every line of a summary. `provider`: the one that answers anyway, which needs no word. */
export function linesOf(summary: Summary, provider: string | undefined): BlockLine[] {
  const words = text.decide;
  const isElsewhere = summary.with.provider !== provider;
  return [...words.mayLines(summary), ...words.withLines(summary, isElsewhere), ...words.atMostLines(summary)];
}

/** Empty for a single question. */
export function alikeLines(batch: readonly Question[], provider: string | undefined): BlockLine[] {
  const all = batch.flatMap(({ spawn }) => {
    const [first] = spawn ? summariesOf(spawn, spawn.envelope) : [];
    return first ? [linesOf(first.summary, provider)] : [];
  });
  const [first = [], ...others] = all;
  if (others.length === 0) return [];
  return first.filter(({ value }) => others.every((lines) => lines.some((line) => line.value === value)));
}

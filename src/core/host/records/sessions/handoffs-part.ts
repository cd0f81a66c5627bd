/** How often a run handed its work over, to whom, and what came back. Pure. */
import type { Entry, HandoffEntry } from '#contract/message.ts';
import type { RunRow } from '#contract/view.ts';
import { verdictOf } from '#core/runs/loop/review-words.ts';
import { inline, quote } from '../markdown-parts.ts';
import { agentFileOf, wikilink } from './names.ts';
import { foldSupersededAnswer } from './reviews-part.ts';

export function handoffEntries(entries: readonly Entry[] = []): HandoffEntry[] {
  return entries.filter((entry) => entry.kind === 'handoff');
}

/** One item for each round, in order; empty if it handed over nothing. `runs`: of its workflow. `own`: the run itself. */
export function handoffsOf(
  handoffs: readonly HandoffEntry[],
  runs: readonly RunRow[],
  folder: string,
  own?: { run: RunRow; entries: readonly Entry[] },
): string[] {
  return handoffs.flatMap((out, index) => {
    if (out.back) return [];
    const served = runs.find(({ id }) => id === out.runId);
    const whom = served ? wikilink(folder, agentFileOf(served), out.to) : inline(out.to);
    const back = handoffs[index + 1]?.back;
    const head = `- Round ${out.round} of ${out.rounds}, ${whom}`;
    // Without a coagent the agent goes on by itself: nothing comes back.
    if (out.runId === null) return ['', `${head}: it went on by itself`];
    if (!back) return ['', `${head}: not back yet`];
    const said = back.review?.verdict?.critique ?? back.error ?? '';
    const found = back.review ? verdictOf(back.review) : back.outcome;
    const fold = own ? foldSupersededAnswer(out.answer, own.run, own.entries) : [];
    return ['', `${head}: ${found}`, ...(said === '' ? [] : ['', quote(said)]), ...fold];
  });
}

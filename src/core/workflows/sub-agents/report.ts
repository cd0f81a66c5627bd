/** The report on a sub-agent for its lead: the text of the last run of its chain, capped, and the metrics of the chain. */
import { MAX_REPORT_BYTES } from '#contract/limits.ts';
import { STATUS_OF } from '#domain/status-of.ts';
import { inputTokensOf } from '#domain/tally.ts';
import { type ChainEnd, sumLinks } from '../flows/chain.ts';
import { createReviewField } from '#contract/history/review-history.ts';
import type { PersonWords } from '#core/runs/workflow/person-words.ts';
import type { ChildReport } from '../../tools/children.ts';
import { reportPage } from '../../tools/read-report.ts';

/** The report on a sub-agent that has not started. */
export const EMPTY_REPORT = { report: '', error: null, durationMs: 0, tokensInput: 0, tokensOutput: 0 };

/** Returns the report on a sub-agent and its stages, under the id of its first run. `words`: messages of the person to them. */
export function reportOf({ links, outcome, error }: ChainEnd, words: Pick<PersonWords, 'of'>): ChildReport {
  const [{ runId, agent }, ...stages] = links;
  const last = links.at(-1)!;
  const { durationMs, tally } = sumLinks(links);
  const handedOn = links.slice(0, -1);
  const said = links.flatMap((link) => words.of(link.runId).map(({ text }) => text));
  return {
    runId,
    agent,
    status: STATUS_OF[outcome],
    outcome,
    report: reportPage(last.text, last.runId),
    error: outcome === 'completed' ? null : (error?.message ?? outcome),
    durationMs,
    tokensInput: inputTokensOf(tally),
    tokensOutput: tally.outputTokens,
    ...(said.length > 0 && { said }),
    ...createReviewField(last.reviews),
    ...(stages.length > 0 && {
      stages: stages.map((stage, index) => ({
        place: index + 1,
        agent: stage.agent,
        runId: stage.runId,
        outcome: stage.outcome,
      })),
    }),
    // The report on an incomplete chain contains the results of its completed runs.
    ...(outcome !== 'completed' &&
      handedOn.length > 0 && {
        gave: handedOn.map((link) => ({
          agent: link.agent,
          runId: link.runId,
          report: reportPage(link.text, link.runId, 0, MAX_REPORT_BYTES / links.length),
        })),
      }),
  };
}

/** The result of a workflow with the reason why it was chosen, as a sentence and as data. Pure. */
import { chooseResult, type ResultReason, findSupersededAnswers } from '#contract/flows/result.ts';
import type { Entry } from '#contract/message.ts';
import type { RunRow, WorkflowRow } from '#contract/view.ts';
import { inline } from '../markdown-parts.ts';
import { serversOf } from '../run-words.ts';

export interface WorkflowResult {
  run_id: string;
  agent_name: string;
  /** Number of the entry in its run; null if no review chose it. */
  entry: number | null;
  /** `last_stage`: the last agent of the chain gave it. */
  reason: ResultReason | 'last_stage';
  score: number | null;
  /** The superseded answers of the same run. */
  superseded: { entry: number; score: number | null }[];
}

/** Returns null for a workflow without a result, and for a single answer without a review. `entries`: by run id. */
export function chooseWorkflowResult(
  { runId, text, outcome }: Pick<WorkflowRow, 'runId' | 'text' | 'outcome'>,
  runs: readonly RunRow[],
  entries: ReadonlyMap<string, readonly Entry[]>,
): WorkflowResult | null {
  const lead = runs.find(({ id }) => id === runId);
  if (!lead || text === '' || outcome === null) return null;
  const stage = serversOf(lead, runs).findLast(({ kind }) => kind === 'chain');
  const run = stage ?? lead;
  const own = entries.get(run.id) ?? [];
  const chosen = chooseResult(run, own);
  const reason = chosen?.reason ?? (stage?.outcome === 'completed' ? 'last_stage' : null);
  if (reason === null) return null;
  const { entry = null, score = null } = chosen ?? {};
  return {
    run_id: run.id,
    agent_name: run.agent,
    entry,
    reason,
    score,
    superseded: chosen ? findSupersededAnswers(run, own).map((one) => ({ ...one })) : [],
  };
}

const REASONS: Readonly<Record<WorkflowResult['reason'], string>> = {
  approved: 'its review passed',
  completed: 'the coagent completed it and ended the work',
  declared: 'the agent called its work complete',
  best: 'it has the highest score, and the rounds were used up',
  last: 'it is the latest one, and the rounds were used up',
  last_stage: 'it is the answer of the last agent of the chain',
};

/** Returns a sentence such as "Answer of writer, 90 of 100: its review passed. Superseded: 1 answer (60 of 100).". */
export function formatWorkflowResult({ agent_name: agent, reason, score, superseded }: WorkflowResult): string {
  const points = (value: number | null): string => (value === null ? '' : `, ${value} of 100`);
  const scores = superseded.map((one) => (one.score === null ? 'no score' : `${one.score} of 100`)).join(', ');
  const count = superseded.length === 1 ? '1 answer' : `${superseded.length} answers`;
  const others = superseded.length === 0 ? '' : ` Superseded: ${count} (${scores}).`;
  return `Answer of ${inline(agent)}${points(score)}: ${REASONS[reason]}.${others}`;
}

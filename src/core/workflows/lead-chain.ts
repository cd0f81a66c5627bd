/** Runs a lead and its stages. The stages work at its depth, and the last one gives the answer. */
import { endedAtLimit } from '#contract/ended-at-limit.ts';
import { errorInfo } from '../base/errors.ts';
import { chainsIn, hasEnded, linkOf, runChain, sumLinks } from './flows/chain.ts';
import type { Engine } from '../runs/engine.ts';
import { type EndedRun, executeRun } from '#core/runs/execute-run.ts';
import type { RunPlan } from '../runs/run-plan.ts';
import type { LiveRun } from '#core/runs/workflow/run-tree.ts';
import { type Lead, LEAD_EXTENSIONS } from './lead.ts';
import { ChainRuns, type FirstRun } from './sub-agents/chain-runs.ts';
import type { Workflow } from '#core/runs/workflow/workflow.ts';

/** Never rejects for an error of a run. */
export async function runLead(
  engine: Engine,
  workflow: Workflow,
  live: LiveRun,
  { plan, lead }: { plan: RunPlan; lead: Lead },
): Promise<EndedRun> {
  const { row, children } = lead;
  const execute = () => executeRun({ engine, workflow, live }, plan, LEAD_EXTENSIONS);
  if (plan.envelope.stages.length === 0) return execute();
  const first = createFirstRun(plan, row, chainsIn(children).get(live.runId) ?? []);
  const ended = row?.outcome === 'completed' ? linkOf(row) : null;
  const retry = ended ? findRetriedStage(first, workflow) : null;
  const own = ended ?? (await execute());
  // No further request uses the context of the lead.
  live.context = null;
  if (own.outcome !== 'completed') return own;
  const runs = new ChainRuns({ engine, workflow, ids: plan.recorder.ids, depth: plan.depth });
  const started = { ...own, runId: live.runId, agent: plan.envelope.agent };
  try {
    const { links, outcome, error } = await runChain(started, plan, (next) => runs.runStage(live, first, next, retry));
    const last = links.at(-1)!;
    // The code decides if a higher limit can continue it.
    const code = error && endedAtLimit(last) ? { code: last.error?.code ?? error.code } : {};
    return { outcome, text: last.text, error: error && { ...error, ...code }, ...sumLinks(links) };
  } catch (error) {
    return { ...own, outcome: 'interrupted', error: errorInfo(error) };
  }
}

function createFirstRun(plan: RunPlan, row: Lead['row'], stages: FirstRun['stages']): FirstRun {
  const { runId: id, agent } = plan.recorder.ids;
  const { envelope, envelopeHash, chain: parentChain } = plan;
  return {
    id,
    agent,
    title: agent,
    kind: 'lead',
    queuedAt: new Date().toISOString(),
    parentRunId: null,
    toolCallId: null,
    item: 0,
    envelope,
    envelopeHash,
    parentChain,
    stored: row,
    stages,
  };
}

/** Returns the id of the stage that an earlier attempt did not complete; null if the person stopped its retry. */
function findRetriedStage({ stages }: FirstRun, { subAgents }: Workflow): string | null {
  const stopped = subAgents.endRetries();
  const last = stages.at(-1);
  const isFailed = last && hasEnded(last) && last.outcome !== 'completed';
  return isFailed && !stopped.has(last.id) ? last.id : null;
}

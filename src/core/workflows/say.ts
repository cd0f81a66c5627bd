/** What the person says to a sub-agent that works: kept at once, and read by it before its next request. */
import { spawnIndex } from '#contract/spawn-items.ts';
import { mustExist, TriadError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import type { Engine } from '../runs/engine.ts';
import type { Orchestrator } from './orchestrator.ts';
import type { Workflow } from '#core/runs/workflow/workflow.ts';

/** Resolves when it is stored. Starts nothing, and is no answer to a question. Rejects with `conflict` where nobody would read it. */
export async function sayTo(engine: Engine, orchestrator: Orchestrator, runId: string, text: string): Promise<void> {
  const { store, log, gate } = engine;
  const row = await mustExist(store.run(runId), `There is no run ${runId}`);
  const { conversationId, workflowId, parentRunId, agent, kind, parentChain } = row;
  if (kind === 'lead') throw new TriadError('conflict', 'This is the lead: write to it in the conversation');
  if (kind === 'coagent')
    throw new TriadError('conflict', `It works for ${parentChain.at(-2)}: say it to that one, which decides with it`);
  await log.open(conversationId);
  await log.knowRun(runId);
  // No wait from here on: what is seen now still holds when it is said.
  const workflow = orchestrator.active().find(({ id }) => id === workflowId);
  if (!workflow || !isOpen(workflow, runId))
    throw new TriadError('conflict', 'This agent has ended: it does not read this any more');
  const isAsked = gate.pending().some(({ request: { subject }, decisions }) => {
    const item = spawnIndex(subject, runId);
    return item >= 0 && decisions[item] === null;
  });
  if (isAsked) throw new TriadError('conflict', 'This agent waits for your yes: change what it is told there');
  const word = { id: newId(), text, at: new Date().toISOString() };
  workflow.words.add(runId, word);
  const ids = { conversationId, workflowId, runId, parentRunId, agent };
  await log.append({ type: 'run-say', ...ids, at: word.at, wordId: word.id, text });
}

/** Whether it works, or goes on in this workflow. */
function isOpen({ runs, subAgents }: Workflow, runId: string): boolean {
  const live = runs.get(runId);
  if (live) return !live.ending && !live.controller.signal.aborted;
  const outcome = subAgents.get(runId)?.outcome;
  return outcome === null || outcome === 'interrupted';
}

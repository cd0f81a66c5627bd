/** A fork that goes on from a step: what that needs to be so, and the workflow that does. */
import type { ApprovePolicy, Budget, Envelope } from '#contract/agent.ts';
import type { Entry } from '#contract/message.ts';
import type { ForkStep, Step } from '#contract/messages/fork.ts';
import type { ConversationRow, RunRow, WorkflowRow } from '#contract/view.ts';
import type { AgentRegistry } from '../agents/registry.ts';
import { mustExist, TriadError } from '../base/errors.ts';
import { canonicalHash } from '../base/hash.ts';
import { newId } from '../base/ids.ts';
import { RUN_LIMITS, workflowBudget } from '../budget/limits.ts';
import { loadSteps, wayDown } from '../log/step-cache.ts';
import { nextStep } from '../log/transcript.ts';
import type { Engine } from '../runs/engine.ts';
import { narrowerMode } from '../runs/narrowing.ts';
import type { Settings } from '../settings/settings.ts';
import { refuseUntold, storedEnvelope } from './again/held-against-now.ts';
import { leadEnvelope } from './lead.ts';
import { FRESH, limitsIn, type Opening } from './opening.ts';
import type { Orchestrator } from './orchestrator.ts';

/** Makes the workflow in the fork, by that one's id. */
type GoingOn = (conversationId: string) => Promise<Opening>;

/**
 * The work is done with the settings that it had, and asks about no less than it would now. Rejects with `conflict` for a
 * step that nothing follows, or whose steps are not known by their content, or where the demo is on and it would ask the
 * real model; with `not_found` or `not_allowed` where what its lead was told is not there or not trusted now.
 */
export async function goingOn(
  { engine, orchestrator }: { engine: Engine; orchestrator: Pick<Orchestrator, 'refuseRealInDemo'> },
  row: WorkflowRow,
  { conversation, approve, ...at }: Step & { conversation: ConversationRow; approve: ApprovePolicy },
): Promise<GoingOn> {
  const { store } = engine;
  const { folder } = conversation;
  if (row.again)
    throw new TriadError('conflict', 'This ran one agent again, alone, and has no steps of a lead: run that one again');
  const step = stepOf(row, at);
  if (row.taken) await refuseGone(engine, step);
  const steps = await loadSteps(store, step);
  if (!steps) throw new TriadError('conflict', GONE);
  refuse(steps.entries, step, steps.row);
  orchestrator.refuseRealInDemo(steps.row.envelope.provider);
  await engine.model(steps.row.envelope.provider);
  const agents = await engine.agents.of(folder);
  const limits = await limitsIn(engine, folder);
  const envelope = await asOfNow(engine, storedEnvelope(steps.row), { row, conversation, agents, limits: limits() });
  return async (conversationId) => {
    for (const { sha256 } of row.images ?? [])
      await engine.outputs.copyImage(row.conversationId, conversationId, sha256);
    return {
      ...FRESH,
      ...{ id: newId(), conversationId, leadRunId: newId(), prompt: row.prompt, approve },
      ...(row.images && { images: row.images }),
      ...(row.chosen && { chosen: row.chosen }),
      ...{
        from: step,
        steps,
        agents,
        limits,
        envelope,
        envelopeHash: canonicalHash(envelope),
        budget: workflowBudget(limits()),
      },
    };
  };
}

interface Now {
  row: Pick<WorkflowRow, 'prompt' | 'chosen'>;
  conversation: ConversationRow;
  agents: AgentRegistry;
  limits: Settings['limits'];
}

/** What was chosen for the message stays; what the settings and the lead's definition say of questions and budgets may be stricter now. */
async function asOfNow(engine: Engine, then: Envelope, { row, conversation, agents, limits }: Now): Promise<Envelope> {
  refuseUntold(then, agents);
  const { prompt, chosen } = row;
  const lead = { ...conversation, agent: then.agent };
  const { envelope: now } = await leadEnvelope(engine, agents, lead, prompt, { limits, ...(chosen && { chosen }) });
  const requires = [...new Set([...(then.requiresApproval ?? []), ...(now.requiresApproval ?? [])])].sort();
  return {
    ...then,
    approvalMode: narrowerMode(then, now),
    limits: lowered(then.limits, now.limits.budget),
    ...(requires.length > 0 && { requiresApproval: requires }),
  };
}

function lowered(then: Envelope['limits'], now: Budget = {}): Envelope['limits'] {
  const both = RUN_LIMITS.flatMap((limit): [string, number][] => {
    const set = [then.budget?.[limit], now[limit]].filter((one) => one !== undefined);
    return set.length === 0 ? [] : [[limit, Math.min(...set)]];
  });
  return both.length === 0 ? then : { ...then, budget: Object.fromEntries(both) };
}

/** Of what was taken over the steps are where it was done. */
function stepOf({ id, conversationId, runId: lead, taken }: WorkflowRow, { runId, entry }: Step): ForkStep {
  if (!taken) return { conversationId, workflowId: id, runId, entry };
  return { ...taken, runId: runId === lead ? taken.runId : runId, entry };
}

const GONE = 'The steps of this are not kept any more: fork it without going on, and write what is to be done';

async function refuseGone({ store }: Pick<Engine, 'store'>, { conversationId }: ForkStep): Promise<void> {
  const first = await store.conversation(conversationId);
  if (!first || first.deletedAt) throw new TriadError('conflict', GONE);
}

function refuse(lead: readonly Entry[], { runId, entry }: ForkStep, { id }: RunRow): void {
  const first = lead.find((one) => one.kind === 'assistant' && !one.interrupted);
  if (first?.kind === 'assistant' && !first.request)
    throw new TriadError(
      'conflict',
      'This was made by an earlier version, which kept no keys of its steps: fork it without going on, and write what is to be done',
    );
  if (runId !== id || lead.every(({ n }) => n !== entry)) return;
  const until = lead.filter(({ n }) => n <= entry);
  const isLast = lead.every(({ n, kind }) => n <= entry || kind !== 'assistant');
  if (isLast && nextStep(until).do === 'close')
    throw new TriadError(
      'conflict',
      'Nothing follows this step: fork it without going on, and write what is to be done next',
    );
}

/** The entry of the lead's run before which the history ends where it is forked at a step: of a sub-agent, before its report. */
export async function leadEntryOf(
  { store }: Pick<Engine, 'store'>,
  row: Pick<WorkflowRow, 'id' | 'runId'>,
  { runId, entry }: Step,
): Promise<number> {
  const run = await mustExist(store.run(runId), `There is no run ${runId}`);
  if (run.workflowId !== row.id) throw new TriadError('not_found', `There is no run ${runId} in this workflow`);
  const entries = await store.entriesOf(runId);
  if (entries.every(({ n }) => n !== entry))
    throw new TriadError('not_found', `There is no entry ${entry} in this ${runId === row.runId ? 'workflow' : 'run'}`);
  if (runId === row.runId) return entry;
  const below = wayDown(await store.runsOf([row.id]), row.runId, runId);
  const lead = await store.entriesOf(row.runId);
  const result = lead.find((one) => one.kind === 'tool' && one.toolCallId === below?.toolCallId);
  return result ? result.n - 1 : (lead.at(-1)?.n ?? 0);
}

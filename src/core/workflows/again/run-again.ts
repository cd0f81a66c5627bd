/** Runs one execution again, alone: a new conversation whose only workflow is this execution, asked about like any start. */
import type { Envelope } from '#contract/agent.ts';
import { isServing } from '#contract/flows/serving.ts';
import type { AgainOf } from '#contract/messages/again.ts';
import type { Output, Parsed } from '#contract/rpc.ts';
import { ZERO_TALLY } from '#contract/tally.ts';
import type { ConversationRow, RunRow } from '#contract/view.ts';
import type { AgentRegistry } from '../../agents/registry.ts';
import { canonicalFolder } from '../../base/canonical-folder.ts';
import { mustExist, TriadError } from '../../base/errors.ts';
import { canonicalHash } from '../../base/hash.ts';
import { newId } from '../../base/ids.ts';
import { workflowBudget } from '../../budget/limits.ts';
import type { Engine } from '../../runs/engine.ts';
import { startAction } from '../../runs/questions.ts';
import { leadEnvelope } from '../lead.ts';
import { FRESH, limitsIn } from '../opening.ts';
import type { Orchestrator } from '../orchestrator.ts';
import { refuseInTrash } from '../trash.ts';
import { TOOL_OF } from './alone.ts';
import { heldAgainstNow, storedEnvelope } from './held-against-now.ts';

/**
 * Resolves once its start is stored: nothing works before the yes to it. Whatever forbids it is told before anything is
 * created. The old conversation is told last, so that a crash leaves at most a link out.
 */
export async function runAgain(
  engine: Engine,
  orchestrator: Orchestrator,
  { runId, approve, via }: Parsed<'run.again'>,
): Promise<Output<'run.again'>> {
  const { store, log } = engine;
  const { row, lead, chosen } = await firstOf(engine, runId);
  const envelope = storedEnvelope(row);
  orchestrator.refuseRealInDemo(envelope.provider);
  const conversation = await rowFor(envelope.folder, lead);
  const { folder } = conversation;
  const agents = await engine.agents.of(folder);
  const limits = await limitsIn(engine, folder);
  const title = row.title === row.agent ? '' : `: ${row.title}`;
  const prompt = `Run ${row.agent} again${title}`;
  const parent = await createLoneLead(engine, agents, conversation, { prompt, limits: limits(), chosen });
  await engine.model(parent.envelope.provider);
  await heldAgainstNow(engine, envelope, { parent: parent.envelope, agents, limits: limits() });
  const of = againOf(row);
  const ids = { conversationId: conversation.id, workflowId: newId(), runId: newId() };
  await refuseDenied(engine, parent.envelope, { envelope, of, ids });
  await log.begin(conversation);
  const about = { id: ids.workflowId, conversationId: ids.conversationId, leadRunId: ids.runId, prompt, approve, via };
  await orchestrator.begin({
    ...FRESH,
    ...about,
    ...parent,
    chosen,
    again: of,
    agents,
    limits,
    budget: workflowBudget(limits()),
  });
  await tellFirst(engine, row, ids);
  await mustExist(store.conversation(ids.conversationId), 'The new conversation was not stored');
  return ids;
}

/** Creates the envelope of a lead that only starts one agent, without coagent and stages. */
async function createLoneLead(
  engine: Engine,
  agents: AgentRegistry,
  conversation: ConversationRow,
  { prompt, ...how }: { prompt: string } & Parameters<typeof leadEnvelope>[4],
) {
  const { envelope: whole, notices } = await leadEnvelope(engine, agents, conversation, null, how);
  const { flow: _, output: __, ...own } = whole;
  const envelope: Envelope = { ...own, prompt, stages: [] };
  return { envelope, envelopeHash: canonicalHash(envelope), notices };
}

/** With the agent that had it started, and what was chosen for that. */
async function firstOf({ store }: Engine, runId: string) {
  const row = await mustExist(store.run(runId), `There is no run ${runId}`);
  const gone = `There is no run ${runId}`;
  const [conversation, workflow] = await Promise.all([
    mustExist(store.conversation(row.conversationId), gone),
    mustExist(store.workflow(row.workflowId), gone),
  ]);
  refuseInTrash(conversation);
  if (row.parentRunId === null)
    throw new TriadError(
      'conflict',
      'This is the lead, and only a sub-agent can be run again alone: fork its conversation',
    );
  if (row.outcome === null) throw new TriadError('conflict', 'This agent has not ended yet');
  const lead = await store.run(workflow.runId);
  return { row, lead: lead?.agent ?? conversation.agent, chosen: workflow.chosen ?? {} };
}

async function rowFor(folder: string, agent: string): Promise<ConversationRow> {
  const at = new Date().toISOString();
  const path = await canonicalFolder(folder);
  return { id: newId(), title: '', folder: path, agent, createdAt: at, updatedAt: at, lastSeq: 0, usage: ZERO_TALLY };
}

/** Whatever started the first, it is one agent now: temporary where no file defines it. */
function againOf({ id: runId, conversationId, workflowId, envelope, envelopeHash, kind }: RunRow): AgainOf {
  const isTemporary = kind === 'spawn' || (!isServing({ kind }) && envelope.definitionHash === null);
  return { conversationId, workflowId, runId, envelopeHash, as: isTemporary ? 'spawn' : 'delegate' };
}

/** The question would be answered no at once. */
async function refuseDenied(
  { permissions, tools }: Engine,
  lead: Envelope,
  { envelope, of, ids }: { envelope: Envelope; of: AgainOf; ids: Output<'run.again'> },
): Promise<void> {
  const asks = { ...ids, parentRunId: null, agent: lead.agent };
  const tool = TOOL_OF[of.as];
  const action = startAction({ recorder: { ids: asks }, kind: 'lead', envelope: lead }, tools.get(tool), {
    tool,
    envelope,
  });
  const { effect, reason } = await permissions.explain(action);
  if (effect === 'deny') throw new TriadError('not_allowed', reason);
}

async function tellFirst({ log }: Engine, row: RunRow, { conversationId: to, workflowId }: Output<'run.again'>) {
  const { id: runId, conversationId, workflowId: first, parentRunId, agent } = row;
  await log.open(conversationId);
  await log.knowRun(runId);
  const about = { conversationId, workflowId: first, runId, parentRunId, agent, at: new Date().toISOString() };
  await log.append({ type: 'run-again', ...about, again: { conversationId: to, workflowId } });
}

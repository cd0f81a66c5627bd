/** The lead of a workflow: its envelope, its plan with the earlier conversation, and the end of the workflow. */
import type { AgentDefinition, Envelope, McpOffer } from '#contract/agent.ts';
import type { Image } from '#contract/message.ts';
import type { LeadChoice } from '#contract/messages/sending.ts';
import type { ConversationRow, RunRow } from '#contract/view.ts';
import { ZERO_TALLY } from '#domain/tally.ts';
import { describeAgentList } from '../agents/prompts/agent-list.ts';
import type { AgentRegistry } from '../agents/registry.ts';
import type { Engine } from '../runs/engine.ts';
import { TriadError } from '../base/errors.ts';
import { partnerFor } from './flows/partner.ts';
import { canonicalHash } from '../base/hash.ts';
import { traceIdOf } from '../base/ids.ts';
import { Recorder } from '#core/store/log/recorder.ts';
import type { Earlier } from '#core/store/log/told.ts';
import { toolClashes } from '../runs/agent-tools.ts';
import { loadOpenCalls } from './interrupted-calls.ts';
import { getEnvironment } from './environment.ts';
import type { EndedRun } from '#core/runs/execute-run.ts';
import type { RunExtensions } from '../runs/run.ts';
import type { RunPlan } from '../runs/run-plan.ts';
import { loadStored } from '../runs/stored-run.ts';
import type { Settings } from '../settings/settings.ts';
import { SubAgents } from './sub-agents/sub-agents.ts';
import { usageOf } from '../base/usage.ts';
import type { Workflow } from '#core/runs/workflow/workflow.ts';

export interface Lead {
  envelope: Envelope;
  envelopeHash: string;
  /** The stored run of a resumed lead; null for a new one. */
  row: RunRow | null;
  /** The stored runs of its sub-agents and their stages. */
  children: RunRow[];
  /** Start time from `performance.now()`. */
  startedAt: number;
  /** Returns the envelope with the offers of further MCP servers; left out for a resumed lead. */
  offered?: ((more: readonly McpOffer[]) => Pick<Lead, 'envelope' | 'envelopeHash'>) | undefined;
  /** True for the first workflow of the conversation. */
  isFirst: boolean;
  /** Pictures of the message. */
  images: Image[] | undefined;
}

/** Creates the envelope of a lead for a message. `prompt`: null for no message. */
export async function leadEnvelope(
  engine: Engine,
  agents: AgentRegistry,
  conversation: ConversationRow,
  prompt: string | null,
  { limits, chosen = {} }: { limits: Settings['limits']; chosen?: LeadChoice },
): Promise<Pick<Lead, 'envelope' | 'envelopeHash' | 'offered'> & { notices: string[] }> {
  const definition = leadNamed(agents, conversation.agent);
  const { folder } = conversation;
  const { envelopes, mcp } = engine;
  const [{ offers, notices }, environment] = await Promise.all([
    mcp.offers(folder),
    getEnvironment(engine, conversation),
  ]);
  const offered = (more: readonly McpOffer[]) => {
    const all = [...offers, ...more];
    const envelope = envelopes.lead(definition, prompt, folder, limits, all, agents, chosen, environment);
    return { envelope, envelopeHash: canonicalHash(envelope) };
  };
  const lead = offered([]);
  const aboutAgents = describeAgentList(lead.envelope, agents.delegable());
  return {
    ...lead,
    offered,
    notices: [...notices, ...toolClashes(agents), ...(aboutAgents === null ? [] : [aboutAgents])],
  };
}

/** Throws `not_found` for an agent that cannot be used. */
export function leadNamed(agents: AgentRegistry, name: string): AgentDefinition {
  const definition = agents.lookup(name);
  if (!definition) throw new TriadError('not_found', `agent not found: "${name}"`);
  return definition;
}

export function leadRecorder({ log, open }: Engine, workflow: Workflow, agent: string, row: RunRow | null): Recorder {
  const { conversationId, id: workflowId, runs } = workflow;
  const ids = { conversationId, workflowId, runId: runs.leadRunId, parentRunId: null, agent };
  return new Recorder(log, open, ids, row?.usage ?? ZERO_TALLY, workflow.record);
}

export function queueOf(workflow: Workflow, envelope: Envelope, envelopeHash: string) {
  return {
    type: 'run-queue' as const,
    kind: 'lead' as const,
    depth: 0,
    name: envelope.agent,
    title: workflow.title,
    task: envelope.prompt,
    toolCallId: null,
    item: 0,
    parentChain: ['user', envelope.agent],
    traceId: traceIdOf(workflow.runs.leadRunId),
    envelope,
    envelopeHash,
  };
}

export async function planOf(
  engine: Engine,
  workflow: Workflow,
  recorder: Recorder,
  { envelope, envelopeHash, row, children, startedAt, isFirst, images }: Lead,
): Promise<RunPlan> {
  return {
    recorder,
    kind: 'lead',
    depth: 0,
    chain: ['user', envelope.agent],
    envelope,
    envelopeHash,
    ...(images && { images }),
    attempt: (row?.attempt ?? 0) + 1,
    retried: false,
    stored: await loadStored(engine.store, row, children),
    prior: isFirst ? [] : await saidBefore(engine, workflow),
    queuedMs: performance.now() - startedAt,
    queueDepth: 0,
  };
}

/** Returns the parts that only a lead has. */
export const LEAD_EXTENSIONS: RunExtensions = { partner: partnerFor, children: (run) => new SubAgents(run) };

/** Returns what was said in the conversation before this workflow: the entries of the leads, oldest first. */
export async function saidBefore(
  engine: Engine,
  workflow: Pick<Workflow, 'conversationId' | 'id'>,
): Promise<RunPlan['prior']> {
  const earlier = await engine.earlierLeads.load(workflow.conversationId, workflow.id);
  const prior: Earlier[] = [];
  for (const { row, lead } of earlier) {
    const openCalls = row.outcome === 'interrupted' && (await loadOpenCalls(engine, row, lead.history.entries));
    prior.push(openCalls ? { ...lead, openCalls } : lead);
  }
  return prior;
}

/** Ends a queued message that was cancelled before it started: nothing of it is sent to the model later. */
export async function recordWithdrawal(workflow: Workflow, recorder: Recorder): Promise<void> {
  const error = { code: 'cancelled' as const, message: 'Withdrawn before it started' };
  const end = { outcome: 'cancelled' as const, text: '', error, durationMs: 0 };
  void recorder.record({ type: 'run-end', ...end, usage: usageOf(ZERO_TALLY), entries: 0 });
  await recordEnd(workflow, recorder, end);
}

export async function recordEnd(
  workflow: Workflow,
  recorder: Recorder,
  { outcome, text, error, durationMs }: Omit<EndedRun, 'tally'>,
): Promise<void> {
  const usage = usageOf(workflow.record.tally);
  const subAgents = workflow.subAgents.summaries();
  await recorder.record({ type: 'workflow-end', outcome, text, error, durationMs, usage, subAgents });
}

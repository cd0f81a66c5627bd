/** The lead of a workflow: what its run is built from, what it is told of the conversation, and the end of the whole. */
import type { AgentDefinition, Envelope, McpOffer } from '#contract/agent.ts';
import type { Entry, Image } from '#contract/message.ts';
import type { AgainOf } from '#contract/messages/again.ts';
import type { LeadChoice } from '#contract/messages/sending.ts';
import type { ConversationRow, RunRow, WorkflowRow } from '#contract/view.ts';
import { ZERO_TALLY } from '#contract/tally.ts';
import { describeAgentList } from '../agents/prompts/agent-list.ts';
import type { AgentRegistry } from '../agents/registry.ts';
import type { Engine } from '../runs/engine.ts';
import { TriadError } from '../base/errors.ts';
import { partnerFor } from '../flows/partner.ts';
import { canonicalHash } from '../base/hash.ts';
import { traceIdOf } from '../base/ids.ts';
import { Recorder } from '../log/recorder.ts';
import type { RunSteps } from '../log/step-cache.ts';
import { Transcript } from '../log/transcript.ts';
import { toolClashes } from '../runs/agent-tools.ts';
import { loadOpenCalls } from './interrupted-calls.ts';
import { getEnvironment } from './environment.ts';
import type { EndedRun } from '../runs/run.ts';
import type { RunPlan } from '../runs/run-plan.ts';
import { loadStored } from '../runs/stored-run.ts';
import type { Settings } from '../settings/settings.ts';
import { aloneFor } from './again/alone.ts';
import { SubAgents } from './sub-agents/sub-agents.ts';
import { usageOf } from '../base/usage.ts';
import type { Workflow } from './workflow.ts';
import { loadWorkflows } from '../runs/undo/undo-events.ts';

export interface Lead {
  envelope: Envelope;
  envelopeHash: string;
  /** The stored run when it goes on. */
  row: RunRow | null;
  /** The rows of its sub-agents and of their stages, likewise. */
  children: RunRow[];
  /** By the clock that never jumps. */
  startedAt: number;
  /** Its envelope with what more MCP servers offer; left out for one that goes on. */
  offered?: ((more: readonly McpOffer[]) => Pick<Lead, 'envelope' | 'envelopeHash'>) | undefined;
  /** Nothing was said in the conversation before. */
  isFirst: boolean;
  /** Of a fork that goes on: the lead's where that was forked; else null. */
  steps: RunSteps | null;
  /** Of the message. */
  images: Image[] | undefined;
  /** The execution that it has run again, which is all that it does. */
  again?: AgainOf | undefined;
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
  { envelope, envelopeHash, row, children, startedAt, isFirst, images, steps, again }: Lead,
): Promise<RunPlan> {
  const plan: RunPlan = {
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
    ...(isFirst ? { prior: [], left: [] } : await saidBefore(engine, workflow)),
    steps,
    queuedMs: performance.now() - startedAt,
    queueDepth: 0,
    partner: again ? null : partnerFor(engine, workflow, envelope),
    ...(again && { alone: aloneFor(engine, workflow, again, envelope) }),
    children: (history, signal) => new SubAgents({ engine, workflow, plan, signal, history }),
  };
  return plan;
}

/** What was said in the conversation before this workflow: the leads' entries, oldest first; apart, what was left. */
export async function saidBefore(
  engine: Engine,
  workflow: Pick<Workflow, 'conversationId' | 'id'>,
): Promise<Pick<RunPlan, 'prior' | 'left'>> {
  const { store } = engine;
  const rows = (await loadWorkflows(store, workflow.conversationId)).filter(({ id }) => id < workflow.id);
  const told = rows.filter(({ left }) => !left);
  const left = rows.filter((row) => row.left);
  const entriesOf = async ({ id: workflowId, runId }: WorkflowRow) => ({
    workflowId,
    entries: await store.entriesOf(runId),
  });
  return {
    prior: await Promise.all(
      told.map(async (row) => {
        const entries = await loadPriorEntries(store, row);
        const openCalls = await loadOpenCalls(engine, row, entries);
        return { runId: row.runId, history: new Transcript(entries), ...(openCalls && { openCalls }) };
      }),
    ),
    left: await Promise.all(left.map(entriesOf)),
  };
}

/** Returns the entries of an earlier lead and the result of its stages, which the person has read. */
export async function loadPriorEntries(
  store: Pick<Engine['store'], 'entriesOf' | 'run'>,
  { runId, text, createdAt, endedAt }: WorkflowRow,
): Promise<Entry[]> {
  const [entries, run] = await Promise.all([store.entriesOf(runId), store.run(runId)]);
  const stages = run?.outcome === 'completed' ? run.envelope.stages : [];
  if (stages.length === 0 || text === '') return entries;
  const names = stages.map(({ agent }) => agent).join(', then to ');
  const words = `[Triad: your answer was passed to ${names}. This is the result that the person got:]\n\n${text}`;
  const at = endedAt ?? createdAt;
  return [...entries, { kind: 'user', source: 'engine', text: words, n: entries.length, at }];
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

/** Checks whether a fork can continue from a step or before the start of a sub-agent, and makes the copy that it resumes. */
import { type AgentDefinition, type ApprovePolicy, type Budget, type Coagent, Envelope } from '#contract/agent.ts';
import { isSubAgent } from '#contract/flows/serving.ts';
import { allServing } from '#contract/flows/serving-text.ts';
import type { EventDraft } from '#contract/event.ts';
import type { Entry } from '#contract/message.ts';
import type { ForkStep, Step } from '#contract/messages/fork.ts';
import type { ConversationRow, RunRow, WorkflowRow } from '#contract/view.ts';
import type { AgentRegistry } from '../agents/registry.ts';
import { mustExist, TriadError } from '../base/errors.ts';
import { canonicalHash } from '../base/hash.ts';
import { newId } from '../base/ids.ts';
import { budgetOf, getRunLimits, RUN_LIMITS, workflowBudget } from '#core/runs/budget/limits.ts';
import { callsOf, nextStep } from '#core/store/log/transcript.ts';
import type { Engine } from '../runs/engine.ts';
import { narrowerMode } from '#core/runs/envelopes/narrowing.ts';
import { startAction } from '#core/runs/questions.ts';
import type { Settings } from '../settings/settings.ts';
import { copyEvents, copyFiles, listContinuing, loadCopySource } from './copied-workflow.ts';
import { type RunPart, findPath } from './copied-runs.ts';
import { leadEnvelope } from './lead.ts';
import { limitsIn } from './opening.ts';
import type { Orchestrator } from './orchestrator.ts';

/** The work of a fork that continues from a step: its copied events, then its resume. */
export interface ForkContinuation {
  step: Step;
  /** Makes the events of the workflow that continues. `runs`: ids of copied lead runs, by the ids of their originals. */
  copy: (conversationId: string, runs: ReadonlyMap<string, string>) => Promise<EventDraft[]>;
  /** Resumes the copied workflow. Call it when the copy is stored. */
  begin: () => Promise<void>;
}

/**
 * Prepares a fork that continues from a step. The copied runs use their stored envelopes. They require at least the
 * approvals of the current settings. Without an entry, the run of the step starts again.
 *
 * Rejects with:
 * - `conflict` if nothing follows the step, if the step is deleted, or if the demo is active and the work needs a real model
 * - `conflict` without an entry, unless the run is a sub-agent that has ended
 * - `not_found` or `not_allowed` if an agent, or a file in its prompt, is missing or not trusted now
 * - `not_allowed` if a rule denies the start of the sub-agent
 * - `envelope_mismatch` if a stored envelope does not match its hash
 */
export async function prepareContinuation(
  { engine, orchestrator }: { engine: Engine; orchestrator: Pick<Orchestrator, 'refuseRealInDemo' | 'resume'> },
  row: WorkflowRow,
  { conversation, approve, ...at }: Step & { conversation: ConversationRow; approve: ApprovePolicy },
): Promise<ForkContinuation> {
  const { folder } = conversation;
  const { workflow, runId } = await findOrigin(engine, row, at.runId);
  const { entry } = at;
  const step: ForkStep = {
    conversationId: workflow.conversationId,
    workflowId: workflow.id,
    runId,
    ...(entry !== undefined && { entry }),
  };
  if (entry === undefined) refuseToStart(await loadRun(engine, workflow, runId));
  else await leadEntryOf(engine, workflow, { runId, entry });
  const source = await loadCopySource(engine.store, workflow, step);
  const [first] = source.parts;
  if (!first) throw new TriadError('conflict', GONE);
  const lead = first.run;
  refuseLast(await engine.store.entriesOf(lead.id), first, step);
  const agents = await engine.agents.of(folder);
  const limits = (await limitsIn(engine, folder))();
  const leadNow = await narrowToCurrent(engine, storedEnvelope(lead), { row: workflow, conversation, agents, limits });
  for (const run of listContinuing(source)) {
    const envelope = storedEnvelope(run);
    for (const part of [envelope, ...allServing(envelope)]) refuseChangedSources(part, agents);
    orchestrator.refuseRealInDemo(envelope.provider);
    await engine.model(envelope.provider);
    if (entry === undefined && run.id === runId) await refuseDenied(engine, first, leadNow, run);
  }
  let workflowId = '';
  return {
    step: { runId: at.runId, ...(entry !== undefined && { entry }) },
    copy: async (conversationId, runs) => {
      // Ids are in order of time. A new one makes this workflow the newest of the fork.
      workflowId = newId();
      const budget = workflowBudget(limits);
      const narrow = (envelope: Envelope, { id }: RunRow): Envelope =>
        id === lead.id ? leadNow : narrowEnvelope(envelope, leadNow, budgetOf(getRunLimits(limits, false)));
      const drafts = copyEvents(source, { conversationId, workflowId, runs }, { approve, budget, narrow });
      await copyFiles(engine.outputs, source, drafts);
      return drafts;
    },
    begin: () => orchestrator.resume(workflowId, approve),
  };
}

interface CurrentConfiguration {
  row: Pick<WorkflowRow, 'prompt' | 'chosen'>;
  conversation: ConversationRow;
  agents: AgentRegistry;
  limits: Settings['limits'];
}

/** Returns the lead's envelope with the approvals and budgets of the current settings and definition, if those are stricter. */
async function narrowToCurrent(
  engine: Engine,
  then: Envelope,
  { row, conversation, agents, limits }: CurrentConfiguration,
): Promise<Envelope> {
  refuseChangedSources(then, agents);
  const { prompt, chosen } = row;
  const lead = { ...conversation, agent: then.agent };
  const { envelope: now } = await leadEnvelope(engine, agents, lead, prompt, { limits, ...(chosen && { chosen }) });
  return narrowEnvelope(then, now, now.limits.budget);
}

/** Returns an envelope whose agent, stages and coagents require every approval of `now` and use at most the budget `most`. */
function narrowEnvelope(then: Envelope, now: Envelope, most: Budget | undefined): Envelope {
  const narrow = <T extends Coagent>(part: T): T => {
    const requires = [...new Set([...(part.requiresApproval ?? []), ...(now.requiresApproval ?? [])])].sort();
    return {
      ...part,
      approvalMode: narrowerMode(part, now),
      limits: lowerLimits(part.limits, most),
      ...(requires.length > 0 && { requiresApproval: requires }),
    };
  };
  const withCoagent = <T extends Pick<Envelope, 'flow'>>(part: T): T =>
    part.flow?.coagent ? { ...part, flow: { ...part.flow, coagent: narrow(part.flow.coagent) } } : part;
  const stages = then.stages.map((stage) => withCoagent(narrow(stage)));
  return { ...withCoagent(narrow(then)), stages };
}

function lowerLimits(then: Envelope['limits'], now: Budget = {}): Envelope['limits'] {
  const both = RUN_LIMITS.flatMap((limit): [string, number][] => {
    const set = [then.budget?.[limit], now[limit]].filter((one) => one !== undefined);
    return set.length === 0 ? [] : [[limit, Math.min(...set)]];
  });
  return both.length === 0 ? then : { ...then, budget: Object.fromEntries(both) };
}

/** Returns the first workflow of a copy, which has the steps of all runs. Any other workflow is its own origin. */
async function findOrigin(
  engine: Pick<Engine, 'store'>,
  row: WorkflowRow,
  runId: string,
): Promise<{ workflow: WorkflowRow; runId: string }> {
  const { copiedFrom } = row;
  if (!copiedFrom) return { workflow: row, runId };
  const [conversation, origin] = await Promise.all([
    engine.store.conversation(copiedFrom.conversationId),
    engine.store.workflow(copiedFrom.workflowId),
  ]);
  if (!conversation || conversation.deletedAt || !origin) throw new TriadError('conflict', GONE);
  return findOrigin(engine, origin, runId === row.runId ? copiedFrom.runId : runId);
}

const GONE = 'The steps of this are not kept any more: fork it without going on, and write what is to be done';

/** Throws `conflict` for the last step of a completed lead. */
function refuseLast(all: readonly Entry[], { run, entries }: RunPart, { runId }: ForkStep): void {
  if (runId !== run.id || run.envelope.stages.length > 0) return;
  const isLast = all.every(({ n, kind }) => n < entries.length || kind !== 'assistant');
  if (isLast && nextStep(entries).do === 'close')
    throw new TriadError(
      'conflict',
      'Nothing follows this step: fork it without going on, and write what is to be done next',
    );
}

/** Throws `conflict` for a run that cannot start again by itself. */
function refuseToStart(run: RunRow): void {
  const { id, conversationId, kind, outcome, agent, parentRunId, parentChain } = run;
  const steps = `go on from its first step instead, with "triad sessions fork ${conversationId} --at ${id}:0 --go-on"`;
  if (parentRunId === null)
    throw new TriadError('conflict', `This is the lead, and only a sub-agent can be run again: ${steps}`);
  if (!isSubAgent(run)) {
    const part = kind === 'chain' ? 'a stage of a chain' : `the coagent of ${parentChain.at(-2)}`;
    throw new TriadError('conflict', `${agent} is ${part}, and starts with that: ${steps}`);
  }
  if (outcome === null)
    throw new TriadError('conflict', 'This agent has not ended yet: wait until it ends, or stop it first');
}

/** Throws `not_allowed` if a rule would reject the start: the fork would send requests for nothing. */
async function refuseDenied(engine: Engine, { entries }: RunPart, lead: Envelope, run: RunRow): Promise<void> {
  const { toolCallId, envelope, kind } = run;
  const calls = entries.flatMap((entry) => (entry.kind === 'assistant' ? callsOf(entry) : []));
  const tool = calls.find(({ id }) => id === toolCallId)?.name ?? '';
  const ids = { conversationId: newId(), workflowId: newId(), runId: newId(), parentRunId: null, agent: lead.agent };
  const known = engine.tools.get(tool);
  const start = { tool, isTemporary: kind === 'spawn', envelope };
  const { effect, reason } = await engine.permissions.explain(
    startAction({ recorder: { ids }, kind: 'lead', envelope: lead }, known, start),
  );
  if (effect === 'deny') throw new TriadError('not_allowed', reason);
}

/** Throws `envelope_mismatch` for an envelope that cannot be read, or is not the one that the run was started with. */
function storedEnvelope({ envelope, envelopeHash }: Pick<RunRow, 'envelope' | 'envelopeHash'>): Envelope {
  if (Envelope.safeParse(envelope).success && canonicalHash(envelope) === envelopeHash) return envelope;
  throw new TriadError(
    'envelope_mismatch',
    'The stored settings of this run are not those that it was started with: it cannot start again',
  );
}

/** Throws if the agent of the envelope does not exist, or a file in its prompt is missing or not trusted. */
function refuseChangedSources(envelope: Coagent, agents: AgentRegistry): void {
  if (envelope.definitionHash !== null) findDefinition(envelope, agents);
  for (const { path } of envelope.instructions ?? []) {
    if (agents.instructions.some((one) => one.path === path)) continue;
    throw new TriadError(
      'not_allowed',
      `${envelope.agent} was told what ${path} says, which is not there or not trusted now: see "triad trust"`,
    );
  }
}

/** Finds a definition by name. A temporary agent that is based on a definition has another name, and the hash of its file. */
function findDefinition({ agent, definitionHash }: Coagent, agents: AgentRegistry): AgentDefinition {
  const found = agents.lookup(agent) ?? agents.list({ enabled: true }).find(({ hash }) => hash === definitionHash);
  if (found) return found;
  const hint = agents.untrusted.length > 0 ? ' (files of this folder are not trusted: see "triad trust")' : '';
  throw new TriadError('not_found', `agent not found: "${agent}"${hint}`);
}

async function loadRun({ store }: Pick<Engine, 'store'>, row: Pick<WorkflowRow, 'id'>, runId: string): Promise<RunRow> {
  const run = await mustExist(store.run(runId), `There is no run ${runId}`);
  if (run.workflowId !== row.id) throw new TriadError('not_found', `There is no run ${runId} in this workflow`);
  return run;
}

/** Returns the last entry of the lead's run in a fork at a step. For a step of a sub-agent, it is before the report. */
export async function leadEntryOf(
  { store }: Pick<Engine, 'store'>,
  row: Pick<WorkflowRow, 'id' | 'runId'>,
  { runId, entry }: Step & { entry: number },
): Promise<number> {
  await loadRun({ store }, row, runId);
  const entries = await store.entriesOf(runId);
  if (entries.every(({ n }) => n !== entry))
    throw new TriadError('not_found', `There is no entry ${entry} in this ${runId === row.runId ? 'workflow' : 'run'}`);
  if (runId === row.runId) return entry;
  const [, below] = findPath(await store.runsOf([row.id]), runId);
  const lead = await store.entriesOf(row.runId);
  const result = lead.find((one) => one.kind === 'tool' && one.toolCallId === below?.toolCallId);
  return result ? result.n - 1 : (lead.at(-1)?.n ?? 0);
}

/** What the loop of one run may use: its turn at the provider, its limits, its tools' contexts, its questions. */
import type { Budget } from '#contract/agent.ts';
import type { Undo } from '#contract/change.ts';
import { agentToolsOf } from './agent-tools.ts';
import { createEmit } from './create-emit.ts';
import type { Emit } from '../log/recorder.ts';
import type { RunSteps } from '../log/step-cache.ts';
import { compact } from '../loop/compaction.ts';
import { CompactionDesk } from '../loop/compaction-desk.ts';
import { wholeSize } from '../loop/context-size.ts';
import type { RunContext, RunQuestions } from '../loop/run-context.ts';
import { compactAtOf } from '../settings/context-settings.ts';
import { mcpTools } from '../mcp/mcp-tool.ts';
import { questionsOf } from './questions.ts';
import type { Parts } from './run-parts.ts';
import { isLeadOrItsStage, type RunPlan } from './run-plan.ts';
import { takenSteps } from './taken-steps.ts';
import { contextsFor, planFor } from './tool-contexts.ts';
import { describeUnsentTools, selectSentTools, specsOf, toldOf } from './told-tools.ts';
import { undosToTell, undosWithout } from './told-undos.ts';
import { sayMore } from '../loop/say-more.ts';
import { sideRequest } from '../loop/side-request.ts';
import { isRaised, limitsOf, sumUse } from '../budget/limits.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { Tool } from '../tools/tool.ts';
import type { ProviderLimiter } from '../model/provider-limiter.ts';
import { RequestRetries } from '../model/request-retries.ts';
import type { ModelError, ToolSpec } from '../model/model.ts';
import { Stopped } from '../base/stop.ts';
import type { LimitedRun } from '../approvals/limit-questions.ts';
import { refuseReplacedFolder } from '../approvals/replaced-folder.ts';
import { handedOn } from '../tools/long-output.ts';
import { findChangeSet } from './workspace-of.ts';

export function createRunContext(parts: Parts): RunContext {
  const { engine, plan, signal, history, watchdog, model, children } = parts;
  const { envelope, stored } = plan;
  const questions = questionsOf({
    ...parts,
    explain: (approval, stop) => sayMore(run, approval, AbortSignal.any([signal, stop]), createEmit(parts)),
  });
  const noted = planFor(parts);
  const limiter = engine.requests.limiter(model.provider);
  const registry = engine.tools
    .with(mcpTools(envelope.mcp ?? [], parts.mcp))
    .with(agentToolsOf(parts.workflow.agents, envelope.tools));
  const tools = plan.alone ? [plan.alone.tool] : registry.offered(envelope.tools, plan.kind === 'lead');
  // As it is when the attempt begins: what happens later changes nothing in the list.
  const offered = children?.isExhausted() ? tools.filter(({ startsAgents }) => !startsAgents) : tools;
  const run: RunContext = {
    steps: takenSteps(parts),
    leads: plan.kind === 'lead',
    envelope,
    history,
    prior: plan.prior,
    left: plan.left,
    ...roomFor(parts, () => run),
    plan: () => noted.read(),
    signal,
    watchdog,
    // With one request at a time the response would keep what it starts from its turn.
    get early() {
      return limiter.limit > 1;
    },
    tools,
    startsAgents: (name) => registry.startsAgents(name),
    stored: storedOf(stored),
    limits: limitsFor(parts),
    ...requestsFor(parts, limiter),
    ...recordsFor(parts),
    ...specsFor(parts, registry, { tools, offered }, questions),
    toolContext: contextsFor(parts, questions, noted, (ask) => sideRequest(run, ask, createEmit(parts))),
    checkFolder: (toolCallId, tool) => checkFolder(run, engine, toolCallId, tool),
    ask: questions.ask,
    askAgain: questions.askAgain,
    get partner() {
      return partner;
    },
    unheard: () => parts.workflow.words.unheard(plan.recorder.ids.runId, history.entries),
    undone: undosFor(parts),
    changedBy: (toolCallId) => findChangeSet(engine, { ...plan, ...plan.recorder.ids }, toolCallId, signal),
    backgroundReports: async (wait) => {
      if (!children) return null;
      // Sub-agents have watchdogs of their own.
      const resume = watchdog.hold();
      return children.backgroundReports(wait).finally(resume);
    },
  };
  const partner = plan.partner?.(run, plan) ?? null;
  return run;
}

/** Throws `not_allowed` for a tool that reaches the workspace folder if that was replaced. */
async function checkFolder(
  { envelope, toolContext }: Pick<RunContext, 'envelope' | 'toolContext'>,
  { workspaces: { roots } }: Parts['engine'],
  toolCallId: string,
  tool: Tool,
): Promise<void> {
  if (tool.permissions.length > 0 && (await roots.isReplaced(envelope.folder)))
    await refuseReplacedFolder(roots, await toolContext(toolCallId, tool));
}

/** How requests are made, and what they cost. */
function requestsFor(
  { engine, plan, model, watchdog, workflow }: Parts,
  limiter: ProviderLimiter,
): Pick<RunContext, 'model' | 'retries' | 'seesImages' | 'queue' | 'admit' | 'price'> {
  const { envelope, kind } = plan;
  return {
    model,
    retries: () =>
      new RequestRetries({
        ...engine.requests.retryPorts(model.provider),
        tryNow: workflow.tryNow,
        interruptsOnSilence: kind === 'lead',
        isOtherRunWorking: () => workflow.budget.clock.isRunning,
        interrupt: (failure) => workflow.runs.controller.abort(createProviderStop(failure)),
      }),
    seesImages: engine.capabilities(envelope.provider, envelope.model).vision !== false,
    queue: () => limiter.queue({ free: kind === 'lead' }),
    // The lead would wait for itself where its children hold all permits, so it takes one only where there is one.
    admit: async (until) => {
      const resume = watchdog.hold();
      return limiter.acquire(model, until, { free: kind === 'lead' }).finally(resume);
    },
    price: (usage) => engine.price(envelope.model, usage),
  };
}

/** Returns the stop reason of a workflow whose provider does not answer. */
function createProviderStop({ message }: ModelError): Stopped {
  return new Stopped('provider', `The provider did not answer. Last error: ${message}`);
}

/** How large its context may become, and who makes room in it. */
function roomFor(
  { engine, plan: { envelope } }: Parts,
  run: () => RunContext,
): Pick<RunContext, 'contextWindow' | 'compactAt' | 'compactions'> {
  const byHand = async (emit: Emit) => compact(run(), emit, { auto: false, tokensBefore: await wholeSize(run()) });
  return {
    contextWindow: engine.capabilities(envelope.provider, envelope.model).contextWindow,
    compactAt: () => compactAtOf(engine.settings),
    compactions: new CompactionDesk(byHand),
  };
}

function specsFor(
  { engine, plan, children }: Parts,
  registry: ToolRegistry,
  { tools, offered }: Record<'tools' | 'offered', readonly Tool[]>,
  questions: RunQuestions,
): Pick<RunContext, 'toolSpecs' | 'specs'> {
  let told: Promise<Tool[]> | null = null;
  let sentNames: ReadonlySet<string> | null = null;
  const { envelope } = plan;
  const knownSpecs = () =>
    specsOf(registry, tools, questions, {
      setup: engine.envelopes.setup(envelope.provider),
      maxSubAgents: children?.maxSubAgents ?? 0,
    });
  const specs = async () => {
    told ??= toldOf(offered, questions);
    const names = new Set((await told).map(({ name }) => name));
    const known = await knownSpecs();
    const wantedSpecs = known.filter(({ name }) => names.has(name));
    sentNames ??= selectTools(plan, wantedSpecs);
    return { known, told: wantedSpecs.filter(({ name }) => sentNames?.has(name)) };
  };
  return { specs, toolSpecs: async () => (await specs()).told };
}

/** Selects the tools that fit into each request of an attempt. A workflow reports once which tools do not fit. */
function selectTools({ kind, attempt, recorder }: RunPlan, specs: readonly ToolSpec[]): ReadonlySet<string> {
  const { names, unsent } = selectSentTools(specs);
  // A sub-agent has no tool of a server that its lead lacks.
  for (const group of kind === 'lead' && attempt === 1 ? unsent : [])
    void recorder.record({ type: 'notice', level: 'warning', text: describeUnsentTools(group) });
  return names;
}

/** Calls, and what was decided of each: what was asked while one ran is no answer to it. */
function storedOf({ calls, approvals }: RunPlan['stored']): RunContext['stored'] {
  const own = approvals.filter(({ request }) => !request.during);
  return {
    calls: new Map(calls.map((call) => [call.toolCallId, call])),
    approvals: new Map(own.map((approval) => [approval.request.toolCallId, approval])),
  };
}

function recordsFor({
  engine,
  plan: { recorder },
}: Parts): Pick<RunContext, 'hint' | 'noteSilence' | 'streamed' | 'handOn' | 'image'> {
  const { conversationId, runId } = recorder.ids;
  return {
    hint: (piece) => recorder.hint(piece),
    noteSilence: (silence) => recorder.publishSilence(silence),
    streamed: (messageId) => recorder.streamed(messageId),
    handOn: (toolCallId, output) =>
      handedOn(output, toolCallId, () => engine.outputs.keep({ conversationId, runId, toolCallId }, output)),
    image: (hash) => engine.outputs.image(conversationId, hash),
  };
}

function undosFor({ engine, plan, history }: Parts): RunContext['undone'] {
  const { changes } = engine.workspaces;
  const { conversationId, runId } = plan.recorder.ids;
  // Where nothing was done before there is nothing to undo, and no disk to wait for.
  const isNew = plan.stored.calls.length === 0 && plan.prior.length === 0;
  const left = plan.left.map(({ workflowId }) => workflowId);
  let seen = isNew ? changes.undoCount(conversationId) : null;
  let steps = plan.steps;
  return async () => {
    // Where this was forked from, it was undone before anything was taken from there.
    const there = steps && undosToTell(await undosThere(engine, steps), history.entries, null);
    steps = null;
    if (there) return there;
    const count = changes.undoCount(conversationId);
    if (count === seen) return null;
    seen = count;
    const said = [...plan.prior.flatMap((one) => one.history.entries), ...history.entries];
    const undos =
      left.length === 0 ? await changes.undos(conversationId) : undosWithout(await changes.of(conversationId), left);
    return undosToTell(undos, said, plan.kind === 'lead' ? null : runId);
  };
}

/** Of what was done there, also of what had been taken from elsewhere there; in order of time. */
async function undosThere({ workspaces: { changes } }: Parts['engine'], { doers }: RunSteps): Promise<Undo[]> {
  const found = await Promise.all(
    [...doers].map(async ([conversationId, runs]) => {
      const undos = await changes.undos(conversationId);
      return undos.filter(({ calls }) => calls.some(({ runId }) => runs.has(runId)));
    }),
  );
  return found.flat().sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

function limitsFor({ workflow, plan, clock, signal, watchdog }: Parts): RunContext['limits'] {
  const { recorder, envelope, chain, stored } = plan;
  const { runId } = recorder.ids;
  const own = (): Budget => workflow.budget.limitsOfRun(runId, limitsOf(envelope));
  const limitedRun: LimitedRun = {
    recorder,
    chain,
    folder: envelope.folder,
    signal,
    storedQuestions: stored.approvals,
    limits: own,
    used: () => sumUse(recorder.tally, clock.ms),
  };
  // A stage that follows the lead asks itself: the lead has ended, and would not ask again after a restart.
  if (isLeadOrItsStage(plan)) workflow.limitQuestions.setLead(limitedRun);
  return {
    admit: (turns) => workflow.budget.admit(runId, own(), sumUse(recorder.tally, clock.ms, turns)),
    askPerson: (bound) => {
      const resume = watchdog.hold();
      return workflow.limitQuestions.answer(limitedRun, bound).finally(resume);
    },
    withdraw: () => workflow.budget.withdraw(runId),
    lastInput: () => workflow.budget.lastInput(runId),
    noteMiscount: () => workflow.budget.noteMiscount(),
    isRaised: (bound) => isRaised(bound, bound.of === 'run' ? own() : workflow.budget.limits),
    close: () => workflow.runs.close(runId),
  };
}

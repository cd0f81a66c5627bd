/** Runs one agent from its envelope to its recorded end, whatever way it ends. */
import { DEMO_NOTICE } from '#contract/providers/demo.ts';
import { isServing } from '#contract/flows/serving.ts';
import { itemHashes } from '#contract/item-hashes.ts';
import type { Review, SystemEntry, UserEntry } from '#contract/message.ts';
import type { Outcome, Tally } from '#contract/outcome.ts';
import { droppedDecision } from '../approvals/policy.ts';
import { agentLoop } from '../loop/agent-loop.ts';
import type { RunContext } from '../loop/run-context.ts';
import { createRunContext } from './create-run-context.ts';
import { closing, type RunResult } from '../loop/closing.ts';
import { createEmit } from './create-emit.ts';
import type { Engine } from './engine.ts';
import { errorInfo, TriadError } from '../base/errors.ts';
import { canonicalHash } from '../base/hash.ts';
import { Transcript, nextStep, reviewedIn, salvaged } from '../log/transcript.ts';
import { limitEnd, limitNotice, limitRemark } from '../budget/limit-notices.ts';
import { isRaised, limitsOf } from '../budget/limits.ts';
import { TimeUp, watchTime } from '../budget/time-limit.ts';
import type { Ending } from '../loop/stop-conditions.ts';
import { providerTraits } from '../model/provider-traits.ts';
import type { Emit, Payload, Recorded } from '../log/recorder.ts';
import { isLeadOrItsStage, type RunPlan } from './run-plan.ts';
import { tellUnpriced } from './tell-unpriced.ts';
import { warnUnlisted } from './warn-unlisted.ts';
import { Stopped, stopOf } from '../base/stop.ts';
import { usageOf } from '../base/usage.ts';
import { RunMcp } from '../mcp/run-mcp.ts';
import { RunShell } from '../workspace/shell/run-shell.ts';
import { Watchdog } from '../base/watchdog.ts';
import { WorkClock } from '../base/work-clock.ts';
import type { LiveRun } from './run-tree.ts';
import type { WorkflowScope } from './workflow-scope.ts';

export interface EndedRun extends RunResult {
  /** All reviews of its answers, in order; left out if there are none. */
  reviews?: Review[];
  durationMs: number;
  tally: Tally;
}

/** What may be asked of the context of a run that works. */
function contextOf(run: RunContext): LiveRun['context'] {
  return { desk: run.compactions, history: run.history, prior: run.prior, tools: () => run.toolSpecs() };
}

/** Never rejects for what happens to the run itself; an interruption by the program is told but not recorded. */
export async function executeRun(
  engine: Engine,
  workflow: WorkflowScope,
  live: LiveRun,
  plan: RunPlan,
): Promise<EndedRun> {
  const { recorder, envelope, stored } = plan;
  const { signal } = live.controller;
  const start = performance.now();
  const history = new Transcript(stored.entries);
  const clock = new WorkClock(stored.workedMs);
  const silent = (): void => live.controller.abort(new Stopped('timeout'));
  const watchdog = new Watchdog(envelope.limits.inactivityMs, silent, [clock, workflow.budget.clock]);
  const children = plan.children?.(history, signal) ?? null;
  const hands = handsOf(engine, plan, signal);
  const unwatch = endInTime(workflow, live, plan, clock);
  let ending: Ending;
  try {
    if (canonicalHash(envelope) !== plan.envelopeHash) {
      throw new TriadError(
        'envelope_mismatch',
        'The stored settings of this run are not those that were approved: it was not started',
      );
    }
    void recorder.record(startOf(plan));
    dropQuestions(plan, workflow);
    open(plan, history);
    recordModelNotices({ engine, workflow, plan });
    const model = await engine.model(envelope.provider, recorder.ids.conversationId);
    await children?.resumeBackground();
    const known = { engine, workflow, plan, signal, history, watchdog, clock };
    const parts = { ...known, ...hands, model, children };
    const run = createRunContext(parts);
    // Nobody asks for room in the context of one that asks no model.
    if (!plan.alone) live.context = contextOf(run);
    const result = await drive(createEmit(parts), plan.alone?.loop(run) ?? agentLoop(run));
    ending = { result, remark: null };
  } catch (error) {
    ending = endOf(error, signal, history);
  } finally {
    watchdog.stop();
    unwatch();
    workflow.budget.leave(recorder.ids.runId);
    workflow.runs.close(recorder.ids.runId);
  }
  await Promise.all([children?.end(), hands.shell.end(), hands.mcp.end()]);
  const durationMs = stored.activeMs + performance.now() - start;
  const { result, remark } = ending;
  const reviewed = reviewedIn(history.entries);
  if (remark) void recorder.record({ type: 'message-end', entry: history.add(remark) });
  if (result.outcome !== 'interrupted') {
    const worked = { runMs: clock.ms, workflowMs: workflow.budget.clock.ms };
    const figures = { durationMs, worked, usage: usageOf(recorder.tally), entries: history.entries.length };
    void recorder.record({ type: 'run-end', ...result, ...figures, ...reviewed });
  }
  return { ...result, ...reviewed, durationMs, tally: recorder.tally };
}

function recordModelNotices(parts: { engine: Engine; workflow: WorkflowScope; plan: RunPlan }): void {
  tellUnpriced(parts);
  warnUnlisted(parts);
  tellDemo(parts.plan);
}

function startOf(plan: RunPlan): Extract<Payload, { type: 'run-start' }> {
  const { attempt, envelope, envelopeHash, queuedMs, queueDepth } = plan;
  const wait = { queuedMs, ...(queueDepth > 0 ? { queueDepth } : {}) };
  const serves = isServing(plan) ? { serves: true as const } : {};
  return { type: 'run-start', attempt, envelope, envelopeHash, ...wait, ...serves };
}

/** What a run reaches out with; whoever made it ends it. */
function handsOf(engine: Engine, { recorder, envelope }: RunPlan, signal: AbortSignal) {
  const { conversationId } = recorder.ids;
  const shell = new RunShell(engine.shell, engine.outputs.background(recorder.ids), signal);
  return { shell, mcp: new RunMcp(engine.mcp, { folder: envelope.folder, conversationId }, signal) };
}

/** Closes questions of an earlier attempt that no one waits for: asked in a call, or about a limit that was extended. */
function dropQuestions({ recorder, envelope, stored: { approvals } }: RunPlan, { budget }: WorkflowScope): void {
  const own = budget.limitsOfRun(recorder.ids.runId, limitsOf(envelope));
  for (const { request, decisions } of approvals) {
    const { during, subject, id: approvalId } = request;
    const isExtended =
      subject.kind === 'limit' && isRaised(subject.bound, subject.bound.of === 'run' ? own : budget.limits);
    if (!during && !isExtended) continue;
    const why = during ? 'The call that asked it was interrupted' : 'The limit was extended';
    itemHashes(subject).forEach((hash, item) => {
      if (decisions[item] !== null) return;
      void recorder.record({ type: 'approval-decide', approvalId, decision: droppedDecision(item, hash, why) });
    });
  }
}

/** The first words to a fresh run are its prompt; a resumed one goes on where its history ends. */
function open({ recorder, envelope, kind, attempt, retried, stored, images }: RunPlan, history: Transcript): void {
  type Words = Pick<UserEntry, 'kind' | 'source' | 'text' | 'images'> | Pick<SystemEntry, 'kind' | 'code' | 'text'>;
  const tell = (words: Words): void => {
    void recorder.record({ type: 'message-end', entry: history.add(words) });
  };
  if (retried) tell({ kind: 'system', code: 'retried', text: `Tried again by the person (attempt ${attempt})` });
  else if (attempt > 1) tell({ kind: 'system', code: 'resumed', text: `Resumed (attempt ${attempt})` });
  if (!history.entries.some((entry) => entry.kind === 'user')) {
    tell({
      kind: 'user',
      source: kind === 'lead' ? 'person' : 'parent',
      text: envelope.prompt,
      ...(images && { images }),
    });
  } else if (retried && !limitNotice(history.entries)) {
    const step = nextStep(history.entries);
    const isWhole = step.do === 'close' && closing(step.last, history.entries).outcome === 'completed';
    // A whole answer that is still to be reviewed goes on with its review.
    const goesOn = step.do !== 'close' || (isWhole && (envelope.reflection ?? envelope.flow) !== undefined);
    const misfit = UNFIT.includes(stored.error?.code ?? '') ? notAsPromised(stored.error?.message) : null;
    if (misfit ?? !goesOn) tell({ kind: 'user', source: 'engine', text: misfit ?? GO_ON });
  }
}

/** For an agent that had answered, but not completely; one that was cut off is simply asked again. */
const GO_ON =
  'Your last answer was not complete. Go on with the task from where you stopped, with your tools where they help, and write the whole final report.';

/** Errors of an answer that is whole, and cannot be handed on. */
const UNFIT: readonly string[] = ['invalid_chain_payload', 'invalid_output'];

const notAsPromised = (why = ''): string =>
  `${why}\n\nWrite your last message again, whole, so that it fits, with your tools where they help.`;

/** Said once for each workflow, wherever it is shown. */
function tellDemo({ recorder, envelope: { provider }, kind }: RunPlan): void {
  if (!providerTraits(provider).isScripted || kind !== 'lead') return;
  void recorder.record({ type: 'notice', level: 'info', text: DEMO_NOTICE });
}

/** Records what the loop tells, and hands back what it may wait for. */
async function drive(emit: Emit, loop: AsyncGenerator<Payload, RunResult, Recorded>): Promise<RunResult> {
  let next = await loop.next();
  while (!next.done) next = await loop.next(await emit(next.value));
  return next.value;
}

/** Ends the run at its own time limit; a lead and its stages also at the time limit of the workflow. */
function endInTime(workflow: WorkflowScope, live: LiveRun, plan: RunPlan, clock: WorkClock): () => void {
  const { budget } = workflow;
  const end = (stop: TimeUp): void => {
    // Whoever raises the limit now comes too late, and is told so.
    workflow.runs.close(live.runId);
    live.controller.abort(stop);
  };
  const own = watchTime('run', clock, () => budget.limitsOfRun(live.runId, limitsOf(plan.envelope)), end);
  const whole = isLeadOrItsStage(plan) ? watchTime('workflow', budget.clock, () => budget.limits, end) : null;
  return () => {
    own();
    whole?.();
  };
}

function endOf(error: unknown, signal: AbortSignal, history: Transcript): Ending {
  const text = salvaged(history.entries);
  const cause = signal.aborted ? stopOf(signal) : error;
  if (cause instanceof TimeUp) return { result: { text, ...limitEnd(cause) }, remark: limitRemark(cause.bound) };
  const info = errorInfo(cause);
  const as = (outcome: Outcome): RunResult => ({ outcome, text, error: info });
  if (info.code === 'interrupted' || info.code === 'store_failed') return { result: as('interrupted'), remark: null };
  if (info.code === 'inactive') return { result: as('timed_out'), remark: null };
  if (!(cause instanceof Stopped)) return { result: as('error'), remark: null };
  return { result: as('cancelled'), remark: { kind: 'system', code: 'cancelled', text: info.message } };
}

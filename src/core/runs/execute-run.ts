/** Runs one agent from its envelope to its recorded end. */
import { DEMO_NOTICE } from '#contract/providers/demo.ts';
import { isServing } from '#contract/flows/serving.ts';
import { itemHashes } from '#domain/item-hashes.ts';
import type { Review, SystemEntry, UserEntry } from '#contract/message.ts';
import type { Outcome, Tally } from '#contract/outcome.ts';
import { droppedDecision } from '#core/approvals/policy.ts';
import { agentLoop } from './loop/agent-loop.ts';
import { closing, type RunResult } from './loop/closing.ts';
import type { Engine } from './engine.ts';
import { errorInfo, TriadError } from '#core/base/errors.ts';
import { canonicalHash } from '#core/base/hash.ts';
import { type Transcript, nextStep, reviewedIn, salvaged } from '#core/store/log/transcript.ts';
import { limitEnd, limitNotice, limitRemark } from './budget/limit-notices.ts';
import { isRaised } from './budget/limits.ts';
import { TimeUp, watchTime } from './budget/time-limit.ts';
import type { Ending } from './loop/stop-conditions.ts';
import { providerTraits } from '#core/model/provider-traits.ts';
import type { Emit, Payload, Recorded } from '#core/store/log/recorder.ts';
import { isLeadOrItsStage, type RunPlan } from './run-plan.ts';
import { recordUnpricedNotice, recordUnlistedNotice } from './model-notices.ts';
import { Stopped, stopOf } from '#core/base/stop.ts';
import { usageOf } from '#core/base/usage.ts';
import type { LiveRun } from './workflow/run-tree.ts';
import type { Workflow } from './workflow/workflow.ts';
import { Run, type RunExtensions } from './run.ts';

export interface EndedRun extends RunResult {
  /** Reviews of the answers, in order; left out if there are none. */
  reviews?: Review[];
  durationMs: number;
  tally: Tally;
}

/** Returns the access of the person to the context of a working run. */
function getContextAccess(run: Run): LiveRun['context'] {
  return { compactions: run.compactions, history: run.history, prior: run.prior, tools: () => run.tools.specs() };
}

/** Resolves for every end of the run, also for an error. Returns an interruption by the program, but does not record it. */
export async function executeRun(
  { engine, workflow, live }: { engine: Engine; workflow: Workflow; live: LiveRun },
  plan: RunPlan,
  extensions: RunExtensions = { partner: null, children: null },
): Promise<EndedRun> {
  // A run is created only from approved settings: damaged ones could throw in a constructor.
  if (canonicalHash(plan.envelope) !== plan.envelopeHash) return endUnapproved(plan, workflow, live);
  const start = performance.now();
  const run = new Run({ engine, workflow, live }, plan, extensions);
  const { recorder, history, signal, clock } = run;
  const unwatch = endInTime(run, live);
  let ending: Ending;
  try {
    void recorder.record(createRunStart(plan));
    dropQuestions(run);
    open(plan, history);
    recordModelNotices(run);
    await run.begin();
    live.context = getContextAccess(run);
    const result = await drive(run.emit, agentLoop(run));
    ending = { result, remark: null };
  } catch (error) {
    ending = createEnding(error, signal, history);
  } finally {
    run.watchdog.stop();
    unwatch();
    closeRun(workflow, live);
  }
  await run.end();
  const durationMs = plan.stored.activeMs + performance.now() - start;
  const { result, remark } = ending;
  const reviewed = reviewedIn(history.entries);
  if (remark) void recorder.record({ type: 'message-end', entry: history.add(remark) });
  const ended = { ...result, ...reviewed, durationMs, tally: recorder.tally };
  if (result.outcome !== 'interrupted') recordRunEnd(plan, workflow, ended, clock.ms);
  return ended;
}

/** Ends a run whose stored settings are not those that were approved. Nothing of it is started. */
function endUnapproved(plan: RunPlan, workflow: Workflow, live: LiveRun): EndedRun {
  const { recorder, stored } = plan;
  const why = 'The stored settings of this run are not those that were approved: it was not started';
  const ended: EndedRun = {
    outcome: 'error',
    text: salvaged(stored.entries),
    error: errorInfo(new TriadError('envelope_mismatch', why)),
    ...reviewedIn(stored.entries),
    durationMs: stored.activeMs,
    tally: recorder.tally,
  };
  closeRun(workflow, live);
  recordRunEnd(plan, workflow, ended, stored.workedMs);
  return ended;
}

function closeRun({ budget, runs }: Workflow, { runId }: LiveRun): void {
  budget.leave(runId);
  runs.close(runId);
}

/** `runMs`: time that the run has worked in all its attempts. */
function recordRunEnd({ recorder, stored }: RunPlan, { budget }: Workflow, ended: EndedRun, runMs: number): void {
  const { tally, ...result } = ended;
  const worked = { runMs, workflowMs: budget.clock.ms };
  const figures = { worked, usage: usageOf(tally), entries: stored.entries.length };
  void recorder.record({ type: 'run-end', ...result, ...figures });
}

function recordModelNotices(run: Run): void {
  recordUnpricedNotice(run);
  recordUnlistedNotice(run);
  recordDemoNotice(run.plan);
}

function createRunStart(plan: RunPlan): Extract<Payload, { type: 'run-start' }> {
  const { attempt, envelope, envelopeHash, queuedMs, queueDepth } = plan;
  const wait = { queuedMs, ...(queueDepth > 0 ? { queueDepth } : {}) };
  const serves = isServing(plan) ? { serves: true as const } : {};
  return { type: 'run-start', attempt, envelope, envelopeHash, ...wait, ...serves };
}

/** Closes questions of an earlier attempt that no one waits for: asked in a call, or about a limit that was extended. */
function dropQuestions({ recorder, limits, plan, workflow: { budget } }: Run): void {
  const own = limits.limits();
  for (const { request, decisions } of plan.stored.approvals) {
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

/** Adds the prompt to the history of a fresh run. A resumed run continues at the end of its history. */
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
    // A complete answer without its review continues with the review.
    const goesOn = step.do !== 'close' || (isWhole && (envelope.reflection ?? envelope.flow) !== undefined);
    const misfit = UNFIT.includes(stored.error?.code ?? '') ? notAsPromised(stored.error?.message) : null;
    if (misfit ?? !goesOn) tell({ kind: 'user', source: 'engine', text: misfit ?? GO_ON });
  }
}

/** Sent to an agent whose answer was incomplete. An answer that was cut off is requested again without a message. */
const GO_ON =
  'Your last answer was not complete. Go on with the task from where you stopped, with your tools where they help, and write the whole final report.';

/** Errors of a complete answer that does not fit the required format. */
const UNFIT: readonly string[] = ['invalid_chain_payload', 'invalid_output'];

const notAsPromised = (why = ''): string =>
  `${why}\n\nWrite your last message again, whole, so that it fits, with your tools where they help.`;

/** Records one notice for each workflow of the demo. */
function recordDemoNotice({ recorder, envelope: { provider }, kind }: RunPlan): void {
  if (!providerTraits(provider).isScripted || kind !== 'lead') return;
  void recorder.record({ type: 'notice', level: 'info', text: DEMO_NOTICE });
}

/** Records each event of the loop, and returns the recorded event to it. */
async function drive(emit: Emit, loop: AsyncGenerator<Payload, RunResult, Recorded>): Promise<RunResult> {
  let next = await loop.next();
  while (!next.done) next = await loop.next(await emit(next.value));
  return next.value;
}

/** Ends the run at its own time limit; a lead and its stages also at the time limit of the workflow. */
function endInTime({ workflow, limits, plan, clock }: Run, live: LiveRun): () => void {
  const { budget } = workflow;
  const end = (stop: TimeUp): void => {
    // A raise of the limit is refused from now on.
    workflow.runs.close(live.runId);
    live.controller.abort(stop);
  };
  const own = watchTime('run', clock, () => limits.limits(), end);
  const whole = isLeadOrItsStage(plan) ? watchTime('workflow', budget.clock, () => budget.limits, end) : null;
  return () => {
    own();
    whole?.();
  };
}

function createEnding(error: unknown, signal: AbortSignal, history: Transcript): Ending {
  const text = salvaged(history.entries);
  const cause = signal.aborted ? stopOf(signal) : error;
  if (cause instanceof TimeUp) return { result: { text, ...limitEnd(cause) }, remark: limitRemark(cause.bound) };
  const info = errorInfo(cause);
  const as = (outcome: Outcome): RunResult => ({ outcome, text, error: info });
  if (info.code === 'interrupted' || info.code === 'store_failed') return { result: as('interrupted'), remark: null };
  if (info.code === 'inactive') return { result: as('timed_out'), remark: null };
  if (!(cause instanceof Stopped)) return { result: as('error'), remark: null };
  if (cause.kind === 'rejected') return { result: as('rejected'), remark: null };
  return { result: as('cancelled'), remark: { kind: 'system', code: 'cancelled', text: info.message } };
}

/** Runs one agent from its envelope to its recorded end, whatever way it ends. */
import type { SystemEntry, UserEntry } from '#contract/message.ts';
import type { Tally } from '#contract/outcome.ts';
import { agentLoop } from '../loop/agent-loop.ts';
import { createRunContext } from './create-run-context.ts';
import { closing, type RunResult } from '../loop/closing.ts';
import { createEmit } from './create-emit.ts';
import type { Engine } from './engine.ts';
import { errorInfo, TriadError } from '../base/errors.ts';
import { canonicalHash } from '../base/hash.ts';
import { Transcript, nextStep, reviewedIn, salvaged } from '../log/transcript.ts';
import { limitNotice } from '../budget/limit-notices.ts';
import { NO_USAGE } from '../model/model.ts';
import { providerTraits } from '../model/provider-traits.ts';
import type { Emit, Payload, Recorded } from '../log/recorder.ts';
import type { RunPlan } from './run-plan.ts';
import { Stopped, stopOf } from '../base/stop.ts';
import { usageOf } from '../base/usage.ts';
import { Watchdog } from '../base/watchdog.ts';
import { WorkClock } from '../base/work-clock.ts';
import type { LiveRun } from './run-tree.ts';
import type { WorkflowScope } from './workflow-scope.ts';

export interface EndedRun extends RunResult {
  durationMs: number;
  tally: Tally;
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
  let result: RunResult;
  try {
    if (canonicalHash(envelope) !== plan.envelopeHash) {
      throw new TriadError(
        'envelope_mismatch',
        'The stored settings of this run are not those that were approved: it was not started',
      );
    }
    const started = recorder.record({
      type: 'run-start',
      attempt: plan.attempt,
      envelope,
      envelopeHash: plan.envelopeHash,
      queuedMs: plan.queuedMs,
    });
    open(plan, history);
    tellUnknownPrice(engine, workflow, plan);
    tellDemo(plan);
    // A sub-agent's first request waits until the disk knows of its yes and its start.
    if (plan.depth > 0) await started;
    const model = await engine.model(envelope.provider);
    await children?.resumeBackground();
    const parts = { engine, workflow, plan, signal, history, watchdog, clock, model, children };
    result = await drive(createEmit(parts), agentLoop(createRunContext(parts)));
  } catch (error) {
    engine.limiter(envelope.provider).requestFailed(error);
    result = endOf(error, signal, history);
  } finally {
    watchdog.stop();
    workflow.budget.leave(recorder.ids.runId);
    workflow.runs.close(recorder.ids.runId);
  }
  await children?.end();
  const durationMs = stored.activeMs + performance.now() - start;
  if (result.outcome === 'cancelled') {
    void recorder.record({
      type: 'message-end',
      entry: history.add({ kind: 'system', code: 'cancelled', text: result.error?.message ?? 'Cancelled' }),
    });
  }
  if (result.outcome !== 'interrupted') {
    const figures = { durationMs, usage: usageOf(recorder.tally), entries: history.entries.length };
    void recorder.record({ type: 'run-end', ...result, ...figures, ...reviewedIn(history.entries) });
  }
  return { ...result, durationMs, tally: recorder.tally };
}

/** The first words to a fresh run are its prompt; a resumed one goes on where its history ends. */
function open({ recorder, envelope, depth, attempt, retried }: RunPlan, history: Transcript): void {
  type Words = Pick<UserEntry, 'kind' | 'source' | 'text'> | Pick<SystemEntry, 'kind' | 'code' | 'text'>;
  const tell = (words: Words): void => {
    void recorder.record({ type: 'message-end', entry: history.add(words) });
  };
  if (retried) tell({ kind: 'system', code: 'retried', text: `Tried again by the person (attempt ${attempt})` });
  else if (attempt > 1) tell({ kind: 'system', code: 'resumed', text: `Resumed (attempt ${attempt})` });
  if (!history.entries.some((entry) => entry.kind === 'user')) {
    tell({ kind: 'user', source: depth === 0 ? 'person' : 'parent', text: envelope.prompt });
  } else if (retried && !limitNotice(history.entries)) {
    const step = nextStep(history.entries);
    const isWhole = step.do === 'close' && closing(step.last, history.entries).outcome === 'completed';
    // A whole answer of an agent that reviews itself goes on with its review.
    const goesOn = step.do !== 'close' || (isWhole && envelope.reflection !== undefined);
    if (!goesOn) tell({ kind: 'user', source: 'engine', text: GO_ON });
  }
}

/** For an agent that had answered, but not completely; one that was cut off is simply asked again. */
const GO_ON =
  'Your last answer was not complete. Go on with the task from where you stopped, with your tools where they help, and write the whole final report.';

/** Said once for each model: a workflow with such requests has no total cost. */
function tellUnknownPrice(
  engine: Engine,
  workflow: WorkflowScope,
  { recorder, envelope: { model, limits } }: RunPlan,
): void {
  if (engine.price(model, NO_USAGE).priceVersion !== null || !workflow.budget.noteUnpriced(model)) return;
  const isBounded = (limits.budget?.costUsd ?? workflow.budget.limits.costUsd) !== undefined;
  const unchecked = isBounded ? ', and the limit on cost cannot be checked' : '';
  const text = `The price of ${model} is not known: tokens are counted, costs are not${unchecked}`;
  void recorder.record({ type: 'notice', level: 'info', text });
}

/** Said once for each workflow, wherever it is shown. */
function tellDemo({ recorder, envelope: { provider }, depth }: RunPlan): void {
  if (!providerTraits(provider).isScripted || depth > 0) return;
  const text = 'Demo: the answers are scripted, no model is asked';
  void recorder.record({ type: 'notice', level: 'info', text });
}

/** Records what the loop tells, and hands back what it may wait for. */
async function drive(emit: Emit, loop: AsyncGenerator<Payload, RunResult, Recorded>): Promise<RunResult> {
  let next = await loop.next();
  while (!next.done) next = await loop.next(await emit(next.value));
  return next.value;
}

function endOf(error: unknown, signal: AbortSignal, history: Transcript): RunResult {
  const text = salvaged(history.entries);
  const cause = signal.aborted ? stopOf(signal) : error;
  const info = errorInfo(cause);
  if (info.code === 'interrupted' || info.code === 'store_failed') return { outcome: 'interrupted', text, error: info };
  if (cause instanceof Stopped)
    return { outcome: cause.kind === 'timeout' ? 'timed_out' : 'cancelled', text, error: info };
  return { outcome: 'error', text, error: info };
}

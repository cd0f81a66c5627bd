/** The limits of one run, and the limits of its workflow that apply to it. */
import type { Approval } from '#contract/approval.ts';
import type { Budget } from '#contract/agent.ts';
import type { Bound } from '#contract/message.ts';
import type { WorkClock } from '#core/base/work-clock.ts';
import type { Watchdog } from '#core/base/watchdog.ts';
import type { Recorder } from '#core/store/log/recorder.ts';
import { turnsOf } from '#core/store/log/transcript.ts';
import type { LimitAnswer, LimitedRun } from './budget/limit-questions.ts';
import { isRaised, limitsOf, sumUse, type Used } from './budget/limits.ts';
import { isLeadOrItsStage, type RunPlan } from './run-plan.ts';
import type { Workflow } from './workflow/workflow.ts';

interface RunLimitsDependencies {
  workflow: Workflow;
  plan: RunPlan;
  signal: AbortSignal;
  clock: WorkClock;
  watchdog: Watchdog;
}

export class RunLimits implements LimitedRun {
  readonly signal: AbortSignal;
  readonly #workflow: Workflow;
  readonly #plan: RunPlan;
  readonly #clock: WorkClock;
  readonly #watchdog: Watchdog;
  /** Number of turns that a fork has copied. They do not count as turns of this run. */
  readonly #copiedTurns: number;

  constructor({ workflow, plan, signal, clock, watchdog }: RunLimitsDependencies) {
    this.#workflow = workflow;
    this.#plan = plan;
    this.signal = signal;
    this.#clock = clock;
    this.#watchdog = watchdog;
    this.#copiedTurns = turnsOf(plan.stored.entries.filter(({ copiedFrom }) => copiedFrom));
    // A stage after the lead asks by itself. The lead has ended, and would not ask again after a restart.
    if (isLeadOrItsStage(plan)) workflow.limitQuestions.setLead(this);
  }

  get recorder(): Recorder {
    return this.#plan.recorder;
  }

  get chain(): string[] {
    return this.#plan.chain;
  }

  get folder(): string {
    return this.#plan.envelope.folder;
  }

  get storedQuestions(): readonly Approval[] {
    return this.#plan.stored.approvals;
  }

  limits(): Budget {
    return this.#workflow.budget.limitsOfRun(this.#runId, limitsOf(this.#plan.envelope));
  }

  used(): Used {
    return sumUse(this.recorder.tally, this.#clock.ms);
  }

  /** Admits one more request after `turns` turns, and returns null. Otherwise returns the limit that it would exceed. */
  admit(turns: number): Bound | null {
    const used = sumUse(this.recorder.tally, this.#clock.ms, turns - this.#copiedTurns);
    return this.#workflow.budget.admit(this.#runId, this.limits(), used);
  }

  /** Asks the person how to continue at a limit. `finish`: one last request without tools. `continue`: check again. */
  askPerson(bound: Bound): Promise<LimitAnswer> {
    const resume = this.#watchdog.hold();
    return this.#workflow.limitQuestions.answer(this, bound).finally(resume);
  }

  /** Withdraws an admitted request that will not be sent. */
  withdraw(): void {
    this.#workflow.budget.withdraw(this.#runId);
  }

  /** Returns the input tokens of all classes in the last turn of the run; 0 before the first turn. */
  lastInput(): number {
    return this.#workflow.budget.lastInput(this.#runId);
  }

  /** Returns true for the first miscount of the workflow, so that one notice is enough. */
  noteMiscount(): boolean {
    return this.#workflow.budget.noteMiscount();
  }

  /** Returns true if the person has raised this limit since the run reached it. */
  isRaised(bound: Bound): boolean {
    return isRaised(bound, bound.of === 'run' ? this.limits() : this.#workflow.budget.limits);
  }

  /** Closes the run to new limits: it ends now. A later raise is refused. */
  close(): void {
    this.#workflow.runs.close(this.#runId);
  }

  get #runId(): string {
    return this.recorder.ids.runId;
  }
}

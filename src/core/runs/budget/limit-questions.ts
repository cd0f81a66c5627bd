/** Asks the person how a run goes on at its limit: with more, or with one last request. */
import { isDeepStrictEqual } from 'node:util';
import { Budget } from '#contract/agent.ts';
import { type Approval, type ApprovalRequest, STOP_OPTION } from '#contract/approval.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import type { Bound } from '#contract/message.ts';
import { TriadError } from '#core/base/errors.ts';
import { canonicalHash } from '#core/base/hash.ts';
import { newId } from '#core/base/ids.ts';
import { orStopped, Stopped } from '#core/base/stop.ts';
import { endsAtOnce, isRaised, raisedBy, type Used } from './limits.ts';
import type { WorkflowBudget } from './workflow-budget.ts';
import type { Recorder } from '#core/store/log/recorder.ts';
import { asked } from '#core/tools/asked.ts';
import type { ApprovalGate, AskingRun } from '#core/approvals/gate.ts';

/** `continue`: the run checks its limits again. `finish`: one last request asks for its report. */
export type LimitAnswer = 'continue' | 'finish';

/** A run with limits: its own, and as the lead those of its workflow. */
export interface LimitedRun {
  readonly recorder: Pick<Recorder, 'ids' | 'record'>;
  readonly chain: string[];
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Questions of earlier attempts of the run. */
  readonly storedQuestions: readonly Approval[];
  /** The limits that are in force for the run itself, and its use. */
  limits(): Budget;
  used(): Used;
}

interface LimitQuestionPorts {
  gate: ApprovalGate;
  policy: AskingRun['policy'];
  budget: WorkflowBudget;
  /** Shown as the time to answer; the question has no end while a client is attached. */
  answerMs: () => number;
}

export class LimitQuestions {
  readonly #ports: LimitQuestionPorts;
  #lead: LimitedRun | null = null;
  /** Open questions by run and owner of the limit. Runs at a limit of their workflow wait for the same question. */
  readonly #openQuestions = new Map<string, Promise<LimitAnswer>>();
  /** Limits at which the person chose to finish. */
  readonly #finishedLimits: { runId: string; bound: Bound }[] = [];

  constructor(ports: LimitQuestionPorts) {
    this.#ports = ports;
  }

  /** Asks about limits of the workflow in the name of this run from now on. */
  setLead(lead: LimitedRun): void {
    this.#lead = lead;
  }

  /**
   * Resolves with the answer of the person, and with `continue` when the limit is raised meanwhile. Resolves with `finish`
   * and without a question for a limit of time, without a client that can answer, and in a workflow with another policy
   * than `ask`. Rejects with `Stopped` when `run` is stopped.
   */
  async answer(run: LimitedRun, bound: Bound): Promise<LimitAnswer> {
    if (endsAtOnce(bound)) return 'finish';
    const asking = bound.of === 'workflow' ? (this.#lead ?? run) : run;
    const { runId } = asking.recorder.ids;
    if (this.#finishedLimits.some((one) => isDeepStrictEqual(one, { runId, bound }))) return 'finish';
    if (asking.storedQuestions.some((one) => isAbout(one, bound) && isDeclined(one))) return 'finish';
    const { gate, policy } = this.#ports;
    const key = `${runId} ${bound.of}`;
    const open = this.#openQuestions.get(key);
    if (open) return orStopped(run.signal, open);
    const storedQuestion =
      asking.storedQuestions.find((one) => isAbout(one, bound) && one.decisions.includes(null)) ?? null;
    if (!storedQuestion && (policy !== 'ask' || !gate.isAttended)) return 'finish';
    const answer = this.#ask(asking, bound, storedQuestion).finally(() => this.#openQuestions.delete(key));
    answer.catch(() => undefined);
    this.#openQuestions.set(key, answer);
    return orStopped(run.signal, answer);
  }

  async #ask(run: LimitedRun, bound: Bound, storedQuestion: Approval | null): Promise<LimitAnswer> {
    const { gate, budget } = this.#ports;
    const raise = new AbortController();
    const stopWatching = budget.raises.listen(() => {
      if (isRaised(bound, this.#getLimits(run, bound))) raise.abort(new Stopped('raised'));
    });
    const asking = this.#buildAskingRun(run, bound, AbortSignal.any([run.signal, raise.signal]));
    try {
      const request = storedQuestion ? null : this.#createRequest(run, bound);
      const approval = await (storedQuestion ? gate.askAgain(storedQuestion, asking) : gate.ask(request!, asking));
      const [decision] = approval.decisions;
      if (decision?.outcome === 'cancelled') return 'continue';
      if (!decision?.allowed) {
        this.#finishedLimits.push({ runId: run.recorder.ids.runId, bound });
        return 'finish';
      }
      this.#extend(run, bound, Budget.parse(decision.edited ?? getOfferedBudget(approval.request)));
      return 'continue';
    } finally {
      stopWatching();
    }
  }

  #getLimits(run: LimitedRun, { of }: Bound): Budget {
    return of === 'run' ? run.limits() : this.#ports.budget.limits;
  }

  /** Raises the limit at once. The change is stored before the next request of the run. */
  #extend(run: LimitedRun, bound: Bound, add: Budget): void {
    const { budget } = this.#ports;
    const { runId } = run.recorder.ids;
    const used = bound.of === 'run' ? run.used() : budget.used;
    const limits = raisedBy(this.#getLimits(run, bound), add, used);
    if (bound.of === 'run') budget.raiseRun(runId, limits);
    else budget.raise(limits);
    void run.recorder.record({ type: 'limit-change', of: bound.of, limits });
  }

  #buildAskingRun({ recorder }: LimitedRun, bound: Bound, signal: AbortSignal): AskingRun {
    return {
      policy: this.#ports.policy,
      signal,
      record: (payload) => recorder.record(payload),
      rulings: [null],
      explain: () => Promise.resolve('No agent asks this: its run waits at a limit'),
      grant: () => {
        throw new TriadError('bad_input', 'A limit is extended once, and not for other runs');
      },
      revalidate: (_item, value) => Promise.resolve(checkAmount(bound, value)),
    };
  }

  #createRequest({ recorder, chain, folder }: LimitedRun, bound: Bound): ApprovalRequest {
    const { conversationId, workflowId, runId, agent } = recorder.ids;
    const { of, name, value } = bound;
    const title =
      of === 'run' ? phrase('limit_of_run', { agent, name, value }) : phrase('limit_of_workflow', { name, value });
    const add = { [name]: value };
    const id = newId();
    return {
      id,
      conversationId,
      workflowId,
      runId,
      toolCallId: `limit-${id}`,
      agent,
      chain,
      ...asked(title, [phrase('extend_or_finish', { more: { name, value } })]),
      subject: { kind: 'limit', bound, add, folder, hash: canonicalHash({ bound, add }) },
      options: [
        { id: 'allow', name: 'Extend', kind: 'allow_once' },
        { id: 'reject', name: 'Finish now', kind: 'reject_once' },
        { id: STOP_OPTION, name: 'Stop', kind: 'reject_always' },
      ],
      risk: 'low',
      reversible: true,
      remainingMs: this.#ports.answerMs(),
      at: new Date().toISOString(),
    };
  }
}

function isAbout({ request: { subject } }: Approval, bound: Bound): boolean {
  return subject.kind === 'limit' && isDeepStrictEqual(subject.bound, bound);
}

/** Returns whether the person chose to finish, before the program ended. */
function isDeclined({ decisions: [decision] }: Approval): boolean {
  return decision?.decidedBy === 'person' && !decision.allowed;
}

function getOfferedBudget({ subject }: ApprovalRequest): Budget {
  return subject.kind === 'limit' ? subject.add : {};
}

/** Throws `bad_input` for an amount that does not extend the limit. */
function checkAmount(bound: Bound, value: unknown): { value: Budget; hash: string } {
  const amount = Budget.safeParse(value);
  if (!amount.success || amount.data[bound.name] === undefined)
    throw new TriadError('bad_input', 'The limit can only be extended by a number above zero');
  return { value: amount.data, hash: canonicalHash({ bound, add: amount.data }) };
}

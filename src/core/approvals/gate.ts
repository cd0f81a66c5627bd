/** The durable gate: stores every question before it is shown, accepts one answer for each item, and rejects by default. */
import { irreversibleText } from '#contract/irreversible-text.ts';
import type { ApprovePolicy } from '#contract/agent.ts';
import {
  type Answer,
  type Approval,
  type ApprovalRequest,
  type Decision,
  isAboutWorkspace,
} from '#contract/approval.ts';
import type { DurableEvent } from '#contract/event.ts';
import { itemHashes } from '#domain/item-hashes.ts';
import type { GrantRequest } from '#contract/permission.ts';
import { isOwnWish, spawnIndex, spawnItems } from '#contract/spawn-items.ts';
import { TriadError } from '../base/errors.ts';
import type { Payload } from '#core/store/log/recorder.ts';
import { stopOf } from '../base/stop.ts';
import { AnswerClock } from './answer-clock.ts';
import { Exchange } from './exchange.ts';
import { checkReplies, decisionOf, plainOptionId } from './policy.ts';

/** The answer of a rule or a grant to an item, before the person is asked. */
export interface Ruling {
  allowed: boolean;
  ruleId: string;
  reason: string | null;
}

/** The run that waits for the answer, with the effects that an answer may have. */
export interface AskingRun {
  readonly policy: ApprovePolicy;
  readonly signal: AbortSignal;
  /** Rulings by item; null or missing if a person must decide. */
  readonly rulings: readonly (Ruling | null)[];
  record(payload: Payload): Promise<DurableEvent>;
  /** Checks an edit against the permissions of the asking run. Rejects with the fault. */
  revalidate(item: number, value: unknown): Promise<{ value: unknown; hash: string }>;
  /** Requests an answer of the agent to the newest question in `approval.context`. Rejects with the reason on failure. */
  explain(approval: Approval, signal: AbortSignal): Promise<string>;
  /** Checks a requested grant, and throws `bad_input` for a fault. The returned function creates the grant. */
  grant(wish: GrantRequest): () => void;
}

interface Open {
  asking: AskingRun;
  approval: Approval;
  exchange: Exchange;
  /** Items whose decision is being stored. They accept no other answer. */
  taken: Set<number>;
  /** True once the question is stored. */
  shown: boolean;
  settle(): void;
}

const NOT_OPEN = 'This question is not open any more: it was answered, or what asked it was stopped';

export class ApprovalGate {
  readonly #open = new Map<string, Open>();
  readonly #clock: AnswerClock;
  readonly #onChange: () => void;

  /** Calls `onChange` when a question is opened or answered, and `saveClock` to store the remaining time. */
  constructor(ports: { onChange: () => void; saveClock: (requests: ApprovalRequest[]) => void }) {
    this.#onChange = ports.onChange;
    this.#clock = new AnswerClock({
      open: () => this.#ticking(),
      expire: (id, reason, cause) => this.#expire(id, reason, cause),
      save: ports.saveClock,
    });
  }

  /** Resolves when every item is answered. Rejects only if the program is interrupted, which leaves the question open. */
  ask(request: ApprovalRequest, asking: AskingRun): Promise<Approval> {
    const decisions = itemHashes(request.subject).map(() => null);
    const stored = asking.record({ type: 'approval-request', approval: request });
    // A copy: only its remaining time changes while the question is open. The recorded request must not change.
    return this.#wait({ request: { ...request }, decisions }, asking, stored);
  }

  /** Like `ask`, for a question that was stored before a restart. */
  async askAgain(approval: Approval, asking: AskingRun): Promise<Approval> {
    if (approval.decisions.every((decision) => decision !== null)) return approval;
    return this.#wait(structuredClone(approval), asking, Promise.resolve());
  }

  /**
   * Stores the first answer to an item. Later answers throw `already_answered`, with the source of the first one. Throws
   * `bad_input` for an invalid item or answer, and `conflict` if an irreversible action is not confirmed.
   */
  async decide(approvalId: string, item: number, answer: Answer): Promise<Decision> {
    const open = this.#open.get(approvalId);
    if (!open) throw new TriadError('already_answered', NOT_OPEN);
    const { subject, reversible } = open.approval.request;
    const before = itemHashes(subject)[item];
    if (before === undefined) throw new TriadError('bad_input', `The question has no item ${item}`);
    const isConfirmed = 'confirmed' in answer && answer.confirmed === true;
    if (answer.kind !== 'reject' && !reversible && !isConfirmed)
      throw new TriadError('conflict', `${irreversibleText(subject)}: confirm it`);
    if (answer.kind === 'reply') {
      const replies = checkReplies(subject, answer.replies);
      return this.#store(open, { ...decisionOf({ kind: 'allow' }, item, before), replies });
    }
    if (answer.kind !== 'edit') {
      const give = answer.kind === 'allow' && answer.grant ? open.asking.grant(answer.grant) : undefined;
      return this.#store(open, decisionOf(answer, item, before), give);
    }
    const edit = await open.asking.revalidate(item, answer.value);
    if (edit.hash === before) return this.#store(open, decisionOf({ kind: 'allow' }, item, before));
    const { edited: _, ...allowed } = decisionOf({ kind: 'allow' }, item, before);
    return this.#store(open, { ...allowed, outcome: 'edited', hashAfter: edit.hash, edited: edit.value });
  }

  /** Asks the agent for more details. The clock of the approval pauses until the answer. Throws `already_answered` or `conflict`. */
  async explain(approvalId: string, question: string): Promise<void> {
    const open = this.#open.get(approvalId);
    if (!open) throw new TriadError('already_answered', NOT_OPEN);
    if (spawnItems(open.approval.request.subject).some(({ again }) => again))
      throw new TriadError('conflict', 'You asked for this yourself: there is no agent to ask back');
    if (open.approval.request.subject.kind === 'limit')
      throw new TriadError('conflict', 'No agent asks this: its run waits at a limit');
    await open.exchange.ask(question);
  }

  /** Returns the open approval that a sub-agent waits for; null if there is none. */
  questionOf(runId: string): { approvalId: string; item: number; answered: boolean } | null {
    for (const [approvalId, { approval }] of this.#open) {
      const { subject } = approval.request;
      const item = spawnIndex(subject, runId);
      if (item >= 0) return { approvalId, item, answered: approval.decisions[item] !== null };
    }
    return null;
  }

  has(approvalId: string): boolean {
    return this.#open.has(approvalId);
  }

  /** Returns the open approvals that are stored, and may be shown. */
  pending(): Approval[] {
    return [...this.#open.values()].flatMap(({ approval, shown }) => (shown ? [approval] : []));
  }

  /** Counts a client that can answer. Call the returned function when the client disconnects. */
  attach(isAttended = true): () => void {
    return this.#clock.attach(isAttended);
  }

  /** Returns true while a client with a person is attached, and for a minute after the last one disconnected. */
  get isAttended(): boolean {
    return this.#clock.isAttended;
  }

  close(): void {
    this.#clock.close();
  }

  /** Returns the approvals whose clock runs: those that are shown, and whose agent is not answering a question. */
  #ticking(): ApprovalRequest[] {
    return [...this.#open.values()].flatMap(({ approval, exchange, shown }) =>
      shown && !exchange.isActive && !isOwnWish(approval.request.subject) ? [approval.request] : [],
    );
  }

  /** Opens the question at once, so that a client that sees the stored event can answer. Shows it only when it is stored. */
  #wait(approval: Approval, asking: AskingRun, stored: Promise<unknown>): Promise<Approval> {
    return new Promise((resolve, reject) => {
      const { signal } = asking;
      const id = approval.request.id;
      const leave = (): void => {
        signal.removeEventListener('abort', stop);
        this.#open.delete(id);
        this.#clock.update();
        this.#onChange();
      };
      const changed = (): void => {
        this.#clock.update();
        this.#onChange();
      };
      const exchange = new Exchange({ approval, asking, onChange: changed });
      // Before the run continues, an answer of the agent to the person is ended and counted.
      const end = (then: () => void): void => {
        leave();
        if (exchange.isActive) void exchange.end().then(then);
        else then();
      };
      const open: Open = {
        asking,
        approval,
        exchange,
        taken: new Set(),
        shown: false,
        settle: () => end(() => resolve(approval)),
      };
      const stop = (): void => {
        const reason = stopOf(signal);
        if (reason.code === 'interrupted') end(() => reject(reason));
        else
          this.#decideRest(open, {
            decidedBy: 'cancel',
            outcome: 'cancelled',
            optionId: null,
            reason: reason.message,
          });
      };
      this.#open.set(id, open);
      stored.then(() => {
        open.shown = true;
        this.#clock.update();
        this.#onChange();
      }, reject);
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
      this.#settleUnasked(open);
    });
  }

  /** Applies the rulings, then the policy of the workflow. In this order, a denial by a rule stays a denial. */
  #settleUnasked(open: Open): void {
    open.asking.rulings.forEach((ruling, item) => {
      if (ruling) this.#decide(open, item, { decidedBy: 'rule', ...ruling, optionId: plainOptionId(ruling.allowed) });
    });
    if (open.asking.policy === 'all') {
      const { subject } = open.approval.request;
      const isForPerson =
        isAboutWorkspace(subject.kind) ||
        subject.kind === 'limit' ||
        (subject.kind === 'tool' && subject.keys !== undefined);
      this.#decideRest(open, {
        decidedBy: 'rule',
        ruleId: 'approve:all',
        ...(isForPerson
          ? { reason: 'Only a person can allow this' }
          : { allowed: true, optionId: plainOptionId(true), reason: null }),
      });
    }
    if (open.asking.policy === 'none') {
      this.#decideRest(open, {
        decidedBy: 'rule',
        ruleId: 'approve:none',
        reason: 'Every question of this workflow is answered no',
      });
    }
  }

  /** Decides after a timeout. Without an attached client it rejects, whatever the settings say. */
  #expire(id: string, reason: string, cause: 'late' | 'alone'): void {
    const open = this.#open.get(id);
    if (!open) return;
    const allowed = cause === 'late' && open.approval.request.onTimeout === 'approve';
    this.#decideRest(open, { decidedBy: 'timeout', reason, allowed, optionId: plainOptionId(allowed) });
  }

  #decideRest(open: Open, change: Partial<Decision>): void {
    itemHashes(open.approval.request.subject).forEach((_, item) => this.#decide(open, item, change));
  }

  #decide(open: Open, item: number, change: Partial<Decision>): void {
    const hash = itemHashes(open.approval.request.subject)[item];
    if (hash === undefined || open.approval.decisions[item] !== null || open.taken.has(item)) return;
    // A failed write is a failure of the log, which stops the run that waits.
    this.#store(open, { ...decisionOf({ kind: 'reject', reason: '' }, item, hash), ...change }).catch(() => undefined);
  }

  /** Compare and set: the first decision claims the item and runs `also`. Resolves once it is stored. Throws `already_answered`. */
  async #store(open: Open, decision: Decision, also?: () => void): Promise<Decision> {
    const { approval, taken } = open;
    const before = approval.decisions[decision.item];
    if (before || taken.has(decision.item)) {
      const who = before
        ? { person: 'a person', rule: 'a rule', timeout: 'the time limit', cancel: 'a stop' }[before.decidedBy]
        : 'someone else';
      throw new TriadError('already_answered', `This question was answered by ${who} already`);
    }
    taken.add(decision.item);
    const stored = open.asking.record({ type: 'approval-decide', approvalId: approval.request.id, decision });
    approval.decisions[decision.item] = decision;
    also?.();
    // Does not wait: the start of an allowed run or tool is stored after the decision, and waits for the disk by itself.
    if (approval.decisions.every((one) => one !== null)) open.settle();
    else this.#onChange();
    await stored;
    return decision;
  }
}

/** The durable gate: every question is stored before it is shown, answered at most once, and ends as no unless someone said yes. */
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
import { itemHashes } from '#contract/item-hashes.ts';
import type { GrantRequest } from '#contract/permission.ts';
import { isOwnWish, spawnIndex, spawnItems } from '#contract/spawn-items.ts';
import { TriadError } from '../base/errors.ts';
import type { Payload } from '../log/recorder.ts';
import { stopOf } from '../base/stop.ts';
import { AnswerClock } from './answer-clock.ts';
import { Exchange, type Explain } from './exchange.ts';
import { checkReplies, decisionOf, plainOptionId } from './policy.ts';

/** Checks an edit against what the asking run may have; rejects with what is wrong with it. */
type Revalidate = (item: number, value: unknown) => Promise<{ value: unknown; hash: string }>;

/** The answer of a rule or a grant to an item, before anyone is asked. */
export interface Ruling {
  allowed: boolean;
  ruleId: string;
  reason: string | null;
}

export interface AskingRun {
  policy: ApprovePolicy;
  signal: AbortSignal;
  revalidate: Revalidate;
  readonly explain: Explain;
  /** By item; null, or missing, where a person must decide. */
  rulings: readonly (Ruling | null)[];
  /** Checks a wished grant (throws `bad_input`); the returned function gives it. */
  grant(wish: GrantRequest): () => void;
  readonly record: (payload: Payload) => Promise<DurableEvent>;
}

interface Open extends AskingRun {
  approval: Approval;
  exchange: Exchange;
  /** Items whose decision is being stored: an answer to them comes too late. */
  taken: Set<number>;
  shown: boolean;
  settle(): void;
}

const NOT_OPEN = 'This question is not open any more: it was answered, or what asked it was stopped';

export class ApprovalGate {
  readonly #open = new Map<string, Open>();
  readonly #clock: AnswerClock;
  readonly #onChange: () => void;

  /** `onChange` is called when a question was opened or answered; `saveClock` keeps the time left. */
  constructor(ports: { onChange: () => void; saveClock: (requests: ApprovalRequest[]) => void }) {
    this.#onChange = ports.onChange;
    this.#clock = new AnswerClock({
      open: () => this.#ticking(),
      expire: (id, reason, cause) => this.#expire(id, reason, cause),
      save: ports.saveClock,
    });
  }

  /** Resolves when every item is answered; rejects only when the program is interrupted, which leaves the question open. */
  ask(request: ApprovalRequest, asking: AskingRun): Promise<Approval> {
    const decisions = itemHashes(request.subject).map(() => null);
    const stored = asking.record({ type: 'approval-request', approval: request });
    // The time left changes while it is open, and nothing else of it; what was recorded must not.
    return this.#wait({ request: { ...request }, decisions }, asking, stored);
  }

  /** Like `ask`, for a question that was stored before a restart. */
  async askAgain(approval: Approval, asking: AskingRun): Promise<Approval> {
    if (approval.decisions.every((decision) => decision !== null)) return approval;
    return this.#wait(structuredClone(approval), asking, Promise.resolve());
  }

  /**
   * The first answer wins; later ones throw `already_answered`, which says who was first. Throws `bad_input` for an item or an answer that
   * does not fit, and `conflict` where what cannot be undone is not confirmed.
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
      const give = answer.kind === 'allow' && answer.grant ? open.grant(answer.grant) : undefined;
      return this.#store(open, decisionOf(answer, item, before), give);
    }
    const edit = await open.revalidate(item, answer.value);
    if (edit.hash === before) return this.#store(open, decisionOf({ kind: 'allow' }, item, before));
    const { edited: _, ...allowed } = decisionOf({ kind: 'allow' }, item, before);
    return this.#store(open, { ...allowed, outcome: 'edited', hashAfter: edit.hash, edited: edit.value });
  }

  /** Asks the agent back; the approval stays open, and its clock stands still until the answer. Throws `already_answered` or `conflict`. */
  async explain(approvalId: string, question: string): Promise<void> {
    const open = this.#open.get(approvalId);
    if (!open) throw new TriadError('already_answered', NOT_OPEN);
    if (spawnItems(open.approval.request.subject).some(({ again }) => again))
      throw new TriadError('conflict', 'You asked for this yourself: there is no agent to ask back');
    if (open.approval.request.subject.kind === 'limit')
      throw new TriadError('conflict', 'No agent asks this: its run waits at a limit');
    await open.exchange.ask(question);
  }

  /** The open approval that a sub-agent waits for; null where there is none. */
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

  /** Open approvals that are stored, and so may be shown. */
  pending(): Approval[] {
    return [...this.#open.values()].flatMap(({ approval, shown }) => (shown ? [approval] : []));
  }

  /** Counts the clients that could answer; call the returned function when one leaves. */
  attach(isAttended = true): () => void {
    return this.#clock.attach(isAttended);
  }

  /** True while a client with a person is attached, and for a minute after the last one left. */
  get isAttended(): boolean {
    return this.#clock.isAttended;
  }

  close(): void {
    this.#clock.close();
  }

  /** Approvals whose clock runs: shown, and with no question back under way. */
  #ticking(): ApprovalRequest[] {
    return [...this.#open.values()].flatMap(({ approval, exchange, shown }) =>
      shown && !exchange.active && !isOwnWish(approval.request.subject) ? [approval.request] : [],
    );
  }

  /** Open at once, so that whoever sees the stored question can answer it; shown only when it is stored. */
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
      const { explain, record } = asking;
      const exchange = new Exchange({ approval, explain, record, onChange: changed });
      // What the agent still says to the person is ended, and counted, before its run goes on.
      const end = (then: () => void): void => {
        leave();
        if (exchange.active) void exchange.end().then(then);
        else then();
      };
      const open: Open = {
        ...asking,
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

  /** Applies the rulings, then the policy of the whole workflow: in this order what a rule denies stays denied. */
  #settleUnasked(open: Open): void {
    open.rulings.forEach((ruling, item) => {
      if (ruling) this.#decide(open, item, { decidedBy: 'rule', ...ruling, optionId: plainOptionId(ruling.allowed) });
    });
    if (open.policy === 'all') {
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
    if (open.policy === 'none') {
      this.#decideRest(open, {
        decidedBy: 'rule',
        ruleId: 'approve:none',
        reason: 'Every question of this workflow is answered no',
      });
    }
  }

  /** With nobody attached the answer is no, whatever the settings say. */
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

  /** Compare and set: the first decision takes the item and runs `also`; resolves once it is stored. Throws `already_answered`. */
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
    const stored = open.record({ type: 'approval-decide', approvalId: approval.request.id, decision });
    approval.decisions[decision.item] = decision;
    also?.();
    // No wait here: the start of a run or a tool that this allows is stored behind the decision, and waits for the disk itself.
    if (approval.decisions.every((one) => one !== null)) open.settle();
    else this.#onChange();
    await stored;
    return decision;
  }
}

/** Open questions and running workflows of all conversations, and the modal that opens by itself for new questions. */
import { SvelteMap, SvelteSet } from 'svelte/reactivity';
import type { Answer } from '#contract/approval.ts';
import type { Attention as AttentionState } from '#contract/view.ts';
import type { Connection } from './client/connection.ts';
import { asRequestError, type RequestError } from '#lib/words/request-error.ts';
import { type AgentMark, markOfSubAgent } from '#contract/flows/agent-mark.ts';
import type { Question } from '#lib/view/phase.ts';
import { mustReadBox } from '#lib/words/question-texts.ts';
import { soonestOf, waitingList } from '#lib/view/waiting-list.ts';
import { draftOf, type Draft } from './approval-draft.svelte.ts';
import { AskBack } from './ask-back.svelte.ts';
import { SeenTexts } from './seen-texts.svelte.ts';

/** The place of the inbox page, which shows every question; no conversation has this id. */
export const INBOX = 'inbox';

export interface AnswerNotice {
  /** Of the question that it is shown at. */
  key: string;
  text: string;
  /** Rises with each notice. */
  count: number;
}

export class Attention {
  state = $state.raw<AttentionState>({ questions: [], asleep: [], running: [] });
  /** Whether the modal shows; closing it leaves every question open. */
  open = $state(false);
  /** The newest question, for the live announcement. */
  newest = $state.raw<Question | null>(null);
  /** Why the last press of an answer key did not answer, or what it showed instead. Null after an answer. */
  notice = $state.raw<AnswerNotice | null>(null);
  /** All that waits, questions or not, in the order of every list. */
  readonly waiting = $derived(waitingList(this.state));
  readonly questions = $derived(this.waiting.flatMap((entry) => (entry.kind === 'question' ? [entry.question] : [])));
  readonly selected = $derived.by(
    () => this.questions.find(({ key }) => key === this.#selectedKey) ?? this.questions[0] ?? null,
  );
  /** As `selected`, among all that waits; where none was chosen, the question whose time runs out first. */
  readonly chosen = $derived.by(() => {
    const entryOf = (key: string | null | undefined) => this.waiting.find((entry) => entry.key === key);
    return entryOf(this.#selectedKey) ?? entryOf(soonestOf(this.questions)?.key) ?? this.waiting[0] ?? null;
  });
  /** When the state arrived, in epoch milliseconds: its remaining times count from then. */
  #receivedAt = $state(0);
  #selectedKey = $state<string | null>(null);
  readonly #busy = new SvelteSet<string>();
  readonly #errors = new SvelteMap<string, RequestError>();
  // Created while a question renders, when reactive state must not change.
  // eslint-disable-next-line svelte/prefer-svelte-reactivity
  readonly #drafts = new Map<string, Draft>();
  // eslint-disable-next-line svelte/prefer-svelte-reactivity
  readonly #askBacks = new Map<string, AskBack>();
  // eslint-disable-next-line svelte/prefer-svelte-reactivity
  readonly #seen = new Map<string, SeenTexts>();
  /** Texts that were read in one item of a batch, by the id of its approval. */
  // eslint-disable-next-line svelte/prefer-svelte-reactivity
  readonly #readTexts = new Map<string, SvelteSet<string>>();
  #known: readonly string[] = [];
  /** Questions that may open the modal later, each with its conversation. */
  // eslint-disable-next-line svelte/prefer-svelte-reactivity
  readonly #deferred = new Map<string, string>();
  /** The id of the conversation on the screen, `INBOX`, or null for any other page. */
  #currentPlace: string | null = null;
  readonly #isTyping: () => boolean;
  readonly #connection: Connection;
  #unsubscribe: (() => void) | null = null;
  readonly #endOnOpen: () => void;

  constructor(connection: Connection, isTyping: () => boolean = () => false) {
    this.#isTyping = isTyping;
    this.#connection = connection;
    this.#endOnOpen = connection.onOpen(() => void this.#attach());
    if (connection.status === 'open') void this.#attach();
  }

  /** Whether it is known what waits. */
  get isKnown(): boolean {
    return this.#receivedAt > 0;
  }

  select(key: string): void {
    this.#deferred.delete(key);
    this.#selectedKey = key;
  }

  /** Sets the current place after a navigation and opens what was deferred to it; in the inbox the modal closes. */
  enter(place: string | null): void {
    if (this.#currentPlace === place) return;
    this.#currentPlace = place;
    if (place === INBOX) {
      // What is on the screen is looked at further.
      if (!this.open) this.#selectedKey = null;
      this.dismiss();
    } else if (place !== null && !this.#isTyping()) this.openDeferred();
  }

  /** Opens the modal for a question that was deferred to the current place. */
  openDeferred(): void {
    const held = this.questions.find((question) => this.#deferred.get(question.key) === this.#currentPlace);
    if (!held || this.open) return;
    this.#releaseDeferred();
    this.show(held.key);
  }

  /** Leads to what is asked: in the inbox, where that is on the screen, else in the modal. It answers nothing. */
  leadTo(approvalId: string): void {
    const found = this.questions.find(({ approval }) => approval.request.id === approvalId);
    if (!found) return;
    if (this.#currentPlace === INBOX) this.select(found.key);
    else this.show(found.key);
  }

  /** Opens the modal, at a question where one is given. */
  show(key?: string): void {
    if (key !== undefined) this.select(key);
    else {
      this.#deferred.clear();
      this.#selectedKey = this.selected?.key ?? null;
    }
    this.open = this.questions.length > 0;
  }

  dismiss(): void {
    this.open = false;
  }

  /** The draft of the answer; kept while the question is open. */
  draft(question: Question): Draft {
    const known = this.#drafts.get(question.key);
    if (known) return known;
    const draft = draftOf(question);
    this.#drafts.set(question.key, draft);
    return draft;
  }

  /** Time left to answer, in milliseconds. `now`: epoch milliseconds. */
  remaining(question: Question, now: number): number {
    return Math.max(0, question.approval.request.remainingMs - (now - this.#receivedAt));
  }

  /** Of the agent that a question is about, or of the one that asks; null where its workflow does not run. */
  markOf({ approval: { request }, spawn }: Question, asking = false): AgentMark | null {
    const work = this.state.running.find(({ workflowId }) => workflowId === request.workflowId);
    if (!work) return null;
    const place = work.subAgents.indexOf(spawn && !asking ? spawn.runId : request.runId);
    if (place >= 0) return markOfSubAgent(place);
    return request.chain.length <= 2 ? 'lead' : null;
  }

  /** The other items of its batch that nobody has answered yet, and itself. */
  batchOf({ approval: { request } }: Question): Question[] {
    return this.questions.filter(({ approval }) => approval.request.id === request.id);
  }

  busy(key: string): boolean {
    return this.#busy.has(key);
  }

  error(key: string): RequestError | null {
    return this.#errors.get(key) ?? null;
  }

  /** What the person asks back about a question; kept while the question is open. */
  askBack({ key }: Question): AskBack {
    const known = this.#askBacks.get(key);
    if (known) return known;
    const askBack = new AskBack();
    this.#askBacks.set(key, askBack);
    return askBack;
  }

  /** Which texts of a question were seen to their end; kept while the question is open. */
  seen(question: Question): SeenTexts {
    const { key, approval } = question;
    const known = this.#seen.get(key);
    if (known) return known;
    const { id } = approval.request;
    const readTexts = this.#readTexts.get(id) ?? new SvelteSet<string>();
    this.#readTexts.set(id, readTexts);
    const seen = new SeenTexts(readTexts, (name) => mustReadBox(question, name));
    this.#seen.set(key, seen);
    return seen;
  }

  /** Shows a notice at a question. A repeated notice is announced again. */
  notify(question: Question, text: string): void {
    const count = (this.notice?.count ?? 0) + 1;
    this.notice = { key: question.key, text, count };
  }

  /** Sends what the person asks back; the agent's reply arrives with the state. */
  async ask(question: Question): Promise<void> {
    const approvalId = question.approval.request.id;
    await this.askBack(question).send((words) =>
      this.#connection.request('approval.ask', { approvalId, question: words }),
    );
  }

  /** Answers a question once; concurrent calls are ignored. An error is kept for `error(key)`. Whether the answer was taken. */
  async decide(question: Question, answer: Answer): Promise<boolean> {
    const { key, item } = question;
    if (this.#busy.has(key)) return false;
    this.#busy.add(key);
    this.#errors.delete(key);
    this.notice = null;
    try {
      await this.#connection.request('approval.decide', {
        approvalId: question.approval.request.id,
        item,
        answer,
      });
      // It stays busy until the state no longer has it, so that no second answer is sent.
      return true;
    } catch (error) {
      this.#errors.set(key, asRequestError(error));
      this.#busy.delete(key);
      return false;
    }
  }

  close(): void {
    this.#endOnOpen();
    this.#unsubscribe?.();
  }

  async #attach(): Promise<void> {
    try {
      this.#unsubscribe = await this.#connection.subscribe('attention', { canAnswer: true }, (state) =>
        this.#receive(state),
      );
    } catch (error) {
      // After `disconnected` the connection opens again, which calls this again.
      if (asRequestError(error).code !== 'disconnected') throw error;
    }
  }

  /**
   * Only new questions open the modal: one that was put aside stays in the inbox, and so does one of a conversation
   * that is not on the screen, or one that comes while someone writes.
   */
  #receive(state: AttentionState): void {
    const shown = this.questions.map(({ key }) => key);
    this.state = state;
    this.#receivedAt = Date.now();
    const keys = this.questions.map(({ key }) => key);
    // Questions of interrupted workflows block nothing: they wait in the inbox, and count as new once it is resumed.
    const awake = this.questions.filter(({ asleep }) => !asleep);
    const fresh = awake.filter(({ key }) => !this.#known.includes(key));
    const before = this.#known;
    this.#known = awake.map(({ key }) => key);
    // From a question that was answered, or whose workflow was interrupted, to the next of the list.
    const left = (key: string): boolean => before.includes(key) && !this.#known.includes(key);
    const at = this.#selectedKey === null ? -1 : shown.indexOf(this.#selectedKey);
    if (this.#selectedKey !== null && left(this.#selectedKey))
      this.#selectedKey = shown.slice(at + 1).find((key) => this.#known.includes(key)) ?? null;
    for (const kept of [this.#drafts, this.#askBacks, this.#seen, this.#errors, this.#busy, this.#deferred]) {
      for (const key of [...kept.keys()]) if (!keys.includes(key)) kept.delete(key);
    }
    for (const id of [...this.#readTexts.keys()])
      if (this.questions.every(({ approval }) => approval.request.id !== id)) this.#readTexts.delete(id);
    if (fresh[0]) this.newest = fresh[0];
    const typing = !this.open && this.#isTyping();
    for (const question of fresh) {
      const { conversationId } = question.approval.request;
      if (this.#currentPlace !== conversationId || typing) this.#deferred.set(question.key, conversationId);
    }
    const first = fresh.find(({ key }) => !this.#deferred.has(key));
    if (first && !this.open) this.show(first.key);
    // All that remain are deferred.
    const looksAtOne = this.questions.some(({ key, asleep }) => asleep && key === this.#selectedKey);
    if (awake.every(({ key }) => this.#deferred.has(key)) && !looksAtOne) this.open = false;
  }

  /** Questions deferred to the current place are shown together. */
  #releaseDeferred(): void {
    for (const [key, place] of [...this.#deferred]) if (place === this.#currentPlace) this.#deferred.delete(key);
  }
}

/** Drafts of replies to an agent's questions, of an edited action and of an extended limit, before they are sent. */
import type { Answer, PersonQuestion, Subject } from '#contract/approval.ts';
import type { Bound } from '#contract/message.ts';

interface Box {
  chosen: string[];
  words: string;
}

/** One box for each question; an empty one is skipped. */
export class ReplyDraft {
  readonly kind = 'replies';
  readonly grant = null;
  readonly questions: readonly PersonQuestion[];
  boxes: Box[] = $state([]);
  /** Always empty: only a rejection has a reason, and questions are skipped instead of rejected. */
  reason = '';
  readonly edits = 0;
  readonly changed: readonly string[] = [];

  constructor(questions: readonly PersonQuestion[]) {
    this.questions = questions;
    this.reset();
  }

  get answered(): number {
    return this.boxes.filter(({ chosen, words }) => chosen.length > 0 || words.trim() !== '').length;
  }

  /** For a single answer the last input counts: a choice clears the words. */
  choose(index: number, label: string, on: boolean): void {
    const box = this.boxes[index]!;
    if (this.questions[index]?.kind === 'single') Object.assign(box, { chosen: on ? [label] : [], words: '' });
    else box.chosen = on ? [...box.chosen, label] : box.chosen.filter((one) => one !== label);
  }

  write(index: number, words: string): void {
    const box = this.boxes[index]!;
    box.words = words;
    if (this.questions[index]?.kind === 'single' && words.trim() !== '') box.chosen = [];
  }

  reset(): void {
    this.boxes = this.questions.map(() => ({ chosen: [], words: '' }));
  }

  answer(): Answer {
    const replies = $state.snapshot(this.boxes).map(({ chosen, words }) => {
      return chosen.length === 0 && words.trim() === '' ? null : { chosen, words };
    });
    return { kind: 'reply', replies };
  }

  skipped(): Answer {
    return { kind: 'reply', replies: this.questions.map(() => null) };
  }
}

/** The amount by which the person extends a limit. The default doubles the limit. */
export class LimitDraft {
  readonly kind = 'limit';
  readonly grant = null;
  readonly name: Bound['name'];
  readonly #suggested: number;
  amount = $state<number | null | undefined>(0);
  /** Always empty: a no lets the run finish. */
  reason = '';
  readonly edits = 0;
  readonly changed: readonly string[] = [];

  constructor({ bound: { name, value }, add }: Extract<Subject, { kind: 'limit' }>) {
    this.name = name;
    this.#suggested = add[name] ?? value;
    this.reset();
  }

  get isWhole(): boolean {
    return this.name === 'tokens' || this.name === 'iterations';
  }

  get isValid(): boolean {
    const amount = this.amount ?? 0;
    return amount > 0 && (!this.isWhole || Number.isInteger(amount));
  }

  reset(): void {
    this.amount = this.#suggested;
  }

  answer(): Answer {
    return this.amount === this.#suggested ? { kind: 'allow' } : { kind: 'edit', value: { [this.name]: this.amount } };
  }
}

/** An action in an agent's own words, which the person may put differently. */
export class ActionDraft {
  readonly kind = 'action';
  readonly grant = null;
  readonly #subject: Extract<Subject, { kind: 'action' }>;
  action = $state('');
  reason = $state('');

  constructor(subject: Extract<Subject, { kind: 'action' }>) {
    this.#subject = subject;
    this.reset();
  }

  get changed(): string[] {
    return this.action === this.#subject.action ? [] : ['action'];
  }

  get edits(): number {
    return this.changed.length;
  }

  reset(): void {
    this.action = this.#subject.action;
  }

  answer(): Answer {
    if (this.edits === 0) return { kind: 'allow' };
    return { kind: 'edit', value: { ...Object(this.#subject.input), action: this.action } };
  }
}

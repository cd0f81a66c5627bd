/** What the person said to the runs of one workflow while they worked: each reaches its run once. */
import type { Entry, Word } from '#contract/message.ts';
import { unreadWords } from '#contract/messages/unread-words.ts';

export class PersonWords {
  /** By run id, in the order in which they were said. */
  readonly #said: Map<string, readonly Word[]>;

  /** `said`: what is stored of earlier attempts, by run id. */
  constructor(said: Iterable<readonly [string, readonly Word[]]>) {
    this.#said = new Map(said);
  }

  add(runId: string, word: Word): void {
    this.#said.set(runId, [...this.of(runId), word]);
  }

  of(runId: string): readonly Word[] {
    return this.#said.get(runId) ?? [];
  }

  /** Those that its entries do not tell of yet. */
  unheard(runId: string, entries: readonly Entry[]): Word[] {
    return unreadWords(this.of(runId), entries);
  }
}

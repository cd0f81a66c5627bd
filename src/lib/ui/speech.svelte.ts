/** What a screen reader is told of a text that grows: whole sentences, at most every few seconds. */

const PAUSE_MS = 3000;

export class Speech {
  /** The words for a polite live region. */
  said = $state('');
  #text = '';
  #spoken = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** The text as it is now; another text starts anew. */
  hear(text: string): void {
    if (!text.startsWith(this.#text.slice(0, this.#spoken))) this.#spoken = 0;
    this.#text = text;
    this.#timer ??= setTimeout(() => this.#speak(), PAUSE_MS);
  }

  /** The text is over: what is left is said, and that it was all. */
  end(closing: string): void {
    this.stop();
    if (this.#text === '') return;
    this.said = `${this.#text.slice(this.#spoken)} ${closing}`.trim();
    this.#text = '';
    this.#spoken = 0;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #speak(): void {
    this.#timer = undefined;
    const rest = this.#text.slice(this.#spoken);
    const sentences = /^[\s\S]*[.!?:\n](?=\s|$)/.exec(rest)?.[0] ?? '';
    if (sentences === '') return;
    this.#spoken += sentences.length;
    this.said = sentences;
  }
}

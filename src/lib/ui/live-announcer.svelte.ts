/** What a screen reader is told of a text that grows: whole sentences, at most every few seconds. */

const PAUSE_MS = 3000;

export class LiveAnnouncer {
  /** The words for a polite live region. */
  announcement = $state('');
  #text = '';
  #spokenUnits = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** The text as it is now; another text starts anew. */
  update(text: string): void {
    if (!text.startsWith(this.#text.slice(0, this.#spokenUnits))) this.#spokenUnits = 0;
    this.#text = text;
    this.#timer ??= setTimeout(() => this.#announceSentences(), PAUSE_MS);
  }

  /** The text is over: what is left is announced, followed by `closing`. */
  end(closing: string): void {
    this.stop();
    if (this.#text === '') return;
    this.announcement = `${this.#text.slice(this.#spokenUnits)} ${closing}`.trim();
    this.#text = '';
    this.#spokenUnits = 0;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #announceSentences(): void {
    this.#timer = undefined;
    const rest = this.#text.slice(this.#spokenUnits);
    const sentences = /^[\s\S]*[.!?:\n](?=\s|$)/.exec(rest)?.[0] ?? '';
    if (sentences === '') return;
    this.#spokenUnits += sentences.length;
    this.announcement = sentences;
  }
}

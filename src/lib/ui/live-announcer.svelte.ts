/** Announces a growing text in Markdown to screen readers, without its marks: whole sentences, at most every 3 seconds. */
import { spoken } from '#lib/view/title.ts';

const PAUSE_MS = 3000;

export class LiveAnnouncer {
  /** The content of a polite live region. */
  announcement = $state('');
  #text = '';
  #spokenUnits = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Takes the whole text so far; a text that does not continue the last one starts from its beginning. */
  update(text: string): void {
    if (!text.startsWith(this.#text.slice(0, this.#spokenUnits))) this.#spokenUnits = 0;
    this.#text = text;
    this.#timer ??= setTimeout(() => this.#announceSentences(), PAUSE_MS);
  }

  /** Call when the text is complete: what is left is announced, followed by `closing`. */
  end(closing: string): void {
    this.stop();
    if (this.#text === '') return;
    this.#say(`${this.#text.slice(this.#spokenUnits)} ${closing}`);
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
    this.#say(sentences);
  }

  #say(words: string): void {
    this.announcement = spoken(words).trim();
  }
}

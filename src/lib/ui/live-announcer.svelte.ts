/** Announces a growing text in Markdown to screen readers, without its marks: whole sentences, at most every 3 seconds. */
import { spoken } from '#lib/view/title.ts';

const PAUSE_MS = 3000;

export class LiveAnnouncer {
  #words = $state('');
  #closing = $state.raw<() => string>(() => '');
  #text = '';
  #spokenUnits = 0;
  /** Rest of complete texts, announced with the next pause. */
  #rest = '';
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** The content of a polite live region. */
  get announcement(): string {
    return `${this.#words} ${this.#closing()}`.trim();
  }

  /** Takes the whole text so far; a text that does not continue the last one starts from its beginning. */
  update(text: string): void {
    if (!text.startsWith(this.#text.slice(0, this.#spokenUnits))) this.#spokenUnits = 0;
    this.#text = text;
    this.#timer ??= setTimeout(() => this.#announceSentences(), PAUSE_MS);
  }

  /** Call when the text is complete and another may follow: announces its rest after the pause. */
  complete(): void {
    this.#rest += `${this.#text.slice(this.#spokenUnits)}\n`;
    this.#text = '';
    this.#spokenUnits = 0;
  }

  /** Call when no text follows: announces the rest and `closing` at once, in the language that is set at any time. */
  end(closing: () => string): void {
    this.stop();
    this.complete();
    this.#say(this.#rest, closing);
    this.#rest = '';
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #announceSentences(): void {
    this.#timer = undefined;
    const own = this.#text.slice(this.#spokenUnits);
    const sentences = /^[\s\S]*[.!?:\n](?=\s|$)/.exec(own)?.[0] ?? '';
    const words = this.#rest + sentences;
    if (words.trim() === '') return;
    this.#rest = '';
    this.#spokenUnits += sentences.length;
    this.#say(words);
  }

  #say(words: string, closing = () => ''): void {
    this.#words = spoken(words).trim();
    this.#closing = closing;
  }
}

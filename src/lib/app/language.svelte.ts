/** In which language the screens speak: as the system says, or as the person chose; kept in local storage. */
import { createContext } from 'svelte';
import type { Language } from '#contract/messages/language.ts';
import { LANGUAGE_CHOICES, type LanguageChoice, languageOf, speakBy } from '#lib/view/language.ts';
import { learn } from '#lib/words/text.ts';

const KEY = 'triad-language';

export class Languages {
  /** What was chosen. */
  value = $state<LanguageChoice>('system');
  #spoken = $state<Language>('en');
  readonly #follow = (): void => void this.#speak();

  private constructor() {
    const known = localStorage.getItem(KEY);
    this.value = LANGUAGE_CHOICES.find((choice) => choice === known) ?? 'system';
    addEventListener('languagechange', this.#follow);
    speakBy(() => this.#spoken);
  }

  /** To be awaited before anything is shown, so that it is not shown in another language first. */
  static async begin(): Promise<Languages> {
    const languages = new Languages();
    await languages.#speak();
    return languages;
  }

  /** All that is shown follows once the words are there. */
  async set(choice: LanguageChoice): Promise<void> {
    localStorage.setItem(KEY, choice);
    this.value = choice;
    await this.#speak();
  }

  /** Follows the system no more. */
  stop(): void {
    removeEventListener('languagechange', this.#follow);
  }

  /** English stays where the words cannot be loaded. */
  async #speak(): Promise<void> {
    const choice = this.value;
    const wanted = languageOf(choice, navigator.languages);
    const language = await learn(wanted).then(
      () => wanted,
      () => 'en' as const,
    );
    if (choice !== this.value) return;
    this.#spoken = language;
    document.documentElement.lang = language;
  }
}

export const [getLanguages, setLanguages] = createContext<Languages>();

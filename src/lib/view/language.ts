/** The languages that the screens speak, and which one is spoken now. */
import { type Language, LANGUAGES } from '#contract/messages/language.ts';

export const LANGUAGE_CHOICES = ['system', ...LANGUAGES] as const;
export type LanguageChoice = (typeof LANGUAGE_CHOICES)[number];

let source: () => Language = () => 'en';

/** Pages read it wherever they show words, numbers or times: where `source` is a signal, they follow it. */
export function spokenLanguage(): Language {
  return source();
}

/** What a message carries of it. */
export function sentLanguage(): { language?: Language } {
  const language = source();
  return language === 'en' ? {} : { language };
}

/** From here on `next` says which language is spoken. */
export function speakBy(next: () => Language): void {
  source = next;
}

/** `wanted`: tags of the system's languages, the best first, such as `fr-CA`. */
export function languageOf(choice: LanguageChoice, wanted: readonly string[]): Language {
  if (choice !== 'system') return choice;
  const known = wanted.map((tag) => LANGUAGES.find((language) => tag.toLowerCase().split('-')[0] === language));
  return known.find((language) => language !== undefined) ?? 'en';
}

/** What is costly to make, such as a format of dates: made once for each language in which it is needed. */
export function perLanguage<T>(make: (language: Language) => T): () => T {
  const made = new Map<Language, T>();
  return () => {
    const language = spokenLanguage();
    const known = made.get(language);
    if (known !== undefined) return known;
    const fresh = make(language);
    made.set(language, fresh);
    return fresh;
  };
}

/** Every word that the screens show, in the language of their reader. */
import type { Language } from '#contract/messages/language.ts';
import { spokenLanguage } from '#lib/view/language.ts';
import { english, type Words } from './english.ts';
import { following } from './following.ts';

const dictionaries = new Map<Language, Words>([['en', english]]);

/** In the language that is spoken now. Keep groups of it, not single texts. */
export const text: Words = following<Words>(english, () => dictionaries.get(spokenLanguage()) ?? english);

/** Loads the words of a language; English is there anyway. Rejects where they cannot be loaded. */
export async function learn(language: Language): Promise<void> {
  if (dictionaries.has(language)) return;
  const { french } = await import('./fr/text.ts');
  dictionaries.set(language, french);
}

/** The words of all languages, for who looks for something by what it is called in another one. What cannot be loaded is left out. */
export async function allWords(): Promise<readonly Words[]> {
  await learn('fr').catch(() => undefined);
  return [...dictionaries.values()];
}

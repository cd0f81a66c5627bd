/** In which language the demo speaks: an exchange goes on in the one that it began in. */
import { type Language, LANGUAGES } from '#contract/messages/language.ts';
import { type DemoWords, ENGLISH } from './demo-words.ts';
import { FRENCH } from './demo-words-french.ts';

const WORDS: Readonly<Record<Language, DemoWords>> = { en: ENGLISH, fr: FRENCH };

export const wordsOf = (language: Language): DemoWords => WORDS[language];

/** Sentences of the script that no two languages share, as they begin. */
function marksOf(words: DemoWords): string[] {
  const [act = ''] = words.act(1, 1).split('1');
  const tasks = Object.values(words.tasks).map(({ task }) => task);
  return [act, `**${words.prompt.task}**`, words.scripted, ...tasks];
}

const MARKS = LANGUAGES.map((language) => ({ language, marks: marksOf(WORDS[language]) }));

/** The language of the script's own words in what was said; `otherwise` where there are none. */
export function languageOf(said: readonly string[], otherwise: Language): Language {
  for (const text of said)
    for (const { language, marks } of MARKS) if (marks.some((mark) => text.includes(mark))) return language;
  return otherwise;
}

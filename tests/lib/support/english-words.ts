/** Finds English words of the program in a page that speaks French. */
import { speakBy } from '#lib/view/language.ts';
import { text } from '#lib/words/text.ts';

const textsOf = (group: object): string[] =>
  Object.values(group).flatMap((value: unknown) => {
    if (typeof value === 'string') return [value];
    return typeof value === 'object' && value !== null ? textsOf(value) : [];
  });

/**
 * Whole texts and attributes of `html` that are English texts of the dictionary, and no French ones. `names`: keys of the
 * program, which are no words. French is spoken from then on.
 */
export function englishIn(html: string, names: readonly string[] = []): string[] {
  speakBy(() => 'en');
  const english = new Set(textsOf(text));
  speakBy(() => 'fr');
  const french = new Set(textsOf(text));
  const shown = [...html.matchAll(/>([^<]+)<|(?:aria-label|title|placeholder)="([^"]+)"/g)].map(
    ([, words = '', attribute = '']) => (words || attribute).trim(),
  );
  return shown.filter((one) => /\p{L}{3}/u.test(one) && english.has(one) && !french.has(one) && !names.includes(one));
}

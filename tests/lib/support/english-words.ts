/** Finds English words of the program in a page that speaks French. */
import { speakBy } from '#lib/view/language.ts';
import { text } from '#lib/words/text.ts';

/** By the path of each function of the dictionary, its keys parted by `/`: the lists of values to call it with. */
export type WordSamples = ReadonlyMap<string, readonly (readonly unknown[])[]>;

/** A word, which tells a language; what a sentence is made with is none. */
const WORD = /\p{L}{3}/u;

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

const isFunction = (value: unknown): value is (...values: readonly unknown[]) => unknown => typeof value === 'function';

/** What the functions of a group say of their samples; values that never come together say nothing. */
function sentencesOf(group: object, samples: WordSamples, path = ''): string[] {
  return Object.entries(group).flatMap(([key, value]: [string, unknown]) => {
    const here = path === '' ? key : `${path}/${key}`;
    if (isFunction(value))
      return (samples.get(here) ?? []).flatMap((values) => {
        try {
          return stringsIn(value(...values));
        } catch {
          return [];
        }
      });
    return typeof value === 'object' && value !== null ? sentencesOf(value, samples, here) : [];
  });
}

/**
 * What a sentence is with any other values; null for one that has no word besides them. Beside one word only, a value has
 * no space: what people and agents write would be taken for it.
 */
function patternOf(sentence: string): string | null {
  const parts = sentence.split(/Value\d+|\d[\d.,:]*/);
  const words = parts.join(' ').match(/\p{L}{3,}/gu)?.length ?? 0;
  if (words === 0 || /undefined|NaN|\[object/.test(sentence)) return null;
  const literal = parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  return literal.join(words === 1 ? String.raw`\S+` : '.+?');
}

interface Language {
  texts: ReadonlySet<string>;
  sentences: readonly RegExp[];
}

function languageOf(samples: WordSamples): Language {
  const sentences = new Set(sentencesOf(text, samples).map(patternOf));
  return {
    texts: new Set(stringsIn(text)),
    sentences: [...sentences].flatMap((one) => (one === null ? [] : [new RegExp(`^${one}$`, 'u')])),
  };
}

const known = new WeakMap<WordSamples, Record<'en' | 'fr', Language>>();
const NONE: WordSamples = new Map();

/** French is spoken from then on. */
function languages(samples: WordSamples): Record<'en' | 'fr', Language> {
  const before = known.get(samples);
  speakBy(() => 'en');
  const en = before?.en ?? languageOf(samples);
  speakBy(() => 'fr');
  const both = before ?? { en, fr: languageOf(samples) };
  known.set(samples, both);
  return both;
}

/**
 * Whole texts and attributes of `html` that are English texts of the dictionary, or what its functions say of other
 * values than `samples`, and no French ones. `names`: keys of the program, which are no words. French is spoken from then on.
 */
export function englishIn(html: string, names: readonly string[] = [], samples = NONE): string[] {
  const { en, fr } = languages(samples);
  const says = ({ texts, sentences }: Language, one: string): boolean =>
    texts.has(one) || sentences.some((sentence) => sentence.test(one));
  const shown = [...html.matchAll(/>([^<]+)<|(?:aria-label|title|placeholder)="([^"]+)"/g)].map(
    ([, words = '', attribute = '']) => (words || attribute).trim(),
  );
  return [...new Set(shown)].filter((one) => WORD.test(one) && !names.includes(one) && says(en, one) && !says(fr, one));
}

// The French words say what the English ones say: the same keys, the same values in them, and no English left.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { speakBy } from '#lib/view/language.ts';
import { french } from '#lib/words/fr/text.ts';
import { learn, text } from '#lib/words/text.ts';
import { inFullRun } from '../../support/samples.ts';

type Leaf = string | readonly string[] | ((...values: unknown[]) => unknown);

const isGroup = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function leavesOf(group: object, path = ''): [string, Leaf][] {
  return Object.entries(group).flatMap(([key, value]): [string, Leaf][] => {
    const here = path === '' ? key : `${path}/${key}`;
    return isGroup(value) ? leavesOf(value, here) : [[here, value as Leaf]];
  });
}

function at(path: string): Leaf {
  return path.split('/').reduce<unknown>((group, key) => (group as Record<string, unknown>)[key], text) as Leaf;
}

/** Every string in what a function gives. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return isGroup(value) ? Object.values(value).flatMap(stringsIn) : [];
}

/** Names, and words that are the same in both. */
const SAME = [
  ...['product', 'colon', 'stage/now', 'said/asks'],
  ...['agents/programs/claude', 'agents/programs/opencode', 'agents/title', 'agents/composition', 'flow/compositions'],
];
const SAMENESS =
  /^(?:Triad|Agents?|agents?|Type|Messages?|Conversations?|Permissions?|permissions?|Questions?|questions?|Actions?|Sources?|Description|Effort|Plan|Total|Notifications|Pause|Volume|Sections?|Notes?|notes?|Prompts?( .*)?|prompt|message|Trace|Span|Commit…|Budget|Arguments|Arguments \(JSON\)|Markdown|JSON|conversation|Composition|Coagent|coagent|Fixes|composition|score|Normal|normal|English|Français|Minutes|minutes|sonnet|haiku|opus|OpenAI(?: .*)?|Anthropic(?: .*)?|[^\p{L}]*)$/u;

/** Before what French sets off by a narrow no-break space, or after what it does. */
const USUAL_SPACE = /(?<=[\p{L}\d)…]) [;:!?»]|« /u;

function attempt<T>(say: () => T): T | null {
  try {
    return say();
  } catch {
    return null;
  }
}

const BROKEN = /undefined|\[object|NaN/;

/** Words and numbers for each function, whatever its types say: those take seconds to be read, which the full run does. */
function plainSamples(): Map<string, unknown[][]> {
  const kinds: ((place: number) => unknown)[] = [
    (place) => `Value${place + 1}`,
    (place) => 31 + place,
    () => 1,
    () => 0,
    (place) => (place % 2 === 0 ? `Value${place + 1}` : 31 + place),
    (place) => (place % 2 === 1 ? `Value${place + 1}` : 31 + place),
  ];
  return new Map(
    leavesOf(text).flatMap(([path, leaf]) =>
      typeof leaf === 'function'
        ? [[path, kinds.map((kind) => Array.from({ length: leaf.length }, (_, place) => kind(place)))]]
        : [],
    ),
  );
}

const isWord = (value: unknown): boolean => typeof value === 'string';

let samples: Map<string, unknown[][]>;
let language: 'en' | 'fr' = 'en';
const inFrench = <T>(say: () => T): T => {
  language = 'fr';
  try {
    return say();
  } finally {
    language = 'en';
  }
};

beforeAll(async () => {
  samples = inFullRun ? (await import('../support/word-samples.ts')).wordSamples() : plainSamples();
  await learn('fr');
  speakBy(() => language);
});
afterAll(() => speakBy(() => 'en'));

describe('the French texts', () => {
  it('have the keys of the English texts, with equal list lengths', () => {
    const shape = (group: object) =>
      leavesOf(group).map(([path, value]) => `${path} ${Array.isArray(value) ? value.length : typeof value}`);
    expect(shape(french).sort()).toEqual(shape(text).sort());
    expect(leavesOf(french).length).toBeGreaterThan(900);
  });

  it('are not empty, and contain every value of the English texts', () => {
    const faults: string[] = [];
    for (const [path] of leavesOf(text)) {
      // Its English is what the mark says itself.
      if (typeof at(path) !== 'function' || path === 'said/mark') continue;
      let calls = 0;
      for (const values of samples.get(path) ?? []) {
        const say = () => stringsIn((at(path) as (...all: unknown[]) => unknown)(...values));
        const english = attempt(say);
        // Values that its type allows, and that never come together.
        if (english === null) continue;
        calls += 1;
        const said = inFullRun ? inFrench(say) : attempt(() => inFrench(say));
        // Values that its type does not allow, such as a word in the place of a number.
        if (said === null || (!inFullRun && /NaN|undefined/.test(said.join()) && values.some(isWord))) continue;
        const told = `${path}(${JSON.stringify(values)}): ${JSON.stringify(english)} ${JSON.stringify(said)}`;
        if (english.join('') !== '' && said.join('').trim() === '') faults.push(`empty: ${told}`);
        if (/[“”]/.test(said.join())) faults.push(`quotes: ${told}`);
        if (USUAL_SPACE.test(said.join('|')) && !USUAL_SPACE.test(english.join('|'))) faults.push(`space: ${told}`);
        if (BROKEN.test(said.join()) && !BROKEN.test(english.join())) faults.push(`broken: ${told}`);
        const shown = stringsIn(values).filter(
          (value) => /^Value\d+$/.test(value) && english.some((one) => one.includes(value)),
        );
        for (const value of shown) if (!said.some((one) => one.includes(value))) faults.push(`lost ${value}: ${told}`);
        for (const [number] of english.join(' ').matchAll(/(?<![\w.,])3\d(?![\w.,]*\d)/g))
          if (!said.join(' ').includes(number)) faults.push(`lost ${number}: ${told}`);
      }
      if (calls === 0 && inFullRun) faults.push(`never called: ${path}`);
    }
    expect(faults).toEqual([]);
  });

  it('capitalize a month in a heading', () => {
    const month = (at: string) => inFrench(() => text.shell.day('month', at, Date.parse('2026-06-15T12:00:00.000Z')));
    expect([month('2026-03-15T12:00:00.000Z'), month('2025-03-15T12:00:00.000Z')]).toEqual(['Mars', 'Mars 2025']);
  });

  it('differ from the English texts', () => {
    const same = leavesOf(text).flatMap(([path, english]) => {
      const words = stringsIn(english);
      const own = stringsIn(inFrench(() => at(path)));
      return words
        .filter((one, index) => one === own[index] && !SAME.includes(path) && !SAMENESS.test(one))
        .map((one) => `${path}: ${one}`);
    });
    expect(same).toEqual([]);
  });

  it('have narrow no-break spaces before a colon, no straight apostrophes and no English quotes', () => {
    const faults = leavesOf(french).flatMap(([path, value]) =>
      stringsIn(value)
        .filter((one) => USUAL_SPACE.test(one) || /\p{L}'\p{L}|[“”]/u.test(one))
        .map((one) => `${path}: ${one}`),
    );
    expect(faults).toEqual([]);
  });
});

describe('a text', () => {
  it('follows the selected language, even if its group was stored before', () => {
    const { stop } = text.stage;
    const kept = text.stage;
    expect([stop, kept.stop]).toEqual(['Stop', 'Stop']);
    expect(inFrench(() => kept.stop)).toBe('Arrêter');
    expect(inFrench(() => Object.entries(text.agents.formats))).toContainEqual(['text', 'texte']);
  });
});

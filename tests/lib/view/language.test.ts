// Which language is spoken, and what follows it.
import { afterEach, describe, expect, it } from 'vitest';
import { count, dayName, dollars, duration, moment, tokens } from '#lib/view/format.ts';
import type { Language } from '#contract/messages/language.ts';
import { languageOf, perLanguage, speakBy } from '#lib/view/language.ts';

afterEach(() => speakBy(() => 'en'));

describe('the language', () => {
  it('is the chosen language, whatever the system prefers', () => {
    expect([languageOf('fr', ['en-US']), languageOf('en', ['fr-FR'])]).toEqual(['fr', 'en']);
  });

  it.for([
    [['fr-CA', 'en'], 'fr'],
    [['FR'], 'fr'],
    [['de-DE', 'fr', 'en'], 'fr'],
    [['en-GB', 'fr'], 'en'],
    [['de', 'it'], 'en'],
    [[], 'en'],
    // Frisian and Friulian are no French.
    [['fy', 'fur'], 'en'],
  ] as const)('is the first supported language of the system: %s', ([wanted, language]) => {
    expect(languageOf('system', wanted)).toBe(language);
  });

  it('creates its formats once per language', () => {
    let language: Language = 'en';
    const made: string[] = [];
    speakBy(() => language);
    const format = perLanguage((one) => made.push(one));
    format();
    language = 'fr';
    format();
    language = 'en';
    expect([format(), made]).toEqual([1, ['en', 'fr']]);
  });
});

describe('the French formats', () => {
  const plain = (said: string) => said.replaceAll(/[\u00A0\u202F]/g, ' ');

  it('write numbers, amounts and times in the French style', () => {
    speakBy(() => 'fr');
    expect(
      [count(12_345), tokens(3420), duration(3210), dollars(1_230_000), dollars(12_400_000_000)].map(plain),
    ).toEqual(['12 345', '3,4 k', '3,2 s', '0,0012 $', '12,40 $']);
    expect(plain(dollars(20_000))).toBe('<0,0001 $');
    expect(dayName('2026-01-31', '2026-02-01')).toBe('sam. 31 janv.');
    expect(moment('2026-01-31T12:00:00Z', Date.parse('2026-02-01T00:00:00Z'))).toMatch(/^31 janv\./);
  });
});

// The language is that of the system, or the one that was chosen, which is kept; the page says which it is.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Languages } from '#lib/app/language.svelte.ts';
import { speakBy, spokenLanguage } from '#lib/view/language.ts';
import { text } from '#lib/words/text.ts';

const kept = new Map<string, string>();
const system = { languages: ['fr-FR', 'en'] };
const page = { documentElement: { lang: 'en' } };
const listeners = new Set<() => void>();

beforeEach(() => {
  kept.clear();
  listeners.clear();
  system.languages = ['fr-FR', 'en'];
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  });
  vi.stubGlobal('navigator', system);
  vi.stubGlobal('document', page);
  vi.stubGlobal(
    'addEventListener',
    (type: string, listener: () => void) => type === 'languagechange' && listeners.add(listener),
  );
  vi.stubGlobal('removeEventListener', (_: string, listener: () => void) => listeners.delete(listener));
});
afterEach(() => {
  vi.unstubAllGlobals();
  speakBy(() => 'en');
});

it('uses the language of the system at the start', async () => {
  await Languages.begin();
  expect([spokenLanguage(), text.close, page.documentElement.lang]).toEqual(['fr', 'Fermer', 'fr']);
});

it('keeps the chosen language for later starts', async () => {
  await (await Languages.begin()).set('en');
  expect([text.close, page.documentElement.lang]).toEqual(['Close', 'en']);
  system.languages = ['fr'];
  const later = await Languages.begin();
  expect([later.value, text.close]).toEqual(['en', 'Close']);
});

it('follows a change of the system language without a choice', async () => {
  const languages = await Languages.begin();
  system.languages = ['en'];
  for (const listener of listeners) listener();
  await vi.waitFor(() => expect(text.close).toBe('Close'));
  languages.stop();
  expect(listeners.size).toBe(0);
});

it('uses the last of two fast choices', async () => {
  const languages = await Languages.begin();
  await Promise.all([languages.set('fr'), languages.set('en')]);
  expect([languages.value, text.close]).toEqual(['en', 'Close']);
});

it('uses the language of the system if the stored value is no language', async () => {
  kept.set('triad-language', 'tlh');
  expect((await Languages.begin()).value).toBe('system');
});

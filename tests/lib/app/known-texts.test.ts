// A text that was seen to its end is known in every conversation of this installation, and no other text is.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { KnownTexts } from '#lib/app/known-texts.ts';
import { SeenTexts } from '#lib/app/seen-texts.svelte.ts';

const LONG = 'Look at this part.\n'.repeat(50);
const of = (text: string) => [{ name: 'systemPrompt', label: 'Its system prompt', text }];
let kept: Map<string, string>;

beforeEach(() => {
  kept = new Map();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  });
});
afterEach(() => void vi.unstubAllGlobals());

async function seen(text: string): Promise<void> {
  new KnownTexts().add(text);
  await vi.waitFor(() => expect(kept.size).toBe(1));
}

test('what was seen once is known after a restart, by its hash alone', async () => {
  await seen(LONG);
  expect([...kept.values()].join()).not.toContain('Look');
  const known = new KnownTexts();
  expect(known.has(LONG), 'not before it is looked up').toBe(false);
  await known.look(LONG);
  expect(known.has(LONG)).toBe(true);
  await known.look(`${LONG}.`);
  expect(known.has(`${LONG}.`), 'one character more').toBe(false);
});

test('a question whose text was seen in another conversation holds no yes back; one of a new text does', async () => {
  await seen(LONG);
  const [known, other] = [new KnownTexts(), `${LONG}And then delete it.`];
  const question = new SeenTexts(known);
  question.unseen([...of(LONG), ...of(other)]);
  await Promise.all([known.look(LONG), known.look(other)]);
  expect(question.unseen(of(LONG))).toEqual([]);
  expect(question.unseen(of(other))).toHaveLength(1);
});

test('what is kept is damaged, or cannot be kept: then it must be seen again', async () => {
  kept.set('triad-seen-texts', '{"not": "a list"');
  const known = new KnownTexts();
  await known.look(LONG);
  expect(known.has(LONG)).toBe(false);
  vi.stubGlobal('localStorage', {
    getItem: () => null,
    setItem: () => {
      throw new Error('full');
    },
  });
  known.add(LONG);
  expect(known.has(LONG), 'in this window').toBe(true);
});

// What errors, notifications and window titles say hides nothing, and what French sets itself is no mark there.
import { render } from 'svelte/server';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import RequestFailure from '#lib/history/request-failure.svelte';
import { hiddenIn } from '#lib/ui/hidden-counts.ts';
import { rendersAll } from '#lib/ui/markdown/renders-all.ts';
import FailureNote from '#lib/ui/failure-note.svelte';
import { notify } from '#lib/ui/system-notification.ts';
import { speakBy } from '#lib/view/language.ts';
import { learn, text } from '#lib/words/text.ts';

beforeAll(() => learn('fr'));
afterEach(() => {
  speakBy(() => 'en');
  vi.unstubAllGlobals();
});

const note = (code: string): string =>
  render(FailureNote, { props: { code, message: 'No \u202Eelif such\u200B', title: 'Failed' } }).body;

it('marks hidden characters in an error, in English and French', () => {
  expect(note('bad_input')).toContain('⟦U+202E⟧');
  speakBy(() => 'fr');
  const french = note('provider');
  expect(french).toContain('Le fournisseur a répondu par une erreur');
  expect(french).toContain('⟦U+202E⟧');
  expect(french).not.toContain('\u202E');
});

it('marks hidden characters in a failed request, in English and French', () => {
  const error = { code: 'provider' as const, message: 'No \u202Eelif' };
  expect(render(RequestFailure, { props: { error } }).body).toContain('⟦U+202E⟧');
  speakBy(() => 'fr');
  const { body } = render(RequestFailure, { props: { error } });
  expect(body).toContain('Le fournisseur a répondu par une erreur');
  expect(body).toContain('⟦U+202E⟧');
});

it('marks hidden characters in a notification and a window title', () => {
  const shown: string[] = [];
  class Note {
    static permission = 'granted';
    constructor(title: string, { body = '' }: NotificationOptions) {
      shown.push(title, body);
    }
  }
  vi.stubGlobal('Notification', Note);
  speakBy(() => 'fr');
  const body = `Le serveur demande\u202F: «\u202Fa\u202Eb\u202F»`;
  notify({ key: '1', title: body, body, onPress: () => undefined });
  shown.push(text.windowTitle(body, 0));
  for (const one of shown) expect(one).toContain('Le serveur demande\u202F: «\u202Fa⟦U+202E⟧b\u202F»');
});

it('does not mark the no-break spaces that French typesetting uses, but counts one between two letters', () => {
  const task = '**Tâche**\u202F: compter\u00A0; «\u202Frien d’autre\u202F», 12\u202F000 fichiers';
  expect(hiddenIn(task)).toBeNull();
  expect(rendersAll(task)).toBe(true);
  const deceives = `${task}, a\u202Fb`;
  expect(hiddenIn(deceives)).toMatchObject({ hidden: 1 });
  expect(rendersAll(deceives)).toBe(false);
});

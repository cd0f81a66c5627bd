// The palette finds by parts of words, whatever their case and accents, and shows the best first.
import { expect, it } from 'vitest';
import { bestOf, scoreOf } from '#lib/view/shell/palette.ts';

it('wants every word, somewhere', () => {
  expect(scoreOf('New conversation', 'conv new')).not.toBeNull();
  expect(scoreOf('New conversation', 'new x')).toBeNull();
  expect(scoreOf('Größe des Kontexts', 'grosse')).toBeNull();
  expect(scoreOf('Réglages', 'reglages')).not.toBeNull();
});

it('prefers the beginning of the text, then of a word', () => {
  const items = ['Unsettled', 'Open the settings', 'Settings'];
  expect(bestOf(items, 'sett', (item) => item, 9)).toEqual(['Settings', 'Open the settings', 'Unsettled']);
  expect(bestOf(items, '', (item) => item, 2)).toEqual(['Unsettled', 'Open the settings']);
});

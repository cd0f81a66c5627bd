// The palette finds by parts of words, whatever their case and accents, and shows the best first.
import { expect, it } from 'vitest';
import { bestOf, exactFirst, scoreOf } from '#lib/view/shell/palette.ts';

it('matches every word of the query, ignoring case and accents', () => {
  expect(scoreOf('New conversation', 'conv new')).not.toBeNull();
  expect(scoreOf('New conversation', 'new x')).toBeNull();
  expect(scoreOf('Größe des Kontexts', 'grosse')).toBeNull();
  expect(scoreOf('Réglages', 'reglages')).not.toBeNull();
});

it('ranks matches at the start of the text first, then at the start of a word', () => {
  const items = ['Unsettled', 'Open the settings', 'Settings'];
  expect(bestOf(items, 'sett', (item) => item, 9)).toEqual(['Settings', 'Open the settings', 'Unsettled']);
  expect(bestOf(items, '', (item) => item, 2)).toEqual(['Unsettled', 'Open the settings']);
});

it('moves an exact match and its group to the front, and keeps the other order', () => {
  const groups = [
    { name: 'commands', items: ['Open the settings', 'Set it'] },
    { name: 'files', items: ['a/réglages.md', 'b'] },
  ];
  const first = (query: string) =>
    exactFirst(groups, query, (item: string) => [item, item.split('/').at(-1) ?? '']).flatMap(({ items }) => items);
  expect(first('reglages.md ')).toEqual(['a/réglages.md', 'b', 'Open the settings', 'Set it']);
  expect(first('set it')).toEqual(['Set it', 'Open the settings', 'a/réglages.md', 'b']);
  expect(first('set')).toEqual(['Open the settings', 'Set it', 'a/réglages.md', 'b']);
});

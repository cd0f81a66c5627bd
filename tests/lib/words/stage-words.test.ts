/** What an agent does is told whole where its call names nothing. */
import { expect, test } from 'vitest';
import { stageWords as french } from '#lib/words/fr/stage-words.ts';
import { stageWords as english } from '#lib/words/stage-words.ts';

test('describes a listing without a path as a listing of the folder', () => {
  for (const argument of ['', '.']) {
    const listing = { kind: 'call', name: 'list_directory', argument } as const;
    expect(english.now('finder', listing)).toBe('looking into the folder');
    expect(french.now('finder', listing)).toBe('regarde dans le dossier');
  }
  expect(english.now('finder', { kind: 'call', name: 'list_directory', argument: 'src' })).toBe('looking into src');
});

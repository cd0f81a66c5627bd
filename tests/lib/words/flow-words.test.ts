/** All agents of a chain are counted, from the first, wherever one of them is named. */
import { expect, test } from 'vitest';
import { flowWords as french } from '#lib/words/fr/flow-words.ts';
import { flowWords as english } from '#lib/words/flow-words.ts';

test('numbers three agents of a chain from 1 to 3', () => {
  const places = [0, 1, 2];
  expect(places.map((place) => english.stageOf(place, 2))).toEqual(['agent 1 of 3', 'agent 2 of 3', 'agent 3 of 3']);
  expect(english.link(0, 2, 'finder')).toBe('Agent 1 of 3, finder');
  expect(english.serving('chain', 'finder', 1, 2)).toBe('agent 2 of 3, after finder');
  expect(english.stageCount(2)).toBe('3 agents');
  expect(french.stageOf(2, 2)).toBe('agent 3 sur 3');
  expect(french.stageCount(2)).toBe('3 agents');
});

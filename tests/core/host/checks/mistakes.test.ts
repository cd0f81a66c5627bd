/** The check of the configuration finds each of three hundred mistakes with its file and line, says what to do, and finds nothing else. */
import { expect, test } from 'vitest';
import { agentWorld } from './agent-mistakes.ts';
import { placeWorlds } from './place-mistakes.ts';
import { providerWorlds } from './provider-mistakes.ts';
import { settingWorlds } from './setting-mistakes.ts';
import { PLAIN, seenIn, type World } from './world.ts';

const NOTHING = { missed: [], others: [], mute: [] };
const all: Readonly<Record<string, World[]>> = {
  'settings and prices': settingWorlds(),
  'agents and compositions': [agentWorld()],
  'places, texts and names': placeWorlds(),
  'providers, and what names them': providerWorlds(),
};

test('the collection contains at least three hundred distinct mistakes', () => {
  const mistakes = Object.values(all).flatMap((worlds) => worlds.flatMap((world) => world.mistakes));
  expect(new Set(mistakes.map(({ about }) => about)).size).toBe(mistakes.length);
  expect(mistakes.length).toBeGreaterThanOrEqual(300);
});

test('a configuration without mistakes yields no findings', async () => {
  expect(await seenIn({ files: PLAIN, mistakes: [] })).toEqual(NOTHING);
});

test.for(Object.entries(all))('finds every mistake, and nothing else, in: %s', async ([, worlds]) => {
  const seen = [];
  for (const world of worlds) seen.push(await seenIn(world));
  expect({
    missed: seen.flatMap(({ missed }) => missed),
    others: seen.flatMap(({ others }) => others),
    mute: seen.flatMap(({ mute }) => mute),
  }).toEqual(NOTHING);
});

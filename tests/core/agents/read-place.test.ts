/** A place with many agents is read without keeping the rest of the program waiting. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPlace } from '#core/agents/read-place.ts';
import { folderWith } from '../../support/workspace.ts';

test('reading cached files yields to other tasks', async () => {
  const folder = await folderWith(Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`agents/a${n}.md`, 'x'])));
  const atTurn = new Map<number, number>();
  let [looked, turns] = [0, 0];
  const count = (): void => {
    turns += 1;
    pending = setImmediate(count);
  };
  let pending = setImmediate(count);
  await readPlace({ folder: join(folder, 'agents'), source: 'project', dialect: 'triad' }, async (path) => {
    atTurn.set(turns, (atTurn.get(turns) ?? 0) + 1);
    looked += 1;
    return { path, problem: null, text: 'x', hash: 'h' };
  });
  clearImmediate(pending);
  expect(looked).toBe(100);
  expect(Math.max(...atTurn.values())).toBeLessThanOrEqual(32);
});

/** Which modules of the program tests may import, and that any other module can be moved without a change of a test. */
import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOMS, roomsIn } from '../../scripts/rooms.js';
import { EXCEPTIONS, impureModules, modulesBarredFromTests } from '../../scripts/test-imports.ts';
import { importsOf, ROOT, SOURCES, TESTS, textOf } from '../support/sources/imports.ts';
import { folderWith } from '../support/workspace.ts';

const targetsOf = (file: string) => importsOf(file).flatMap(({ target }) => target ?? []);
const importedByTests = new Set(TESTS.flatMap(targetsOf));

test('tests import no module that is neither pure nor an exception', () => {
  expect(modulesBarredFromTests(ROOT).filter((file) => importedByTests.has(file))).toEqual([]);
});

test('each exception is a module that is not pure, and that a test imports', () => {
  const impure = impureModules(ROOT, SOURCES);
  expect(EXCEPTIONS.filter((file) => !impure.has(file) || !importedByTests.has(file))).toEqual([]);
  expect(EXCEPTIONS).toEqual([...new Set(EXCEPTIONS)].sort());
});

describe('a module', () => {
  const FILES = {
    'files.ts': `import { readFileSync } from 'node:fs';\nexport const read = readFileSync;`,
    'reader.ts': `import {\n  type Kind,\n  read,\n} from './files.ts';\nexport { read };`,
    're-export.ts': `export { read } from './files.ts';`,
    'late.ts': `export const read = () => import('./files.ts');`,
    'types.ts': `import type { read } from './files.ts';\nimport { type Kind } from './files.ts';\nexport type Read = typeof read | Kind;`,
    'path.ts': `import { join } from 'node:path';\nimport { z } from 'zod';\nexport const both = [join, z];`,
    'view.svelte': '<p>Text</p>',
    'state.svelte.ts': 'export const state = $state(0);',
    'shows.ts': `import View from './view.svelte';\nexport { View };`,
  };
  const trailOf = async (name: string): Promise<string | undefined> => {
    const files = Object.entries(FILES).map(([file, text]): [string, string] => [`src/${file}`, text]);
    return impureModules(
      await folderWith(Object.fromEntries(files)),
      files.map(([file]) => file),
    ).get(`src/${name}`);
  };

  test.for([
    ['reads files', 'files.ts', 'src/files.ts → node:fs'],
    ['imports a value of a module that is not pure', 'reader.ts', 'src/reader.ts → src/files.ts → node:fs'],
    ['exports a value of a module that is not pure', 're-export.ts', 'src/re-export.ts → src/files.ts → node:fs'],
    ['loads a module that is not pure later', 'late.ts', 'src/late.ts → src/files.ts → node:fs'],
    ['is a component', 'view.svelte', 'src/view.svelte'],
    ['has runes', 'state.svelte.ts', 'src/state.svelte.ts'],
    ['imports a component', 'shows.ts', 'src/shows.ts → src/view.svelte'],
  ] as const)('is not pure if it %s', async ([, name, trail]) => {
    expect(await trailOf(name)).toBe(trail);
  });

  test('is pure if it imports only types and pure packages', async () => {
    expect(await trailOf('types.ts')).toBeUndefined();
    expect(await trailOf('path.ts')).toBeUndefined();
  });
});

/** The module of each room of the core, the command line and the page that most modules import, and no test. */
function internalModules(): string[] {
  const importers = Map.groupBy(SOURCES.flatMap(targetsOf), (target) => target);
  const count = (file: string): number => importers.get(file)?.length ?? 0;
  return Object.entries(ROOMS).flatMap(([base, order]) =>
    roomsIn(order).flatMap((room) => {
      const isInside = (file: string): boolean => file.startsWith(`${base}/${room}/`);
      const own = SOURCES.filter((file) => isInside(file) && !importedByTests.has(file));
      return own.toSorted((a, b) => count(b) - count(a)).slice(0, 1);
    }),
  );
}

/** The text of each file after these moves, by its path then. Only imports of the program are rewritten. */
function move(moves: ReadonlyMap<string, string>): Map<string, string> {
  const moved = SOURCES.map((file): [string, string] => {
    const place = moves.get(file) ?? file;
    const text = importsOf(file).reduce((now, { specifier, target = '' }) => {
      const isRelative = specifier.startsWith('.');
      if (!moves.has(target) && !(isRelative && place !== file)) return now;
      const path = posix.relative(posix.dirname(place), moves.get(target) ?? target);
      return now.replaceAll(`'${specifier}'`, `'${path.startsWith('.') ? path : `./${path}`}'`);
    }, textOf(file));
    return [place, text];
  });
  return new Map([...moved, ...TESTS.map((file): [string, string] => [file, textOf(file)])]);
}

test('an internal module of each room is renamed and moved, and no test changes', () => {
  const rooms = Object.values(ROOMS).flatMap(roomsIn);
  const modules = internalModules();
  expect(modules).toHaveLength(rooms.filter((room) => !room.includes('.')).length);
  const files = move(
    new Map(modules.map((file) => [file, posix.join(posix.dirname(file), 'moved', `renamed-${posix.basename(file)}`)])),
  );
  const isThere = (file: string): boolean =>
    files.has(file) || /\/\$types(\.js)?$/.test(file) || (!modules.includes(file) && existsSync(join(ROOT, file)));
  const imports = [...files].flatMap(([file, text]) => importsOf(file, text));
  expect(imports.filter(({ target }) => target !== undefined && !isThere(target))).toEqual([]);
});

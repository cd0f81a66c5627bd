// The layers, as the files really import each other: contract ← domain ← core ← hosts, electron and domain ← lib ← routes.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Order, ROOMS } from '../scripts/rooms.js';
import { importedValues } from '../scripts/test-imports.ts';
import { type Import, importsOf, ROOT, SOURCES, TESTS, textOf } from './support/sources/imports.ts';
import { roomViolations, type SourceFile } from './support/sources/rooms.ts';

/** Which layers a layer may import; a file outside of them (`src/app.d.ts`) belongs to routes. */
const allowed: Record<string, readonly string[]> = {
  contract: ['contract'],
  domain: ['contract', 'domain'],
  core: ['contract', 'domain', 'core'],
  hosts: ['contract', 'domain', 'core', 'hosts'],
  electron: ['contract', 'domain', 'core', 'electron'],
  lib: ['contract', 'domain', 'lib'],
  routes: ['contract', 'domain', 'lib', 'routes'],
};
function layerOf(file: string): string {
  if (file.startsWith('electron/')) return 'electron';
  const folder = file.split('/')[1] ?? '';
  return folder in allowed ? folder : 'routes';
}

const graph = new Map(SOURCES.map((file) => [file, importsOf(file)]));
const imports = [...graph.values()].flat();
const show = ({ from, specifier }: Import) => `${from} → ${specifier}`;
const packages = (layer: string) => imports.filter((one) => !one.target && layerOf(one.from) === layer);
const named = (pattern: RegExp, from: readonly Import[] = imports) =>
  from.filter(({ specifier, target }) => !target && pattern.test(specifier));

/** Every cycle that a depth-first walk meets, as the files in order. */
function cycles(): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    if (trail.includes(file)) found.push([...trail.slice(trail.indexOf(file)), file].join(' → '));
    if (trail.includes(file) || done.has(file)) return;
    for (const { target } of graph.get(file) ?? []) if (target) visit(target, [...trail, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return found;
}

/** Files that are loaded with some files, each with the trail that leads to it. */
function loadedWith(files: readonly string[]): Map<string, string> {
  const trails = new Map(files.map((file) => [file, file]));
  for (const [file, trail] of trails)
    for (const target of importedValues(ROOT, file).loaded)
      if (graph.has(target) && !trails.has(target)) trails.set(target, `${trail} → ${target}`);
  return trails;
}

const loadedByPage = () => loadedWith(SOURCES.filter((file) => /^src\/(?:lib|routes)\//.test(file)));

/** What core says is put into another language in one place, whether a page shows it or a notification of the desktop. */
const isWords = ({ from, target }: Import) =>
  layerOf(from) === 'electron' && (target?.startsWith('src/lib/words/fr/') ?? false);

/** The program's own manifest, which the desktop's bundle takes in for its version. */
const isData = (target: string) => target === 'package.json';

describe('layers', () => {
  test('a file imports only from the layers below it', () => {
    const wrong = imports.filter(
      (one) =>
        one.target !== undefined &&
        !isData(one.target) &&
        !isWords(one) &&
        !allowed[layerOf(one.from)]?.includes(layerOf(one.target)),
    );
    expect(wrong.map(show)).toEqual([]);
  });

  test('every import path names an existing file with its extension', () => {
    const missing = imports.filter(({ target }) => target !== undefined && !isFile(target));
    expect(missing.map(show)).toEqual([]);
  });

  test('no import cycle exists', () => {
    expect(cycles()).toEqual([]);
  });
});

describe('packages', () => {
  test('the contract needs zod only', () => {
    const others = packages('contract').filter(({ specifier }) => !/^zod(\/|$)/.test(specifier));
    expect(others.map(show)).toEqual([]);
  });

  test('the domain needs no package', () => {
    expect(packages('domain').map(show)).toEqual([]);
  });

  test('core and hosts import no user interface package', () => {
    const plain = [...packages('core'), ...packages('hosts')];
    expect(named(/^(electron|svelte|@sveltejs|\$app)(\/|$)/, plain).map(show)).toEqual([]);
  });

  test('the agent loop imports no package but zod', () => {
    const loop = packages('core').filter(({ from }) => from.startsWith('src/core/runs/loop/'));
    expect(loop.filter(({ specifier }) => !/^(zod|node:)/.test(specifier)).map(show)).toEqual([]);
  });

  test('the web client imports no Node module', () => {
    const web = [...packages('lib'), ...packages('routes')];
    expect(named(/^(node:|ws$)/, web).map(show)).toEqual([]);
  });

  // The content policy blocks the code that zod generates for objects; the schema of an address is a text.
  test('the web client loads no zod schema of an object', () => {
    const schemas = [...loadedByPage()].filter(
      ([file]) => layerOf(file) === 'contract' && /from 'zod'/.test(textOf(file)) && !file.endsWith('/endpoint-url.ts'),
    );
    expect(schemas.map(([, trail]) => trail)).toEqual([]);
  });

  test.for([
    ['the database driver', /^(surrealdb|@surrealdb\/)/, /^src\/core\/store\/(surreal|remote\/session)\.ts$/],
    ['the model SDK', /^@anthropic-ai\//, /^src\/core\/model\/anthropic\.ts$/],
    ['the OpenAI SDK', /^openai(\/|$)/, /^src\/core\/model\/openai\//],
    ['electron', /^electron(\/|$)/, /^electron\//],
  ] as const)('%s is imported only in its own folder', ([, pattern, home]) => {
    const strays = named(pattern).filter(({ from }) => !home.test(from));
    expect(strays.map(show)).toEqual([]);
  });
});

describe('the command line at its start', () => {
  const loaded = loadedWith(['src/hosts/cli/program.ts']);

  test('loads no package but commander', () => {
    const imported = imports.filter(({ from, target }) => loaded.has(from) && !target);
    expect(imported.filter(({ specifier }) => !/^(commander$|node:)/.test(specifier)).map(show)).toEqual([]);
  });

  // Choices of options, and paths and names that several commands check before they do anything.
  const NEEDED = [
    'src/core/agents/entries.ts',
    'src/core/agents/export/exported.ts',
    'src/core/agents/places.ts',
    'src/core/agents/variables.ts',
    'src/core/settings/dotted-path.ts',
    'src/core/settings/folders.ts',
    'src/hosts/cli/follow/link.ts',
    'src/hosts/version.ts',
  ];
  const own = /^src\/(contract|core\/base|hosts\/cli\/(commands|terminal))\/|^src\/hosts\/cli\/program\.ts$/;

  test('loads the code of a command only when the command runs', () => {
    expect([...loaded.keys()].filter((file) => !own.test(file)).sort()).toEqual(NEEDED);
  });
});

describe('subfolders of a layer', () => {
  const sourceOf = (file: string, list: readonly Import[]): SourceFile => ({
    file,
    imports: list.flatMap(({ target }) => target ?? []),
  });
  const built = [...graph].map(([file, list]) => sourceOf(file, list));

  test.for(Object.keys(ROOMS))(
    '%s: every file is in a declared subfolder, and subfolders import in the declared order',
    (base) => {
      expect(roomViolations(base, ROOMS[base] ?? [], built)).toEqual([]);
    },
  );

  test.for(['lib', 'core'])('tests of %s are in the subfolders of the code that they test', (layer) => {
    const order = [...(ROOMS[`src/${layer}`] ?? []), 'support'];
    const own = TESTS.filter((file) => file.startsWith(`tests/${layer}/`)).map((file) => sourceOf(file, []));
    expect(roomViolations(`tests/${layer}`, order, own)).toEqual([]);
  });

  test('no folder contains more than forty files', () => {
    const counts = Map.groupBy([...SOURCES, ...TESTS], (file) => path.dirname(file));
    const crowded = [...counts].filter(([, files]) => files.length > 40);
    expect(crowded.map(([folder, files]) => `${folder}: ${files.length}`)).toEqual([]);
  });

  const isTest = (file: string): boolean => file.endsWith('.test.ts') && file !== 'tests/boundaries.test.ts';
  const nameless = (mark: string, pattern: RegExp): string[] =>
    TESTS.filter((file) => isTest(file) && !file.includes(mark) && pattern.test(textOf(file)));

  test('a test file that renders components on the server has .server. in its name', () => {
    expect(nameless('.server.', /from 'svelte\/server'/)).toEqual([]);
  });

  test('a test file that replaces a module, a global, the clock or every store has .alone. in its name', () => {
    const replacing = nameless('.alone.', /\bvi\.(mock|useFakeTimers|stubGlobal)\(|\beveryStore\.isOnServer = /);
    expect(replacing.filter((file) => !file.includes('.server.'))).toEqual([]);
  });

  const order: Order = ['view', 'ui', ['chat', 'history'], 'program.ts'];
  test.for([
    ['a loose file', { 'loose.ts': '' }, ['src/lib/loose.ts lies in no room']],
    ['a file in a folder that is no room', { 'other/a.ts': '' }, ['src/lib/other/a.ts lies in no room']],
    [
      'an import of a later room',
      { 'view/a.ts': `import { b } from '#lib/ui/b.ts';`, 'ui/b.ts': '' },
      ['src/lib/view/a.ts imports src/lib/ui/b.ts: view may not import ui'],
    ],
    [
      'a type-only import of a later room, by a relative path',
      { 'ui/a.svelte': `<script lang="ts">import type { B } from '../chat/b.ts';</script>`, 'chat/b.ts': '' },
      ['src/lib/ui/a.svelte imports src/lib/chat/b.ts: ui may not import chat'],
    ],
    [
      'a dynamic import of a later room that is a file',
      { 'chat/a.ts': `await import('../program.ts');`, 'program.ts': '' },
      ['src/lib/chat/a.ts imports src/lib/program.ts: chat may not import program.ts'],
    ],
    [
      'an import between rooms that share a place',
      { 'history/a.ts': `export { b } from '#lib/chat/b.ts';`, 'chat/b.ts': '' },
      ['src/lib/history/a.ts imports src/lib/chat/b.ts: history may not import chat'],
    ],
    [
      'a circle',
      {
        'view/a.ts': `import type { B } from '#lib/ui/b.ts';`,
        'ui/b.ts': `import { c } from '#lib/view/c.ts';`,
      },
      [
        'src/lib/view/a.ts imports src/lib/ui/b.ts: view may not import ui',
        'rooms import each other in a circle: view → ui → view',
      ],
    ],
    ['nothing wrong', { 'chat/a.ts': `import '#lib/view/b.ts';`, 'view/b.ts': '', 'program.ts': '' }, []],
  ] as const)('reports the violation: %s', ([, files, violations]) => {
    const planted = Object.entries(files).map(([name, source]) =>
      sourceOf(`src/lib/${name}`, importsOf(`src/lib/${name}`, source)),
    );
    expect(roomViolations('src/lib', order, planted)).toEqual(violations);
  });
});

/** A name without its ending would work in Vite and fail in Node. Types that kit generates aren't on disk here. */
function isFile(target: string): boolean {
  return /(^|\/)\$types(\.js)?$/.test(target) || (path.extname(target) !== '' && existsSync(path.join(ROOT, target)));
}

/** Checks the pages for contributors against the sources: rooms, file names and runtime dependencies. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ROOMS, roomsIn } from '../../scripts/rooms.js';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const readPage = (name: string): string => read(`docs/contributing/${name}.md`);
const findCodes = (page: string): string[] => [...page.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
/** Packages that only the build uses, although sources import them. */
const BUILD_ONLY: ReadonlySet<string> = new Set(['@sveltejs/kit', 'svelte', 'tailwindcss', 'vite']);

test.for(Object.entries(ROOMS))('the architecture names each room of %s', ([, order]) => {
  const codes = findCodes(readPage('architecture'));
  expect(roomsIn(order).filter((room) => !codes.includes(room.includes('.') ? room : `${room}/`))).toEqual([]);
});

test.for(['path-of-a-message', 'architecture', 'testing'])('%s names only existing files', (name) => {
  const paths = findCodes(readPage(name)).filter((code) => /^(src|electron|scripts|tests|e2e|docs)\/[^ ]+$/.test(code));
  expect(paths.length).toBeGreaterThan(3);
  expect(paths.filter((one) => !existsSync(path.join(root, one)))).toEqual([]);
});

test('each answer of "Where to look" is a room of core with existing files', () => {
  const rows = [...readPage('where-to-look').matchAll(/^\|[^|]+\| `([\w/-]+\/)`: ([^|]+)\|$/gm)];
  expect(rows.length).toBeGreaterThanOrEqual(30);
  const files = rows.flatMap(([, room, list = '']) => findCodes(list).map((file) => `${room}${file}`));
  expect(files.filter((file) => !existsSync(path.join(root, 'src/core', file)))).toEqual([]);
});

test.for([
  ['From the loop to the store', 'src/core/runs/loop/agent-loop.ts', 'src/core/store/journal/journal.ts'],
  ['From the gate to the answer', 'src/core/runs/loop/tool-calls.ts', 'src/core/runs/loop/tool-calls.ts'],
  ['From a setting to its effect', 'src/lib/settings/settings-form.svelte.ts', 'src/core/settings/context-settings.ts'],
])('the walk "%s" names at most ten files and what to read in each', ([title, first, last]) => {
  const [, walk = ''] =
    new RegExp(`^## ${title}\n(.*?)(?=^## |(?![^]))`, 'ms').exec(readPage('path-of-a-message')) ?? [];
  const steps = [...walk.matchAll(/^\d+\. `([^`]+)`, `([^`]+)`: /gm)].map(([, file = '', name = '']) => ({
    file,
    name,
  }));
  expect([steps[0]?.file, steps.at(-1)?.file]).toEqual([first, last]);
  expect(new Set(steps.map(({ file }) => file)).size).toBeLessThanOrEqual(10);
  const isNamed = ({ file, name }: (typeof steps)[number]) =>
    new RegExp(`\\b${name.replace('.', '\\.')}\\b`).test(read(file));
  expect(steps.filter((step) => !isNamed(step))).toEqual([]);
});

test('each npm command of "Testing" is a script', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: object };
  const names = findCodes(readPage('testing')).flatMap((code) => /^npm (?:run )?([\w:]+)/.exec(code)?.[1] ?? []);
  expect(names.filter((name) => !(name in scripts))).toEqual([]);
});

/** Packages that the sources of the program import. */
function findImportedPackages(): Set<string> {
  const files = globSync(['src/**/*.{ts,svelte,css}', 'electron/**/*.ts'], { cwd: root });
  const specifier = /(?:from|import|resolve|url)\s*\(?\s*['"]((?:@[\w.-]+\/)?[a-z][\w.-]*)/g;
  return new Set(files.flatMap((file) => [...read(file).matchAll(specifier)].map(([, name = '']) => name)));
}

test('the page on dependencies lists exactly the runtime dependencies', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<
    'dependencies' | 'devDependencies',
    Record<string, string>
  >;
  const listed = [...readPage('dependencies').matchAll(/^\| `([^`]+)` +\|/gm)].map(([, name = '']) => name);
  const bundled = [...findImportedPackages()].filter((name) => name in devDependencies && !BUILD_ONLY.has(name));
  expect(bundled.length).toBeGreaterThan(30);
  expect(listed.toSorted()).toEqual([...new Set([...Object.keys(dependencies), ...bundled])].toSorted());
});

/**
 * Projects by folder and name of their files. `unit`, `engine` and `alone` are plain Node, `lib` and `lib-alone` compile
 * runes and run Svelte's client build, `lib-server` renders components to text. The files of a project share processes and
 * the modules loaded there. A file that replaces a module, a global, the clock or every store is named `*.alone.test.ts`
 * and has a process of its own: what modules remember of that must not reach other files.
 */
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { COMPILED } from './tests/support/compiled.ts';
import { temporaryFolder } from './tests/support/temporary.ts';
import { usedBits } from './tests/support/used-bits.ts';

// Also for the processes of vitest, and for those that the program itself starts in a test. With few arenas the stores of
// many tests leave less memory behind, which every start of a process has to map again.
Object.assign(process.env, COMPILED, temporaryFolder(), { MALLOC_ARENA_MAX: '2' });
// Whatever the machine says: folders that others may write are refused, and tests make many.
process.umask(0o022);

const ROOT = import.meta.dirname;

function filesIn(folder: string): string {
  return `${folder}/**/*.test.ts`;
}

const CLIENT = 'tests/lib/{agents,app,approvals,changes,chat,history,runs,settings,shell}';
/** Folders with tests that open many stores in memory, of which the embedded engine frees little. */
const ENGINE = ['tests/core/{approvals,host,runs,workflows}', 'tests/{hosts,security}'];
const ALONE = '**/*.alone{,.full}.test.ts';
const SERVER = '**/*.server.test.ts';
const PROJECTS = {
  unit: { include: ['tests/**/*.test.ts'], exclude: [...ENGINE.map(filesIn), filesIn(CLIENT), ALONE, SERVER] },
  engine: { include: ENGINE.map(filesIn), exclude: [ALONE, SERVER] },
  alone: { include: [`tests/${ALONE}`], exclude: [filesIn(CLIENT)] },
  lib: { include: [filesIn(CLIENT)], exclude: [ALONE, SERVER] },
  'lib-alone': { include: [`${CLIENT}/${ALONE}`], exclude: [] },
  'lib-server': { include: [`tests/${SERVER}`], exclude: [] },
} as const;
type Project = keyof typeof PROJECTS;
/** Suffix of files that only the full run includes and that would need a process each. */
const FULL_ONLY = '.full.test.ts';
const SAMPLES = 'tests/support/samples.ts';
const importsByFile = new Map<string, readonly string[]>();

/** Files of the tests that a file imports, by path below the root. */
function importsOf(path: string): readonly string[] {
  const known = importsByFile.get(path);
  if (known) return known;
  const text = existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : '';
  const imports = [...text.matchAll(/from '(\.[^']+\.ts)'/g)].map(([, name]) =>
    join(dirname(path), name ?? '').replaceAll('\\', '/'),
  );
  importsByFile.set(path, imports);
  return imports;
}

/** Returns whether the full run has more of a test file than `npm test`. `.ci/run` runs both, and the other files once. */
function isSampled(file: string): boolean {
  const reached = new Set([file]);
  // A set also visits what is added to it meanwhile.
  for (const path of reached) for (const name of importsOf(path)) reached.add(name);
  return file.endsWith(FULL_ONLY) || reached.has(SAMPLES);
}

/** Files of a project for a run. */
const filesOf = ({ include, exclude }: { include: readonly string[]; exclude: readonly string[] }, mode: string) =>
  globSync([...include], { cwd: ROOT, exclude: [...exclude] })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((file) => (mode === 'full' ? isSampled(file) : !file.endsWith(FULL_ONLY)));

const runsInClient = (name: Project) => name === 'lib' || name === 'lib-alone';
const plugins = () => [usedBits(ROOT), svelte({ configFile: false, compilerOptions: { runes: true } })];
/** For components without the router. */
const alias = {
  '$app/navigation': join(ROOT, 'tests/lib/support/app-navigation.ts'),
  '$app/paths': join(ROOT, 'tests/lib/support/app-paths.ts'),
  '$app/state': join(ROOT, 'tests/lib/support/app-state.ts'),
};
const runes = { plugins: plugins(), resolve: { alias, conditions: ['browser'] } };
const rendered = { plugins: plugins(), resolve: { alias } };

/** Node runs the sources as it runs the program: they need no Vite, and no mocks of modules. */
const native = { experimental: { viteModuleRunner: false, nodeLoader: false } };
/** What runs in plain Node is not made anew for a client. */
const plain = {
  server: { deps: { external: [/\/src\/(?:contract|core|domain)\//, /\/src\/lib\/(?:view|words)\/.*\.ts$/] } },
};
const isNative = (name: Project) => name === 'unit' || name === 'engine';

export default defineConfig(({ mode }) => ({
  test: {
    // Read by tests/support/samples.ts.
    env: { FULL_RUN: String(mode === 'full') },
    pool: 'forks',
    // Young objects of a test die with it: the less often they are looked through, the less is moved for nothing.
    execArgv: ['--max-semi-space-size=64'],
    // One more than the cores that it is made for: tests wait, for processes and for clocks, and nothing else runs by then
    // that would fill the time (scripts/stages.cjs). Each takes seconds of the processor to load and to warm up.
    maxWorkers: 3,
    reporters: ['default', 'json'],
    outputFile: { json: `test-results/${mode === 'full' ? 'vitest-full' : 'vitest'}.json` },
    projects: (Object.keys(PROJECTS) as Project[]).map((name) => ({
      ...(name === 'lib-server' ? rendered : name.startsWith('lib') ? runes : {}),
      test: {
        name,
        ...(isNative(name) && native),
        ...(name.startsWith('lib') && plain),
        include: filesOf(PROJECTS[name], mode),
        environment: runsInClient(name) ? './tests/support/client-environment.ts' : 'node',
        isolate: name.endsWith('alone'),
        // A test that fails once on a busy machine runs again; scripts/summary.cjs lists it as flaky.
        retry: process.env['CI'] === undefined ? 0 : 1,
        // Generous: tests that start, kill and restart processes must not fail because a machine is busy.
        testTimeout: mode === 'full' ? 1_200_000 : 60_000,
        hookTimeout: 60_000,
        expect: { poll: { timeout: 30_000 } },
      },
    })),
  },
}));

// What both linters hold, oxlint in *.ts and ESLint in the rest: style, size, and the layers
// (contract ← domain ← core ← hosts, electron; domain ← lib ← routes). Both take the same names and options.
import path from 'node:path';
import type { DummyRuleMap as Rules } from 'oxlint';
import { ROOMS, roomsBarredFrom, roomsIn } from './rooms.js';
import { modulesBarredFromTests } from './test-imports.ts';

interface Ban {
  regex: string;
  message: string;
}
/** Rules for some files. Of two blocks with the same rule the later wins. */
export interface Block {
  files: string[];
  ignores?: string[];
  rules: Rules;
}

const ban = (regex: string, message: string): Ban => {
  if (/\(\?[=!<]/.test(regex)) throw new Error(`oxlint would skip this pattern without a word: ${regex}`);
  return { regex, message };
};
/** Both ways to name a layer: the alias, and a relative path that climbs out of one's own. */
const layer = (name: string) => ban(`^#${name}/|^(\\.\\./)+(src/)?${name}/`, `This layer must not import ${name}.`);

const electron = ban('^electron(/|$)', 'Only electron/ imports electron.');
const database = ban(
  '^(surrealdb|@surrealdb/)',
  'Only surreal.ts and remote/session.ts of src/core/store import the database driver.',
);
const model = ban('^(@anthropic-ai/|openai(/|$))', 'Only the adapters in src/core/model import the SDKs.');
const node = ban(
  '^(node:|(fs|path|os|crypto|child_process|process|http|https|net|url|util|stream|events|buffer)(/|$))',
  'The web client has no Node.',
);
const stores = ban('^(svelte/store|\\$app/stores)$', 'State is in runes: no rule looks at stores.');
const screen = ban('^(svelte|@sveltejs/|\\$app/)', 'The core knows no screen.');
const environment = ban('^(node:)?process$', 'Only hosts read the environment; take values as ports.');
/** All but zod and paths; of the aliases, those of layers are banned by themselves. */
const notZod = ban('^([^z.#]|z($|[^o]|o($|[^d]|d[^/])))', 'The contract imports zod and itself only.');

const anyPackage = ban('^[^.#]', 'The domain imports the contract and itself only.');

const boundary = (files: string[], patterns: Ban[], ignores: string[] = []): Block => ({
  files,
  ignores,
  rules: { 'no-restricted-imports': ['error', { patterns }] },
});
/** The rooms of a base folder that one of its rooms may not import, by the alias or by a relative path. */
const barred = (base: string, room: string): Ban[] =>
  roomsBarredFrom(ROOMS[base] ?? [], room).map((other) => {
    const name = other.includes('.') ? `${other.replace('.', '\\.')}$` : `${other}/`;
    return ban(`^(#${base.slice('src/'.length)}/|(\\.\\./)+)${name}`, `${room} must not import ${other}.`);
  });
/** The boundary of a layer, with one block more for each of its rooms where their order is checked. */
const boundaryOfRooms = (base: string, bans: Ban[]): Block[] => [
  boundary([`${base}/**`], bans),
  ...roomsIn(ROOMS[base] ?? []).map((room) =>
    boundary([room.includes('.') ? `${base}/${room}` : `${base}/${room}/**`], [...bans, ...barred(base, room)]),
  ),
];
const aboveDomain = [layer('core'), layer('hosts'), layer('lib'), layer('routes'), layer('electron')];
const core = [electron, screen, environment, layer('hosts'), layer('lib'), layer('routes'), layer('electron')];
const hosts = [electron, screen, database, model, layer('lib'), layer('routes'), layer('electron')];
const web = [electron, database, model, node, stores, layer('core'), layer('hosts'), layer('electron')];

/** Modules of the program that are not pure, by the alias or by a relative path. */
const internals = ban(
  `^(#|(\\.\\./)+(src/)?)(${modulesBarredFromTests(path.dirname(import.meta.dirname))
    .map((file) => file.replace(/^src\//, '').replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'))
    .join('|')})$`,
  'A test uses this module through rpc, the command line or the page (scripts/test-imports.ts).',
);

const desktop = [database, model, screen, layer('hosts'), layer('routes')];

/** What scripted servers send is held to the types of the SDKs, and the stand-in to Electron's own. */
const typedByPackages = [
  ...['tests/bench/**', 'tests/support/fake-model/**', 'tests/support/store-server/**'],
  'e2e/support/electron-stand-in/**',
];

const layers: Block[] = [
  boundary(['src/contract/**'], [notZod, layer('domain'), ...aboveDomain]),
  boundary(['src/domain/**'], [anyPackage, ...aboveDomain]),
  ...boundaryOfRooms('src/core', [...core, database, model]),
  boundary(['src/core/store/surreal.ts'], [...core, model, ...barred('src/core', 'store')]),
  boundary(['src/core/store/remote/session.ts'], [...core, model, ...barred('src/core', 'store')]),
  boundary(
    ['src/core/model/anthropic.ts', 'src/core/model/openai/**'],
    [...core, database, ...barred('src/core', 'model')],
  ),
  boundary(['src/hosts/**'], hosts),
  ...boundaryOfRooms('src/hosts/cli', hosts),
  ...boundaryOfRooms('src/lib', [...web, layer('routes')]),
  boundary(['src/routes/**', 'src/*.ts'], web),
  boundary(['electron/**'], [...desktop, layer('lib')]),
  boundary(['electron/text.ts'], [...desktop, ban('^#lib/([^w]|w[^o])', 'Of lib, the desktop imports words only.')]),
  boundary(['tests/**', 'e2e/**'], [electron, database, model, internals], typedByPackages),
  boundary(typedByPackages, [internals]),
];

/** A hint: a longer function may be right. */
const lines = (max: number, cases = false): Rules => ({ 'triad/max-function-lines': ['warn', { max, cases }] });

export const blocks: Block[] = [
  {
    files: ['**/*.{ts,svelte,js,cjs}'],
    rules: {
      'prefer-const': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'max-lines': ['warn', { max: 600, skipBlankLines: false, skipComments: false }],
      'triad/no-literal-spread': 'error',
      ...lines(80),
    },
  },
  { files: ['src/core/runs/loop/agent-loop.ts'], rules: lines(120) },
  { files: ['tests/**', 'e2e/**'], rules: lines(80, true) },
  {
    files: ['src/core/**', 'src/domain/**', 'src/contract/**'],
    rules: {
      'no-console': 'error',
      'no-restricted-globals': ['error', 'window', 'document', 'navigator', 'localStorage', 'sessionStorage'],
    },
  },
  {
    files: ['src/**'],
    ignores: ['src/hosts/**'],
    rules: {
      'no-restricted-properties': ['error', { object: 'process', property: 'env', message: environment.message }],
    },
  },
  {
    files: ['src/{contract,domain,core,hosts}/**', 'electron/**'],
    rules: {
      'no-restricted-exports': [
        'error',
        {
          restrictDefaultExports: {
            direct: true,
            named: true,
            defaultFrom: true,
            namedFrom: true,
            namespaceFrom: true,
          },
        },
      ],
    },
  },
  ...layers,
];

/** Where ESLint applies the rules of Svelte; only there it reads *.ts. */
export const svelteFiles = ['**/*.{svelte,svelte.ts}', 'src/{lib,routes}/**/*.ts'];

/** The rules that need types. */
export const typed: Rules = {
  '@typescript-eslint/await-thenable': 'error',
  '@typescript-eslint/no-array-delete': 'error',
  '@typescript-eslint/no-base-to-string': 'error',
  '@typescript-eslint/no-duplicate-type-constituents': 'error',
  '@typescript-eslint/no-floating-promises': 'error',
  '@typescript-eslint/no-for-in-array': 'error',
  '@typescript-eslint/no-implied-eval': 'error',
  '@typescript-eslint/no-misused-promises': 'error',
  '@typescript-eslint/no-redundant-type-constituents': 'error',
  '@typescript-eslint/no-unnecessary-type-assertion': 'error',
  '@typescript-eslint/no-unsafe-argument': 'error',
  '@typescript-eslint/no-unsafe-assignment': 'error',
  '@typescript-eslint/no-unsafe-call': 'error',
  '@typescript-eslint/no-unsafe-enum-comparison': 'error',
  '@typescript-eslint/no-unsafe-member-access': 'error',
  '@typescript-eslint/no-unsafe-return': 'error',
  '@typescript-eslint/no-unsafe-unary-minus': 'error',
  '@typescript-eslint/only-throw-error': 'error',
  '@typescript-eslint/prefer-promise-reject-errors': 'error',
  '@typescript-eslint/restrict-plus-operands': 'error',
  '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
  '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
  '@typescript-eslint/unbound-method': 'error',
};

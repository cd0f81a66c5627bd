// Lint: types, size budget, and the layers (contract ← core ← hosts, electron; contract ← lib ← routes).
import './scripts/svelte-program.js';
import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript-eslint';
import typed from './.oxlintrc.json' with { type: 'json' };
import { sizeRules } from './scripts/eslint-size.js';
import { ROOMS, roomsBarredFrom, roomsIn } from './scripts/rooms.js';

const ban = (regex, message) => ({ regex, message });
/** Both ways to name a layer: the alias, and a relative path that climbs out of one's own. */
const layer = (name) => ban(`^#${name}/|^(\\.\\./)+(src/)?${name}/`, `This layer must not import ${name}.`);

const electron = ban('^electron(/|$)', 'Only electron/ imports electron.');
const database = ban('^(surrealdb|@surrealdb/)', 'Only src/core/store/surreal.ts imports the database driver.');
const model = ban('^@anthropic-ai/', 'Only src/core/model/anthropic.ts imports the SDK.');
const node = ban(
  '^(node:|(fs|path|os|crypto|child_process|process|http|https|net|url|util|stream|events|buffer)(/|$))',
  'The web client has no Node.',
);
const screen = ban('^(svelte|@sveltejs/|\\$app/)', 'The core knows no screen.');
const environment = ban('^(node:)?process$', 'Only hosts read the environment; take values as ports.');
const notZod = ban('^(?!zod($|/)|\\./|\\.\\./|#contract/)', 'The contract imports zod and itself only.');

const defaultExport = {
  selector: 'ExportDefaultDeclaration, ExportSpecifier[exported.name="default"]',
  message: 'Use a named export.',
};

/** Static imports (types too) and dynamic ones by the same list; `syntax` is for what else a layer forbids. */
const boundary = (files, bans, { ignores = [], syntax = [] } = {}) => ({
  files,
  ignores,
  rules: {
    'no-restricted-imports': ['error', { patterns: bans }],
    'no-restricted-syntax': [
      'error',
      ...syntax,
      ...bans.map(({ regex, message }) => ({
        // A slash can't be written inside an attribute pattern of a selector.
        selector: `ImportExpression[source.value=/${regex.replaceAll('/', '\\x2F')}/]`,
        message,
      })),
    ],
  },
});
/** The rooms of a base folder that one of its rooms may not import, by the alias or by a relative path. */
const barred = (base, room) =>
  roomsBarredFrom(ROOMS[base], room).map((other) => {
    const name = other.includes('.') ? `${other.replace('.', '\\.')}$` : `${other}/`;
    return ban(`^(#${base.slice('src/'.length)}/|(\\.\\./)+)${name}`, `${room} must not import ${other}.`);
  });
/** The boundary of a layer, with one block more for each of its rooms where their order is checked. */
const boundaryOfRooms = (base, bans, options) => [
  boundary([`${base}/**`], bans, options),
  ...roomsIn(ROOMS[base]).map((room) =>
    boundary(
      [room.includes('.') ? `${base}/${room}` : `${base}/${room}/**`],
      [...bans, ...barred(base, room)],
      options,
    ),
  ),
];
const named = { syntax: [defaultExport] };
const core = [electron, screen, environment, layer('hosts'), layer('lib'), layer('routes'), layer('electron')];
const hosts = [electron, screen, database, model, layer('lib'), layer('routes'), layer('electron')];
const web = [electron, database, model, node, layer('core'), layer('hosts'), layer('electron')];
const code = '**/*.{ts,svelte}';

export default defineConfig(
  globalIgnores(['build/', 'dist/', '.svelte-kit/', 'test-results/', 'playwright-report/']),
  js.configs.recommended,
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  {
    files: [code],
    languageOptions: { globals: { ...globals.node } },
    rules: {
      'prefer-const': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      // TypeScript reports unknown names itself.
      'no-undef': 'off',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser }, globals: { ...globals.browser } },
    rules: {
      // Svelte's `let { … } = $props()` is the language's own form.
      'prefer-const': 'off',
      'svelte/prefer-const': ['error', { destructuring: 'all' }],
    },
  },
  {
    // The rules that need types: oxlint applies them to *.ts, which costs a tenth, but it can't read components.
    files: ['**/*.svelte'],
    languageOptions: {
      parserOptions: {
        project: './tsconfig.web.json',
        tsconfigRootDir: import.meta.dirname,
        extraFileExtensions: ['.svelte'],
      },
    },
    rules: typed.rules,
  },
  {
    files: ['**/*.{js,cjs}'],
    languageOptions: { globals: { ...globals.node } },
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },

  ...sizeRules,

  { files: ['src/core/**', 'src/contract/**'], rules: { 'no-console': 'error' } },
  {
    files: ['src/core/**', 'src/contract/**'],
    rules: {
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

  boundary(['src/contract/**'], [notZod, layer('core'), layer('hosts'), layer('lib'), layer('routes')], named),
  ...boundaryOfRooms('src/core', [...core, database, model], named),
  boundary(['src/core/store/surreal.ts'], [...core, model, ...barred('src/core', 'store')], named),
  boundary(['src/core/model/anthropic.ts'], [...core, database, ...barred('src/core', 'model')], named),
  boundary(['src/hosts/**'], hosts, named),
  ...boundaryOfRooms('src/hosts/cli', hosts, named),
  ...boundaryOfRooms('src/lib', [...web, layer('routes')]),
  boundary(['src/routes/**', 'src/*.ts'], web),
  boundary(['electron/**'], [database, model, screen, layer('hosts'), layer('lib'), layer('routes')], named),
  boundary(['tests/**', 'e2e/**'], [electron, database, model], {
    // The stand-in is held to Electron's own types.
    ignores: ['tests/bench/**', 'e2e/support/electron-stand-in/**'],
  }),
);

// Lint of components and plain JavaScript, and of *.ts beside components by the rules of Svelte alone.
// oxlint holds the other rules in *.ts (oxlint.config.ts).
import { inOneProgram, withTypes } from './scripts/svelte-program.js';
import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript-eslint';
import triad from './scripts/lint-plugin.js';
import { blocks, svelteFiles, typed } from './scripts/lint-rules.ts';

/** `import()` by the list for imports: ESLint's rule for them overlooks it. */
function withDynamic({ rules, ...where }) {
  const [, { patterns } = {}] = rules['no-restricted-imports'] ?? [];
  if (!patterns) return { ...where, rules };
  const selectors = patterns.map(({ regex, message }) => ({
    // A slash can't be written inside an attribute pattern of a selector.
    selector: `ImportExpression[source.value=/${regex.replaceAll('/', '\\x2F')}/]`,
    message,
  }));
  return { ...where, rules: { ...rules, 'no-restricted-syntax': ['error', ...selectors] } };
}

/** Off: what TypeScript reports itself, such as unknown names. */
const ofTypeScript = Object.fromEntries(
  Object.entries(ts.configs.eslintRecommended.rules).filter(([, level]) => level === 'off'),
);

export default defineConfig(
  globalIgnores(['build/', 'dist/', '.svelte-kit/', 'test-results/', 'playwright-report/']),
  {
    files: ['**/*.{svelte,js,cjs}'],
    extends: [js.configs.recommended, ts.configs.recommended, ...blocks.map(withDynamic)],
    plugins: { triad },
    languageOptions: { globals: globals.node },
  },
  { files: ['**/*.{js,cjs}'], rules: { '@typescript-eslint/no-require-imports': 'off' } },
  {
    files: svelteFiles,
    extends: [ts.configs.base, svelte.configs.recommended],
    // There are no stores (scripts/lint-rules.ts).
    rules: { 'svelte/require-store-reactive-access': 'off', 'svelte/no-store-async': 'off' },
  },
  {
    files: ['**/*.{svelte,svelte.ts}'],
    languageOptions: { parserOptions: { parser: ts.parser }, globals: globals.browser },
    // Svelte's `let { … } = $props()` is the language's own form.
    rules: { 'prefer-const': 'off', 'svelte/prefer-const': ['error', { destructuring: 'all' }] },
  },
  {
    files: ['**/*.svelte'],
    // It cannot tell whether what is left out would have used them.
    linterOptions: { reportUnusedDisableDirectives: withTypes },
    languageOptions: {
      // A program is given.
      parserOptions: {
        ...(withTypes ? { parser: inOneProgram, projectService: false } : { parser: ts.parser }),
        extraFileExtensions: ['.svelte'],
      },
    },
    // What is never reached it tells an editor only, and it takes a second `var` of the same type.
    rules: {
      // This one reads types without saying so.
      ...(withTypes ? typed : { 'svelte/no-navigation-without-resolve': 'off' }),
      ...ofTypeScript,
      'no-unreachable': 'error',
      'no-redeclare': 'error',
    },
  },
);

// Lint and types of *.ts. ESLint reads components (eslint.config.js); what both hold is in scripts/lint-rules.ts.
import js from '@eslint/js';
import { defineConfig } from 'oxlint';
import ts from 'typescript-eslint';
import { blocks, svelteFiles, typed } from './scripts/lint-rules.ts';

type Levels = Record<string, 'error' | 'warn' | 'off'>;
const recommended = Object.assign(
  {},
  js.configs.recommended.rules,
  ...ts.configs.recommended.map((one) => one.rules),
) as Levels;
/** Without what TypeScript reports itself, and octal numbers, which oxlint can't even parse in a module. */
const known = Object.entries(recommended).filter(([name, level]) => level !== 'off' && name !== 'no-octal');

export default defineConfig({
  plugins: ['typescript'],
  jsPlugins: ['./scripts/lint-plugin.js'],
  categories: { correctness: 'off' },
  options: {
    typeAware: true,
    typeCheck: true,
    respectEslintDisableDirectives: false,
    reportUnusedDisableDirectives: 'deny',
  },
  ignorePatterns: ['**/*.{js,cjs,svelte}'],
  rules: { ...Object.fromEntries(known), ...typed },
  overrides: [
    ...blocks.map(({ ignores = [], ...block }) => ({ ...block, excludeFiles: ignores })),
    // Svelte's own form of this rule is ESLint's.
    { files: ['**/*.svelte.ts'], rules: { 'prefer-const': 'off' } },
    // A comment for ESLint does nothing in a file that it doesn't read.
    {
      files: ['**/*.ts'],
      excludeFiles: svelteFiles,
      rules: { 'no-warning-comments': ['error', { terms: ['eslint-disable'] }] },
    },
  ],
});

// Two projects: `unit` is plain Node, `lib` compiles runes and runs Svelte's client build.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

const limits = { testTimeout: 20_000, hookTimeout: 20_000 };

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    reporters: ['default', 'json'],
    outputFile: { json: 'test-results/vitest.json' },
    projects: [
      {
        test: {
          ...limits,
          name: 'unit',
          environment: 'node',
          include: ['tests/**/*.test.ts'],
          exclude: ['tests/lib/**'],
        },
      },
      {
        plugins: [svelte({ configFile: false, compilerOptions: { runes: true } })],
        resolve: { conditions: ['browser'] },
        test: {
          ...limits,
          name: 'lib',
          environment: './tests/support/client-environment.ts',
          include: ['tests/lib/**/*.test.ts'],
        },
      },
    ],
  },
});

// Two projects: `unit` is plain Node, `lib` compiles runes and runs Svelte's client build.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

// Generous: tests that start, kill and restart processes must not fail because a machine is busy.
const limits = { testTimeout: 60_000, hookTimeout: 60_000 };

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

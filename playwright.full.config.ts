// Every end-to-end spec in every place where the app can be: `npm run e2e:full`.
import { defineConfig } from '@playwright/test';
import type { Place } from './e2e/support/test.ts';
import config, { everywhere } from './playwright.config.ts';

// Not as a second argument: the projects of both would run.
export default defineConfig<Place>({
  ...config,
  ...everywhere,
  reporter: [['list'], ['json', { outputFile: 'test-results/playwright-full.json' }]],
});

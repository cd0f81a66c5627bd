// Browser tests; the fixtures start their own hosts, so there is no web server here.
import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';

const candidates = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
/** Debian's browser where there is one, else the one that `npx playwright install chromium` brings. */
const chromium = candidates.find((path) => path !== undefined && existsSync(path));
const asRoot = process.getuid?.() === 0;

export default defineConfig({
  testDir: 'e2e',
  // Not test-results itself: Playwright empties its folder, and the unit tests' report lies there.
  outputDir: 'test-results/playwright',
  workers: 2,
  fullyParallel: true,
  retries: 0,
  timeout: 60_000,
  forbidOnly: process.env.CI !== undefined,
  reporter: [['list'], ['json', { outputFile: 'test-results/playwright.json' }]],
  use: {
    browserName: 'chromium',
    screenshot: 'only-on-failure',
    trace: 'retain-on-failure',
    launchOptions: {
      ...(chromium === undefined ? {} : { executablePath: chromium }),
      args: asRoot ? ['--no-sandbox'] : [],
    },
  },
});

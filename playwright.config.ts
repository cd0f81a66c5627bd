// Runs each spec once: in the browser, or in the stand-in for the desktop (`@stand-in`).
// Excludes the specs that cheaper tests cover (`@full`). `playwright.full.config.ts` runs every spec in every place.
// The fixtures start their own programs, so there is no web server.
import { defineConfig, type Project } from '@playwright/test';
import { chromiumArgs, chromiumPath } from './e2e/support/chromium.ts';
import { findMissingDesktop } from './e2e/support/missing-desktop.ts';
import type { Place, SurfaceName } from './e2e/support/test.ts';
import { findDesktop } from './src/hosts/cli/commands/desktop/desktop-runtime.ts';
import { temporaryFolder } from './tests/support/temporary.ts';

Object.assign(process.env, temporaryFolder());
// Whatever the machine says: folders that others may write are refused, and tests make some.
process.umask(0o022);

const chromium = chromiumPath();
const electron = await findDesktop(process.env, process.platform);
const missing = findMissingDesktop(electron, process.platform, process.env);

/** A test that makes no sense in a place says so by a tag, and why by an annotation. */
const project = (place: SurfaceName, without: RegExp): Project<Place> => ({
  name: place,
  metadata: { full: true },
  use: { place },
  grepInvert: without,
});

export const everywhere = {
  // For the summary: what did not run, and why.
  metadata: missing === null ? {} : { skipped: { electron: missing } },
  projects: [
    project('browser', /@desktop|@stand-in/),
    // A test with the tags of both is one of the desktop, so that no test is in no project.
    project('stand-in', /^(?!.*@(?:desktop|stand-in)).*@browser/s),
    ...(missing === null ? [project('electron', /@browser|@stand-in/)] : []),
  ],
};

export default defineConfig<Place>({
  testDir: 'e2e',
  // Not test-results itself: Playwright empties its folder, and the unit tests' report lies there.
  outputDir: 'test-results/playwright',
  // Two keep two cores busy, each with a page, a program and a test; a third browser only costs its start.
  workers: 2,
  fullyParallel: true,
  // A spec that fails once on a busy machine is run again; the report counts it as flaky.
  retries: process.env['CI'] === undefined ? 0 : 1,
  timeout: 120_000,
  // Generous: a test must not fail because the machine is busy.
  expect: { timeout: 15_000 },
  forbidOnly: process.env['CI'] !== undefined,
  reporter: [['list'], ['json', { outputFile: 'test-results/playwright.json' }]],
  metadata: { skipped: { electron: missing ?? 'it is part of "npm run e2e:full"' } },
  // One: the tests of another would start browsers and processes of their own.
  projects: [{ name: 'browser and stand-in', metadata: { full: false }, use: { place: null }, grepInvert: /@full/ }],
  use: {
    browserName: 'chromium',
    screenshot: 'only-on-failure',
    // A recording takes a fifth of the time; `--trace retain-on-failure` makes one.
    trace: 'off',
    launchOptions: {
      ...(chromium === undefined ? {} : { executablePath: chromium }),
      // No process for a GPU that is not there.
      args: [...chromiumArgs(), '--in-process-gpu'],
    },
  },
});

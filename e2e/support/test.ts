/** The fixture of every spec: an app of its own for each test, and no complaint of a page goes unseen. */
import { type Browser, type TestDetails, test as base } from '@playwright/test';
import type { Script } from '../../tests/support/fake-model/script.ts';
import { type App, type AppOptions, startApp } from './app.ts';
import { browserSurface } from './browser-surface.ts';
import { Complaints } from './complaints.ts';
import { SharedHosts } from './shared-hosts.ts';
import type { OpenSurface } from './surface.ts';
import { Tabs } from './tabs.ts';

export { expect } from '@playwright/test';

export type Start = (script: Script, options?: AppOptions) => Promise<App>;
export type SurfaceName = 'browser' | 'stand-in' | 'electron';

/** Whether every spec runs, and each looks at all it can. */
export const inFullRun = (): boolean => base.info().project.metadata['full'] === true;

/**
 * Returns the details of a spec that only the full run includes.
 * @param coveredBy the test or tests of `npm test` that fail when the same line breaks, as `path › title`;
 * `tests/full-tests.test.ts` checks that they exist
 */
export const fullSpec = (
  coveredBy: string | readonly string[],
  { tag = [], annotation = [] }: TestDetails = {},
): TestDetails => ({
  tag: ['@full', tag].flat(),
  annotation: [[coveredBy].flat().map((description) => ({ type: 'covered by', description })), annotation].flat(),
});

/** What only a desktop can show. */
const OF_DESKTOPS = /@desktop|@stand-in/;

/**
 * Skips a spec that another project of the run has, once the time of `.ci/run` is over. `REPEAT_SPECS_UNTIL`: seconds
 * since 1970; missing: no limit.
 */
function skipLateRepetition(place: SurfaceName | null, tags: readonly string[]): void {
  const until = Number(process.env['REPEAT_SPECS_UNTIL'] ?? Infinity);
  const isRepetition = place !== null && place !== 'browser' && !tags.some((tag) => OF_DESKTOPS.test(tag));
  base.skip(isRepetition && Date.now() / 1000 > until, 'it ran in the browser, and the time for repetitions is over');
}

export interface Place {
  /** Of the project; null: where each test belongs, by its tags. */
  place: SurfaceName | null;
}

export const test = base.extend<Place & { start: Start; surface: SurfaceName }, { hosts: SharedHosts; tabs: Tabs }>({
  place: [null, { option: true }],
  // A spec knows no difference.
  surface: async ({ place }, use, { tags }) => {
    await use(place ?? (tags.some((tag) => OF_DESKTOPS.test(tag)) ? 'stand-in' : 'browser'));
  },
  hosts: [
    async ({ browserName: _unused }, use) => {
      const hosts = new SharedHosts();
      await use(hosts);
      await hosts.close();
    },
    { scope: 'worker' },
  ],
  tabs: [
    async ({ browser }, use) => {
      const tabs = await Tabs.open(browser);
      await use(tabs);
      await tabs.close();
    },
    { scope: 'worker' },
  ],
  start: async ({ surface, place, browser, hosts, tabs }, use, { tags }) => {
    skipLateRepetition(place, tags);
    const complaints = new Complaints();
    const closes: (() => Promise<void>)[] = [];
    await use(async (script, options) => {
      const open = await surfaceOf(surface, { browser, hosts, tabs });
      const { app, close } = await startApp({ open, complaints }, script, options);
      closes.push(close);
      return app;
    });
    const found = complaints.unexpected();
    for (const close of closes.reverse()) await close();
    base.expect(found, 'nothing on the console, nothing uncaught, no breach of the content policy').toEqual([]);
  },
});

/** Loads only what the project needs. */
async function surfaceOf(
  name: SurfaceName,
  { browser, hosts, tabs }: { browser: Browser; hosts: SharedHosts; tabs: Tabs },
): Promise<OpenSurface> {
  if (name === 'browser') return browserSurface(tabs, hosts);
  if (name === 'stand-in') return (await import('./stand-in-surface.ts')).standInSurface(browser);
  return (await import('./electron-surface.ts')).openElectron;
}

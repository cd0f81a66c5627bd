/**
 * Pictures of every screen for a person to look at: `node e2e/screenshots.ts OUT_DIR [VISIT…]`; no test, no comparison.
 * A visit is named by its number or its function; `PICTURES=dark` makes those whose look has this in its name.
 */
import { mkdir } from 'node:fs/promises';
import { type Browser, chromium } from '@playwright/test';
import config from '../playwright.config.ts';
import { startApp } from './support/app.ts';
import { browserSurface } from './support/browser-surface.ts';
import { Complaints } from './support/complaints.ts';
import { shootAll } from './support/looks.ts';
import { SharedHosts } from './support/shared-hosts.ts';
import { Tabs } from './support/tabs.ts';
import { visits } from './support/visits.ts';
import type { WorkScreen } from './support/work-screens.ts';

async function visit(browser: Browser, folder: string, { script, options = {}, go }: WorkScreen): Promise<void> {
  const [tabs, hosts] = [await Tabs.open(browser), new SharedHosts()];
  const open = browserSurface(tabs, hosts);
  const { app, close } = await startApp({ open, complaints: new Complaints() }, script(), options);
  await app.page.setViewportSize({ width: 1280, height: 800 });
  try {
    await go(app, (screen) => shootAll(app.page, folder, screen));
  } finally {
    await close();
    await tabs.close();
    await hosts.close();
  }
}

/** A visit that fails is named, and leaves the pictures of those after it as they are. */
async function main(folder: string, wanted: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  const browser = await chromium.launch(config.use?.launchOptions);
  try {
    for (const [name, screen] of visits()) {
      if (wanted.length > 0 && !wanted.includes(name)) continue;
      await visit(browser, folder, screen).catch((error: unknown) => {
        process.stderr.write(`${name}: ${String(error)}\n`);
        process.exitCode = 1;
      });
    }
  } finally {
    await browser.close();
  }
}

const [folder, ...wanted] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('Usage: node e2e/screenshots.ts OUT_DIR [VISIT…]\n');
  process.exitCode = 2;
} else {
  await main(folder, wanted);
}

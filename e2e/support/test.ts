/** The fixture of every spec: an app of its own for each test, and no complaint of the page goes unseen. */
import { test as base } from '@playwright/test';
import type { Script } from '../../tests/support/fake-model/script.ts';
import { type App, type AppOptions, startApp } from './app.ts';
import { Complaints } from './complaints.ts';

export { expect } from '@playwright/test';

export type Start = (script: Script, options?: AppOptions) => Promise<App>;

export const test = base.extend<{ start: Start }>({
  start: async ({ context, page }, use) => {
    const complaints = new Complaints();
    await complaints.watch(context);
    const closes: (() => Promise<void>)[] = [];
    await use(async (script, options) => {
      const { app, close } = await startApp({ context, page, complaints }, script, options);
      closes.push(close);
      return app;
    });
    const found = complaints.unexpected();
    // The pages first, so that no tab complains about a host that stops.
    for (const open of context.pages()) await open.close();
    for (const close of closes.reverse()) await close();
    base
      .expect(found, 'nothing on the console, nothing uncaught, no breach of the content policy')
      .toEqual([]);
  },
});

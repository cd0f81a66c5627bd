/** The question before going back can be left in any way: the focus goes back to where it came from, and nothing throws. */
import type { Locator } from '@playwright/test';
import { plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import type { App } from '../support/app.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const toolbar = (app: App): Locator => app.workflow().getByRole('button', { name: /^Go back to before this/ });
const OPENERS: Readonly<Record<string, { open: (app: App) => Promise<void>; back: (app: App) => Locator }>> = {
  'its toolbar': { open: (app) => toolbar(app).press('Enter'), back: toolbar },
  'the palette': {
    open: async (app) => {
      const { page } = app;
      await app.openPalette();
      await page.keyboard.type('Go back to before your last');
      const command = page.getByRole('option', { name: /^Go back to before your last/ });
      await expect(command).toHaveAttribute('data-selected', '');
      await page.keyboard.press('Enter');
    },
    back: ({ page }) => page.getByRole('textbox', { name: 'Message', exact: true }),
  },
};

for (const [from, { open, back }] of Object.entries(OPENERS))
  for (const how of ['Escape', 'Cancel', 'Go back'])
    test(
      `the dialog to go back before a message closes cleanly: opened from ${from}, closed with ${how}`,
      fullSpec([
        'e2e/chat/changes.spec.ts › changes of one agent are undone after a list of conflicts, and redone; the commit dialog lists its programs',
        'tests/lib/changes/rewind.test.ts › forks and undoes files in one request, and can redo the files',
      ]),
      async ({ start }) => {
        const app = await start(plainAnswer());
        await app.send('Say something.');
        await app.expectOutcome('completed');
        await open(app);
        const asked = app.page.getByRole('dialog', { name: 'Go back to before' });
        await expect(asked.locator(':focus')).toHaveCount(1);
        if (how === 'Escape') await app.page.keyboard.press('Escape');
        else await asked.getByRole('button', { name: how }).click();
        await expect(asked).toHaveCount(0);
        if (how !== 'Go back') await expect(back(app)).toBeFocused();
      },
    );

/** The menu of the conversation that is looked at. */
import type { Page } from '@playwright/test';

export async function openActions(page: Page): Promise<void> {
  await page
    .getByRole('main')
    .getByRole('button', { name: /^Actions for/ })
    .click();
}

export async function chooseAction(page: Page, item: string): Promise<void> {
  await openActions(page);
  await page.getByRole('menuitem', { name: item }).click();
}

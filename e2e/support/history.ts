/** What a person does on the history's pages. */
import type { Page } from '@playwright/test';

/** Sets a filter by its menus. */
export async function addFilter(page: Page, filter: string, value: string): Promise<void> {
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('menuitem', { name: filter, exact: true }).press('ArrowRight');
  await page.getByRole('menuitem', { name: value, exact: true }).press('Enter');
}

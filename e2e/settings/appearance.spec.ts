/** Colours, contrast and text size, at once and after a reload. */
import type { Page } from '@playwright/test';
import { plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import { expect, fullSpec, test } from '../support/test.ts';

async function openAppearance(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Settings' }).first().click();
  const sections = page.getByRole('navigation', { name: 'Sections of the settings' });
  await sections.getByRole('link', { name: 'Appearance' }).click();
}

test(
  'colour scheme and text size change at once and survive a reload',
  fullSpec('tests/lib/settings/mounted.test.ts › applies the chosen text size at once and at the next start'),
  async ({ start }) => {
    const { page } = await start(plainAnswer());
    await openAppearance(page);
    const root = page.locator('html');
    const getSize = () => root.evaluate((element) => parseFloat(getComputedStyle(element).fontSize));
    const before = await getSize();
    await page.getByRole('radio', { name: 'Large' }).check();
    expect(await getSize()).toBeGreaterThan(before);
    await page.getByRole('radio', { name: 'Dark' }).check();
    await expect(root).toHaveClass(/dark/);
    await page.reload();
    await expect(page.getByRole('radio', { name: 'Large' })).toBeChecked();
    await expect(root).toHaveClass(/dark/);
    expect(await getSize()).toBeGreaterThan(before);
    await page.getByRole('radio', { name: 'Small' }).check();
    expect(await getSize()).toBeLessThan(before);
  },
);

test(
  'the contrast follows the system until the person selects a contrast, which survives a reload',
  fullSpec([
    'tests/lib/settings/mounted.test.ts › follows the contrast of the system until one is chosen, also at the next start',
    'tests/lib/ui/colours.test.ts › high contrast redefines each colour, and colours are defined only in colours.css',
  ]),
  async ({ start }) => {
    const { page } = await start(plainAnswer());
    await openAppearance(page);
    const root = page.locator('html');
    const getSoftColour = () =>
      page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--color-soft'));
    const choice = (name: string) =>
      page.getByRole('group', { name: 'Contrast' }).getByRole('radio', { name, exact: true });
    await expect(choice('As the system')).toBeChecked();
    await expect(root).toHaveAttribute('data-contrast', 'normal');
    const normal = await getSoftColour();
    await page.emulateMedia({ contrast: 'more' });
    await expect(root, 'at once').toHaveAttribute('data-contrast', 'more');
    const high = await getSoftColour();
    expect(high, 'other colours').not.toBe(normal);
    await page.reload();
    await expect(root, 'from the start').toHaveAttribute('data-contrast', 'more');
    await choice('Normal').check();
    await expect(root, 'whatever the system says').toHaveAttribute('data-contrast', 'normal');
    expect(await getSoftColour()).toBe(normal);
    await page.emulateMedia({ contrast: 'no-preference' });
    await choice('High').check();
    expect(await getSoftColour()).toBe(high);
    await page.reload();
    await expect(choice('High')).toBeChecked();
    await expect(root).toHaveAttribute('data-contrast', 'more');
  },
);

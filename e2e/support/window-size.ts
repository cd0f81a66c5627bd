/** Checks of a screen in small windows. */
import { expect, type Page } from '@playwright/test';
import type { Person } from './person.ts';

/** A window of 1280 by 800 pixels at a zoom of 200 %. */
export const DOUBLE_ZOOM = { width: 640, height: 400 };

/** Runs a check in a window of this size, and restores the size afterwards. */
export async function withWindowSize(
  page: Page,
  size: { width: number; height: number },
  check: () => Promise<void>,
): Promise<void> {
  const before = page.viewportSize() ?? { width: 1280, height: 720 };
  await page.setViewportSize(size);
  await check();
  await page.setViewportSize(before);
}

export async function expectNoHorizontalScroll(page: Page): Promise<void> {
  const isWider = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  expect(isWider, 'nothing to scroll sideways').toBe(false);
}

/** Expects the body of a question to take half of the height, with its title and its main button in view. */
export async function expectRoomForQuestion({ page, question }: Person): Promise<void> {
  const height = await question.locator('header + .overflow-y-auto').evaluate(({ clientHeight }) => clientHeight);
  expect(height).toBeGreaterThanOrEqual(DOUBLE_ZOOM.height / 2);
  await expectNoHorizontalScroll(page);
  await expect(question.getByRole('heading', { level: 2 })).toBeInViewport();
  await expect(question.getByRole('button', { name: /Allow|Show the rest/ }).last()).toBeInViewport({ ratio: 1 });
}

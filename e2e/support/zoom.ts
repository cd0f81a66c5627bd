/** A question in a window of 640 by 400 pixels, which is 1280 by 800 at a zoom of 200 %. */
import { expect } from '@playwright/test';
import type { Person } from './person.ts';

export const AT_DOUBLE_ZOOM = { width: 640, height: 400 };

/** Expects at least half of the height for what is asked, the title and the yes in sight, and nothing to scroll sideways. */
export async function expectRoomForQuestion({ page, question }: Person): Promise<void> {
  const height = await question.locator('header + .overflow-y-auto').evaluate(({ clientHeight }) => clientHeight);
  expect(height).toBeGreaterThanOrEqual(AT_DOUBLE_ZOOM.height / 2);
  const isWider = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  expect(isWider, 'nothing to scroll sideways').toBe(false);
  await expect(question.getByRole('heading', { level: 2 })).toBeInViewport();
  await expect(question.getByRole('button', { name: /Allow|Show the rest/ }).last()).toBeInViewport({ ratio: 1 });
}

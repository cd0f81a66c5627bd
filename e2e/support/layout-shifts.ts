/** Records the layout shifts of a page and compares them with a limit. */
import { expect, type Page } from '@playwright/test';

/**
 * Highest sum of layout shift scores that a reader does not notice. A lane that ends shows its outcome above its text, which
 * counts 0.008.
 */
const MAX_SCORE = 0.025;

const WATCH = `(() => {
  const shifts = (window.shifts = []);
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput) shifts.push({ value, what: sources.map(({ node }) => (node?.parentElement ?? node)?.outerHTML?.slice(0, 120)) });
  }).observe({ type: 'layout-shift' });
})()`;

interface LayoutShift {
  value: number;
  what: string[];
}

/** Records the shifts of the page until the next load. */
export async function watchShifts(page: Page): Promise<void> {
  await page.evaluate(WATCH);
}

/** Fails with the largest shifts if their sum is above the limit. */
export async function expectNoShift(page: Page): Promise<void> {
  const shifts: LayoutShift[] = await page.evaluate('window.shifts');
  const sum = shifts.reduce((all, { value }) => all + value, 0);
  expect(sum, JSON.stringify(shifts.toSorted((a, b) => b.value - a.value).slice(0, 3))).toBeLessThanOrEqual(MAX_SCORE);
}

/** Records layout shifts of a page and checks that readers notice none. */
import { expect, type Page } from '@playwright/test';

/** Highest sum of layout shift scores that readers do not notice. */
const MAX_SCORE = 0.02;

const WATCH = `(() => {
  const shifts = (window.shifts = []);
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput) shifts.push({ value, what: sources.map(({ node }) => (node?.parentElement ?? node)?.outerHTML?.slice(0, 120)) });
  }).observe({ type: 'layout-shift' });
})()`;

interface Shift {
  value: number;
  what: string[];
}

/** Starts to record the shifts of the page, until it is loaded again. */
export async function watchShifts(page: Page): Promise<void> {
  await page.evaluate(WATCH);
}

/** Fails with the largest shifts where their sum is noticeable. */
export async function expectNoShift(page: Page): Promise<void> {
  const shifts: Shift[] = await page.evaluate('window.shifts');
  const sum = shifts.reduce((all, { value }) => all + value, 0);
  expect(sum, JSON.stringify(shifts.toSorted((a, b) => b.value - a.value).slice(0, 3))).toBeLessThanOrEqual(MAX_SCORE);
}

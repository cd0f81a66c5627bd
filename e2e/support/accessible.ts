/** A screen against the rules of axe. */
import { expect, type Page } from '@playwright/test';
import axe, { type Result, type RunOnly, type RunOptions } from 'axe-core';
import { inSoak } from './test.ts';

/** Why a test that only looks at the page runs in one place. */
export const SAME_PAGE = {
  type: 'browser only',
  description: 'The rules are held against the page, which is the same in every place',
};

const COLOR_SCHEMES = ['light', 'dark'] as const;

/** How many screens of a page were looked at. */
const looks = new WeakMap<Page, number>();

/** When what fades in or out has its final colours: what has just changed begins to fade with the next frame. */
async function rest(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== 'running'));
}

const SERIOUS: RunOnly = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};
/** In the dark only colours differ. */
const OF_COLORS: RunOnly = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

/** What breaks these rules, or any rule. The script is brought once to each document; there are no frames. */
async function violations(page: Page, runOnly?: RunOnly): Promise<Result[]> {
  await rest(page);
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const options: RunOptions = { resultTypes: ['violations'] };
  if (runOnly !== undefined) options.runOnly = runOnly;
  return page.evaluate(async (given) => {
    const { axe: here } = window as unknown as { axe: typeof axe };
    return (await here.run(document, given)).violations;
  }, options);
}

/** Nothing serious. */
export async function expectAccessible(page: Page, screen: string): Promise<void> {
  await expectNothingSerious(page, SERIOUS, screen);
}

/** A further state of a screen, or a further part of one that is looked at elsewhere: in the soak. */
export async function expectAlsoAccessible(page: Page, screen: string): Promise<void> {
  if (inSoak()) await expectAccessibleInBoth(page, screen);
}

async function expectNothingSerious(page: Page, rules: RunOnly, screen: string): Promise<void> {
  const found = await violations(page, rules);
  const grave = found.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  const lines = grave.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  );
  expect(lines, `${screen}: nothing serious`).toEqual([]);
  const below = await page.evaluate(() => document.body.scrollHeight - window.innerHeight);
  expect(below, `${screen}: nothing stands below the window, which never scrolls`).toBeLessThanOrEqual(0);
}

/** The same screen in light and in dark, outside the soak in one of both, by turns; nothing moves meanwhile. */
export async function expectAccessibleInBoth(page: Page, screen: string): Promise<void> {
  if (!inSoak()) {
    const before = looks.get(page) ?? 0;
    looks.set(page, before + 1);
    const colorScheme = before % 2 === 0 ? 'light' : 'dark';
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expectAccessible(page, `${screen}, ${colorScheme}`);
    return;
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await expectAccessible(page, `${screen}, light`);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectNothingSerious(page, OF_COLORS, `${screen}, dark`);
}

/** Not one rule is broken, in light and in dark. */
export async function expectNoViolation(page: Page): Promise<void> {
  for (const colorScheme of COLOR_SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const found = await violations(page);
    expect(found.map(({ id, nodes }) => `${colorScheme}: ${id}: ${nodes[0]?.html}`)).toEqual([]);
  }
}

/** A screen against the rules of axe. */
import { expect, type Page } from '@playwright/test';
import axe, { type Result, type RunOnly, type RunOptions } from 'axe-core';
import { inFullRun } from './test.ts';

/** Why a test that only looks at the page runs in one place. */
export const SAME_PAGE = {
  type: 'browser only',
  description: 'The rules are held against the page, which is the same in every place',
};

interface Theme {
  colorScheme: 'light' | 'dark';
  contrast: 'no-preference' | 'more';
}
const THEMES: readonly Theme[] = [
  { colorScheme: 'light', contrast: 'no-preference' },
  { colorScheme: 'dark', contrast: 'no-preference' },
  { colorScheme: 'light', contrast: 'more' },
  { colorScheme: 'dark', contrast: 'more' },
];
const nameOf = ({ colorScheme, contrast }: Theme): string =>
  contrast === 'more' ? `${colorScheme} with high contrast` : colorScheme;
/** What a person meets; below it are hints for who writes pages. */
const GRAVE: readonly unknown[] = ['moderate', 'serious', 'critical'];

/** How many screens of a page were looked at. */
const looks = new WeakMap<Page, number>();

/** When what fades in or out has its final colours: what has just changed begins to fade with the next frame. */
async function rest(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== 'running'));
}

const ALL: RunOnly = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};
/** In another theme only colours differ. */
const OF_COLORS: RunOnly = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

/** What floats over the page, such as a menu: its button stands in a part of the page, it belongs to none. */
const FLOATING = '[data-bits-floating-content-wrapper], [role=menu]';

/** What breaks these rules, or any rule. The script is brought once to each document; there are no frames. */
async function violations(page: Page, runOnly?: RunOnly): Promise<Result[]> {
  await rest(page);
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const options: RunOptions = { resultTypes: ['violations'] };
  if (runOnly !== undefined) options.runOnly = runOnly;
  return page.evaluate(
    async ([given, floating]) => {
      const { axe: here } = window as unknown as { axe: typeof axe };
      const floats = (target: unknown): boolean =>
        typeof target === 'string' && document.querySelector(target)?.closest(floating) != null;
      const found = (await here.run(document, given)).violations.map((result) => ({
        ...result,
        nodes: result.nodes.filter(({ target }) => result.id !== 'region' || !floats(target[0])),
      }));
      return found.filter(({ nodes }) => nodes.length > 0);
    },
    [options, FLOATING] as const,
  );
}

/** Nothing above a hint. */
export async function expectAccessible(page: Page, screen: string): Promise<void> {
  await expectNothingGrave(page, ALL, screen);
}

/** A further state of a screen, or a further part of one that is looked at elsewhere: in the full run. */
export async function expectAlsoAccessible(page: Page, screen: string): Promise<void> {
  if (inFullRun()) await expectAccessibleInBoth(page, screen);
}

async function expectNothingGrave(page: Page, rules: RunOnly, screen: string): Promise<void> {
  const found = await violations(page, rules);
  const grave = found.filter(({ impact }) => GRAVE.includes(impact));
  const lines = grave.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  );
  expect(lines, `${screen}: nothing is broken`).toEqual([]);
  const below = await page.evaluate(() => document.body.scrollHeight - window.innerHeight);
  expect(below, `${screen}: nothing stands below the window, which never scrolls`).toBeLessThanOrEqual(0);
}

/**
 * The same screen in light and in dark, with high contrast too; outside the full run in one of the first two, by turns.
 * Nothing moves meanwhile, and the contrast is left as it is usual.
 */
export async function expectAccessibleInBoth(page: Page, screen: string): Promise<void> {
  if (!inFullRun()) {
    const before = looks.get(page) ?? 0;
    looks.set(page, before + 1);
    const colorScheme = before % 2 === 0 ? 'light' : 'dark';
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expectAccessible(page, `${screen}, ${colorScheme}`);
    return;
  }
  for (const [at, theme] of THEMES.entries()) {
    await page.emulateMedia({ ...theme, reducedMotion: 'reduce' });
    await expectNothingGrave(page, at === 0 ? ALL : OF_COLORS, `${screen}, ${nameOf(theme)}`);
  }
  await page.emulateMedia({ colorScheme: 'dark', contrast: 'no-preference' });
}

/** Not one rule is broken, in each theme. */
export async function expectNoViolation(page: Page): Promise<void> {
  for (const theme of THEMES) {
    await page.emulateMedia({ ...theme, reducedMotion: 'reduce' });
    const found = await violations(page);
    expect(found.map(({ id, nodes }) => `${nameOf(theme)}: ${id}: ${nodes[0]?.html}`)).toEqual([]);
  }
  await page.emulateMedia({ contrast: 'no-preference' });
}

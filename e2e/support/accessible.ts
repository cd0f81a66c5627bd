/** A screen against the rules of axe. */
import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

/** Why a test that only looks at the page runs in one place. */
export const SAME_PAGE = {
  type: 'browser only',
  description: 'The rules are held against the page, which is the same in every place',
};

const COLOR_SCHEMES = ['light', 'dark'] as const;

/** When what fades in or out has its final colours. */
async function rest(page: Page): Promise<void> {
  await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== 'running'));
}

/** Without a second page for the results: there are no frames of other origins to put together. */
const rules = (page: Page) => new AxeBuilder({ page }).setLegacyMode();
const SERIOUS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** In the dark only colours differ. */
const OF_COLORS = ['color-contrast', 'link-in-text-block'];

/** Nothing serious. */
export async function expectAccessible(page: Page, screen: string): Promise<void> {
  await expectNothingSerious(page, rules(page).withTags(SERIOUS), screen);
}

async function expectNothingSerious(page: Page, builder: AxeBuilder, screen: string): Promise<void> {
  await rest(page);
  const { violations } = await builder.analyze();
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  const lines = grave.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  );
  expect(lines, `${screen}: nothing serious`).toEqual([]);
}

/** The same screen in light and in dark; nothing moves meanwhile. */
export async function expectAccessibleInBoth(page: Page, screen: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await expectAccessible(page, `${screen}, light`);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectNothingSerious(page, rules(page).withRules(OF_COLORS), `${screen}, dark`);
}

/** Not one rule is broken, in light and in dark. */
export async function expectNoViolation(page: Page): Promise<void> {
  for (const colorScheme of COLOR_SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await rest(page);
    const { violations } = await rules(page).analyze();
    expect(violations.map(({ id, nodes }) => `${colorScheme}: ${id}: ${nodes[0]?.html}`)).toEqual([]);
  }
}

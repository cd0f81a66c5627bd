/** A screen against the rules of axe. */
import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

/** Why a test that only looks at the page runs in one place. */
export const SAME_PAGE = {
  type: 'browser only',
  description: 'The rules are held against the page, which is the same in every place',
};

export async function expectAccessible(page: Page, screen: string): Promise<void> {
  // What fades in or out has no final colours yet.
  await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== 'running'));
  const { violations } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    .analyze();
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  const lines = grave.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  );
  expect(lines, `${screen}: nothing serious`).toEqual([]);
}

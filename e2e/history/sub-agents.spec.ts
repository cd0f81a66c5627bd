/** The sub-agents of all conversations: a list of the history beside its workflows, which leads to the run of each. */
import type { Page } from '@playwright/test';
import { LEAD, spawn } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text } from '../../tests/support/fake-model/script.ts';
import { expectAccessibleInBoth, SAME_PAGE } from '../support/accessible.ts';
import { addFilter } from '../support/history.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const REPORT = '# Inspection\n\n## Summary\n\nAll is well.\n\n## Details\n\nNothing else.';

/** An inspector that reports, and a critic that a person refuses. */
function twoAsked(): Script {
  return new Script()
    .on({ ...LEAD, asked: /inspector/, step: 1 })
    .reply([spawn({ name: 'inspector', prompt: 'Inspect the parser.\nAll of it.' })])
    .on({ ...LEAD, asked: /critic/, step: 1 })
    .reply([spawn({ name: 'critic', prompt: 'Say what is bad.' })])
    .on(LEAD)
    .reply([text('That is all.')])
    .on({})
    .reply([text(REPORT)]);
}

const rowsOf = (page: Page) => page.getByRole('list', { name: 'Sub-agents' }).getByRole('link');
const lists = (page: Page) => page.getByRole('navigation', { name: 'What is listed' });

test(
  'the list of sub-agents shows each outcome, is filtered and sorted by URL, and links to their runs',
  fullSpec([
    'tests/lib/history/mounted.svelte.test.ts › a row of a sub-agent shows its task, outcome and report, and links to its run',
    'tests/lib/view/history-query.test.ts › restores every filter, the order and the search text',
    'tests/lib/view/history-query.test.ts › builds valid input for the list of sub-agents',
  ]),
  async ({ start }) => {
    const app = await start(twoAsked());
    const { page } = app;
    await page.getByRole('link', { name: 'History', exact: true }).click();
    await lists(page).getByRole('link', { name: 'Sub-agents' }).click();
    await expect(page).toHaveURL(/\/history\?list=agents$/);
    await expect(page.getByText('No sub-agent yet.')).toBeVisible();

    await app.newConversation();
    await app.send('ask an inspector');
    await app.allow('inspector');
    await app.expectOutcome('completed');
    await app.send('ask a critic');
    await app.reject('Not now.', 'critic');
    await app.expectOutcome('completed');

    await page.getByRole('link', { name: 'History', exact: true }).click();
    await lists(page).getByRole('link', { name: 'Sub-agents' }).click();
    const rows = rowsOf(page);
    await expect(rows).toHaveCount(2);
    await expect(rows.first(), 'the newest first').toContainText(/critic.*Say what is bad\..*rejected/s);
    await expect(rows.nth(1)).toContainText(/inspector.*Inspect the parser\..*completed.*\$\d/s);
    await expect(rows.nth(1)).toHaveAttribute('title', 'All is well.');

    await addFilter(page, 'Status', 'completed');
    await addFilter(page, 'Kind', 'spawned');
    const both = /\?list=agents&status=completed&kind=spawn$/;
    // The first filter alone leaves one row, too: reloaded before the second is in the address, that would be lost.
    await expect(page).toHaveURL(both);
    await expect(rows).toHaveCount(1);
    await page.reload();
    await expect(rows).toHaveCount(1);
    await expect(page).toHaveURL(both);
    await page.getByRole('button', { name: 'Remove the filter status: completed' }).click();
    await expect(rows).toHaveCount(2);
    await addFilter(page, 'Kind', 'delegated');
    await expect(page.getByText('No sub-agent matches these filters.')).toBeVisible();
    await page.getByRole('button', { name: 'Remove the filter kind: delegated' }).click();
    await page.getByLabel('Sort by').selectOption('duration');
    await expect(rows.first()).toContainText('inspector');
    await expect(page.getByLabel('Sort by').getByRole('option')).toHaveText(['newest', 'cost', 'time of work']);

    await rows.first().focus();
    await page.keyboard.press('ArrowDown');
    await expect(rows.nth(1)).toBeFocused();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    const run = page.getByRole('list', { name: 'Runs' }).locator('[aria-current="true"]');
    await expect(run).toContainText('inspector');
    await expect(page.getByText('All is well.').last(), 'what it reported is in sight').toBeInViewport();
    await page.keyboard.press('Escape');
    await expect(page).toHaveURL(/\/history\?list=agents&sort=duration$/);
    await expect(rows).toHaveCount(2);

    await lists(page).getByRole('link', { name: 'Workflows' }).click();
    await expect(page).toHaveURL(/\/history\?sort=duration$/);
    await expect(page.getByRole('list', { name: 'Workflows' }).getByRole('link')).toHaveCount(2);
  },
);

test(
  'sub-agents of a deleted conversation leave the list and return with the conversation',
  fullSpec([
    'tests/core/store/trash/trash.test.ts › hides a deleted conversation from all lists, and restores it unchanged',
    'tests/lib/app/history-browser.alone.test.ts › reloads the list on return to it, and forgets its address after a deletion',
  ]),
  async ({ start }) => {
    const app = await start(twoAsked());
    const { page } = app;
    await app.send('ask an inspector');
    await app.allow('inspector');
    await app.expectOutcome('completed');
    await app.goto('/history?list=agents');
    await expect(rowsOf(page)).toHaveCount(1);
    const sidebar = page.getByRole('navigation').first();
    await sidebar.getByRole('link', { name: /^ask an inspector/ }).hover();
    await sidebar.getByRole('button', { name: /^Actions for “ask an inspector/ }).click();
    await page.getByRole('menuitem', { name: 'Delete conversation' }).click();
    await expect(rowsOf(page)).toHaveCount(0);
    await expect(page.getByText('No sub-agent yet.')).toBeVisible();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(rowsOf(page)).toHaveCount(1);
  },
);

test(
  'the list of sub-agents passes the accessibility checks in light and dark',
  fullSpec(
    'e2e/sub-agents/spawn.spec.ts › a sub-agent starts only after approval, is visible in chat and history, and passes accessibility checks',
    { tag: '@browser', annotation: SAME_PAGE },
  ),
  async ({ start }) => {
    const app = await start(twoAsked());
    await app.send('ask an inspector');
    await app.allow('inspector');
    await app.expectOutcome('completed');
    await app.goto('/history?list=agents&status=completed');
    await expect(rowsOf(app.page)).toHaveCount(1);
    await app.page.getByRole('button', { name: 'Saved filters' }).click();
    await expectAccessibleInBoth(app.page, 'history of sub-agents');
  },
);

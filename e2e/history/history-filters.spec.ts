/** The history narrowed and sorted: the address holds it, so a reload and the way back keep it. */
import { Script, text } from '../../tests/support/fake-model/script.ts';
import { LEAD, spawn } from '../../tests/support/fake-model/scenarios.ts';
import { expectAccessibleInBoth } from '../support/accessible.ts';
import { addFilter } from '../support/history.ts';
import { expect, fullSpec, test } from '../support/test.ts';

/** One answer, one failure, one with a sub-agent that a person refuses. */
function mixed(): Script {
  const error = { type: 'invalid_request_error', message: 'the prompt is too odd' };
  return new Script()
    .on({ asked: /fail/ })
    .reply([], { status: 400, error })
    .on({ ...LEAD, asked: /inspector/, step: 1 })
    .reply([spawn({ name: 'inspector', prompt: 'Inspect.' })])
    .on({})
    .reply((seen) => [text(`Answer to ${seen.asked}`)]);
}

test(
  'the filters and the sort order are stored in the URL and restored from it',
  fullSpec([
    'tests/lib/view/history-query.test.ts › restores every filter, the order and the search text',
    'tests/core/store/lists/workflow-list.test.ts › lists the workflows that match each filter and combined filters, in each order',
  ]),
  async ({ start }) => {
    const app = await start(mixed());
    const { page } = app;
    await app.send('say hello');
    await app.expectOutcome('completed');
    await app.send('ask an inspector');
    await app.reject('Not now.', 'inspector');
    await app.expectOutcome('completed');
    await app.send('fail, please');
    await app.expectOutcome('error');

    await page.getByRole('link', { name: 'History', exact: true }).click();
    const rows = page.getByRole('list', { name: 'Workflows' }).getByRole('link');
    await expect(rows).toHaveCount(3);
    await expect(rows.first(), 'the newest first').toContainText('fail, please');

    await addFilter(page, 'Outcome', 'error');
    await expect(rows).toHaveCount(1);
    await expect(rows).toContainText('fail, please');
    await expect(page).toHaveURL(/\?outcome=error$/);

    await page.reload();
    await expect(rows).toHaveCount(1);
    await page.getByRole('button', { name: 'Remove the filter outcome: error' }).click();
    await expect(rows).toHaveCount(3);
    await expect(page).toHaveURL(/\/history$/);
    await page.goBack();
    await expect(rows).toHaveCount(1);
    await page.goForward();
    await expect(rows).toHaveCount(3);

    await addFilter(page, 'Agent', 'inspector');
    await expect(rows).toHaveCount(1);
    await expect(rows).toContainText('ask an inspector');
    await addFilter(page, 'Cost at least, $', 'Another amount…');
    await page.getByLabel('Cost at least, $').fill('1000');
    await page.getByLabel('Cost at least, $').press('Enter');
    await expect(page.getByText('No workflow matches these filters.')).toBeVisible();
    // Words that are written while the address changes stay.
    await page.getByRole('button', { name: 'Clear all' }).evaluate((button: HTMLElement) => {
      button.click();
      const box = document.querySelector<HTMLInputElement>('[role=searchbox]')!;
      box.value = 'nowhere';
      box.dispatchEvent(new Event('input', { bubbles: true }));
    });
    await expect(page).toHaveURL(/\?q=nowhere$/);
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await expect(rows).toHaveCount(3);

    await page.getByLabel('Sort by').selectOption('duration');
    await expect(page).toHaveURL(/\?sort=duration$/);
    await expect(rows).toHaveCount(3);
  },
);

test(
  'filters are saved under a name, days show totals, and the columns and the chart can be selected',
  fullSpec([
    'tests/core/host/runtime/methods/filters.test.ts › saves, replaces, renames and removes a history filter, and keeps the rest of the settings file',
    'tests/core/store/lists/days.test.ts › daily totals equal the sum of the listed workflows for any filter',
    'tests/lib/history/history-look.alone.test.ts › stores the columns of each list, and the chart options',
  ]),
  async ({ start }) => {
    const app = await start(mixed());
    const { page } = app;
    await app.send('say hello');
    await app.expectOutcome('completed');
    await app.send('fail, please');
    await app.expectOutcome('error');
    await page.getByRole('link', { name: 'History', exact: true }).click();
    const list = page.getByRole('list', { name: 'Workflows' });
    await expect(list.getByRole('heading')).toHaveText(/^Today\s*2 workflows\s*[\d.]+ tokens\s*\$\d/);

    await addFilter(page, 'Outcome', 'error');
    await expect(list.getByRole('heading')).toHaveText(/^Today\s*1 workflow/);
    await page.getByRole('button', { name: 'Saved filters' }).click();
    await page.getByLabel('Name of these filters').fill('Failed');
    await expectAccessibleInBoth(page, 'saved filters');
    await page.keyboard.press('Enter');
    await expect(page.getByText('Saved as “Failed”')).toBeVisible();
    await page.getByRole('button', { name: 'Change the filter outcome: error' }).press('Delete');
    await expect(page).toHaveURL(/\/history$/);
    await page.reload();
    await page.getByRole('button', { name: 'Saved filters' }).click();
    await page.getByRole('button', { name: 'Rename “Failed”' }).click();
    await page.getByLabel('New name of “Failed”').fill('Gone wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Gone wrong' }).click();
    await expect(page).toHaveURL(/\?outcome=error$/);
    await expect(list.getByRole('link')).toHaveCount(1);
    await page.getByRole('button', { name: 'Saved filters' }).click();
    await page.getByRole('button', { name: 'Delete “Gone wrong”' }).click();
    await expect(page.getByText('No filter is saved yet.')).toBeVisible();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Columns' }).click();
    await expectAccessibleInBoth(page, 'columns of the history');
    await page.getByRole('menuitemcheckbox', { name: 'Cost' }).click();
    await page.keyboard.press('Escape');
    await expect(list.getByText('Cost:')).toHaveCount(0);

    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Outcome', exact: true }).press('ArrowRight');
    await expect(page.getByRole('menuitem', { name: 'completed', exact: true })).toBeVisible();
    await expectAccessibleInBoth(page, 'filters and their values');
    for (const _menu of ['of its values', 'of all']) await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Chart' }).click();
    await page.getByRole('button', { name: 'Agent', exact: true }).click();
    await page.reload();
    const days = page.getByRole('listbox', { name: 'By day' });
    const chart = page.getByRole('region', { name: 'By day' });
    await expect(chart).toContainText('30 days, 1 workflow');
    // Figures of one list never stand under the name of the other, however late the answer comes.
    const said = await chart.evaluateHandle((region) => {
      const texts: string[] = [];
      const watch = new MutationObserver(() => texts.push(region.textContent));
      watch.observe(region, { childList: true, characterData: true, subtree: true });
      return texts;
    });
    await page.getByRole('link', { name: 'Sub-agents' }).click();
    await expect(chart).toContainText('30 days, 0 runs');
    expect((await said.jsonValue()).filter((one) => one.includes('30 days, 1 run'))).toEqual([]);
    await page.goBack();
    await expect(chart).toContainText('No cost in this time');
    await page.getByRole('button', { name: 'Change the filter outcome: error' }).press('Delete');
    await expect(days.getByRole('option', { selected: true })).toHaveAccessibleName(/^Today: 2 workflows/);
    await expect(page.getByRole('table', { name: 'Cost and tokens by day' }).getByRole('row')).toHaveCount(2);
    await days.press('ArrowLeft');
    await expect(days.getByRole('option', { selected: true })).toHaveAccessibleName('Yesterday: 0 workflows');
    await expectAccessibleInBoth(page, 'history with its chart');
    await days.press('Enter');
    await expect(page).toHaveURL(/from=\d{4}-\d\d-\d\d&to=/);
    await expect(page.getByText('No workflow matches these filters.')).toBeVisible();
    await page.getByRole('link', { name: 'Sub-agents' }).click();
    await expect(chart).toContainText('1 day, 0 runs');
  },
);

test('the workflow list is used by keyboard and keeps its position when the person returns to it', async ({
  start,
}) => {
  const app = await start(mixed());
  const { page } = app;
  for (const message of ['one', 'two', 'three']) {
    await app.send(message);
    await app.expectOutcome('completed');
  }
  await page.getByRole('link', { name: 'History', exact: true }).click();
  await page.getByLabel('Sort by').selectOption('tokens');
  await expect(page).toHaveURL(/\?sort=tokens$/);
  const rows = page.getByRole('list', { name: 'Workflows' }).getByRole('link');
  await expect(rows).toHaveCount(3);
  await rows.first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('End');
  await expect(rows.nth(2)).toBeFocused();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await expect(rows.nth(1)).toBeFocused();
  const name = await rows.nth(1).textContent();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('list', { name: 'Runs' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/\/history\?sort=tokens$/);
  await expect(rows).toHaveCount(3);
  await expect(rows.nth(1)).toHaveAttribute('tabindex', '0');
  await expect(rows.nth(1)).toHaveText(name ?? '');
});

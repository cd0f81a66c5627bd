/** The history narrowed and sorted: the address holds it, so a reload and the way back keep it. */
import { Script, text } from '../../tests/support/fake-model/script.ts';
import { LEAD, spawn } from '../../tests/support/fake-model/scenarios.ts';
import { expect, test } from '../support/test.ts';

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

test('filters and the order stand in the address and come back with it', { tag: '@soak' }, async ({ start }) => {
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

  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByLabel('Outcome').selectOption('error');
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

  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByLabel('Agent').selectOption('inspector');
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText('ask an inspector');
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
});

test('a list is gone through by keyboard, and is found where it was left', { tag: '@soak' }, async ({ start }) => {
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

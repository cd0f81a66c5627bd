/** A step of the past is forked from its panel: it goes on by itself only after a press that says so, and says what is copied. */
import { spawnOne } from '../../tests/support/fake-model/scenarios.ts';
import { expectAccessibleInBoth } from '../support/accessible.ts';
import { expect, fullSpec, test } from '../support/test.ts';

test(
  'a fork goes on from a call with copied steps, and requests no approval',
  fullSpec([
    'tests/lib/history/mounted.svelte.test.ts › a fork goes on only after a second press',
    'tests/core/workflows/going-on/steps.test.ts › a fork at the last step of three sub-agents sends one request and requests no approval',
  ]),
  async ({ start }) => {
    const app = await start(spawnOne());
    const { page } = app;
    await app.send('Inspect this project.');
    await app.allow();
    await app.expectOutcome('completed');
    await page.getByRole('link', { name: 'Open in history' }).click();
    await expect(page).toHaveURL(/\/history\//);
    const first = page.url();
    await page.getByRole('listbox', { name: 'What lead did when' }).locator('[data-call]').first().click();
    const panel = page.getByRole('region', { name: 'Tool call' });
    const fork = panel.getByRole('button', { name: 'Fork from here' });
    await expect(panel.getByRole('button', { name: 'Go on from here' })).toHaveCount(0);
    await fork.focus();
    await page.keyboard.press('Enter');
    await expect(fork).toHaveAttribute('aria-expanded', 'true');
    await expect(panel).toContainText('Files stay as they are.');
    await expectAccessibleInBoth(page, 'a step that is to be forked');
    const asked = app.model.requests.length;
    await page.keyboard.press('Tab');
    await expect(panel.getByRole('button', { name: 'Go on from here' })).toBeFocused();
    await page.keyboard.press('Enter');

    await expect(page).toHaveURL(/\/chat\//);
    await app.expectOutcome('completed');
    expect(app.model.requests).toHaveLength(asked + 1);
    await expect(page.getByText(/What follows goes on from step \d+ there/)).toBeVisible();
    const card = page.getByRole('article', { name: 'inspector' });
    await expect(card.getByText('copied, $0')).toBeAttached();
    const said = page.getByRole('link', { name: 'copied, $0: open where it was done' }).first();
    await expectAccessibleInBoth(page, 'a fork that went on');
    await said.click();
    await expect(page, 'where it was done').toHaveURL(new RegExp(`${new URL(first).pathname}\\?run=`));
    await page.goBack();
    await page.getByRole('link', { name: 'Open in history' }).click();
    await expect(page.getByRole('list', { name: 'Runs' }).getByRole('button', { name: /inspector/ })).toContainText(
      'copied, $0',
    );
  },
);

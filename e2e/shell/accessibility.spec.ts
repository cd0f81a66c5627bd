/** Every screen against the rules of axe, light and dark. */
import { expectAccessibleInBoth, SAME_PAGE } from '../support/accessible.ts';
import { leadSpawns } from '../support/scripts.ts';
import { expect, fullSpec, test } from '../support/test.ts';

test(
  'chat, approval, history and settings pass the accessibility checks in light and dark',
  fullSpec(
    [
      'e2e/sub-agents/spawn.spec.ts › a sub-agent starts only after approval, is visible in chat and history, and passes accessibility checks',
      'tests/lib/ui/colours.test.ts › text has enough contrast on each of its backgrounds',
    ],
    { tag: '@browser', annotation: SAME_PAGE },
  ),
  async ({ start }) => {
    // Each look at a screen takes seconds on a busy machine.
    test.slow();
    const app = await start(leadSpawns(['alpha', 'beta']));
    const { page } = app;
    await expect(app.message).toBeVisible();
    await expectAccessibleInBoth(page, 'empty chat');
    await app.send('Look at two parts.');
    await expect(app.waiting.getByRole('listitem')).toHaveCount(2);
    await expectAccessibleInBoth(page, 'approval');
    await app.allow('alpha');
    await app.reject('Not this one.', 'beta');
    await app.expectOutcome('completed');
    await app
      .card('alpha')
      .getByRole('button', { name: /^alpha/ })
      .click();
    await expectAccessibleInBoth(page, 'chat with a finished workflow');
    await page.getByRole('link', { name: 'History', exact: true }).click();
    const row = page.getByRole('list', { name: 'Workflows' }).getByRole('link');
    await expect(row).toHaveCount(1);
    await expectAccessibleInBoth(page, 'history');
    await row.click();
    await page.getByRole('list', { name: 'Runs' }).getByRole('button', { name: /alpha/ }).click();
    for (const tab of ['Transcript', 'Envelope', 'Approvals', 'Model requests']) {
      await page.getByRole('tab', { name: new RegExp(`^${tab}`) }).click();
      await expectAccessibleInBoth(page, `workflow page, ${tab}`);
    }
    await page.getByRole('link', { name: 'Settings' }).click();
    await expect(page.getByLabel('API key')).toBeVisible();
    await expectAccessibleInBoth(page, 'settings');
  },
);

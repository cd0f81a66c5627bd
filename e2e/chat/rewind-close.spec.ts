/** The question before going back can be left in any way: the focus goes back to where it came from, and nothing throws. */
import { plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import { expect, test } from '../support/test.ts';

for (const how of ['Escape', 'Cancel', 'Go back'])
  test(`from the toolbar and from the palette: ${how}`, { tag: '@soak' }, async ({ start }) => {
    const app = await start(plainAnswer());
    const { page } = app;
    await app.send('Say something.');
    await app.expectOutcome('completed');
    const asked = page.getByRole('dialog', { name: 'Go back to before' });
    const leave = async (): Promise<void> => {
      await expect(asked.getByRole('button', { name: 'Cancel' })).toBeVisible();
      if (how === 'Escape') await page.keyboard.press('Escape');
      else await asked.getByRole('button', { name: how }).click();
      await expect(asked).toHaveCount(0);
    };
    const opener = app.workflow().getByRole('button', { name: /^Go back to before this/ });
    await opener.press('Enter');
    await leave();
    if (how === 'Go back') return;
    await expect(opener).toBeFocused();
    await page.keyboard.press('ControlOrMeta+k');
    await page.keyboard.type('Go back to before your last');
    await page.keyboard.press('Enter');
    await leave();
    await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toBeFocused();
  });

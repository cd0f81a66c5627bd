/** A no with a reason: nothing starts, and the lead is told why. */
import { spawnOne } from '../../tests/support/fake-model/scenarios.ts';
import { expect, test } from '../support/test.ts';

test('a rejected sub-agent never runs and its reason reaches the lead', { tag: '@soak' }, async ({ start }) => {
  const app = await start(spawnOne());
  await app.send('Inspect this project.');
  await app.reject('Read the README yourself, it is short.', 'inspector');

  await expect(app.question).toBeHidden();
  await app.expectCard('inspector', 'rejected');
  await app.expectOutcome('completed');
  await expect(app.workflow()).toContainText('Read the README yourself, it is short.');
  expect(app.model.requests, 'the lead twice, the sub-agent never').toHaveLength(2);
  const told = app.model.requests[1]?.seen.results ?? [];
  expect(told).toHaveLength(1);
  expect(told[0]?.text).toContain('Read the README yourself, it is short.');
});

test(
  'in the reason no key answers: Enter leads to the button, Escape back to the question',
  { tag: '@soak' },
  async ({ start }) => {
    const app = await start(spawnOne());
    const { page } = app;
    await app.send('Inspect this project.');
    await app.question.getByRole('button', { name: 'Reject…' }).click();
    const reason = app.field('Reason');
    await expect(reason).toBeFocused();
    await reason.press('Escape');
    await expect(reason).toHaveCount(0);
    await expect(app.question).toBeVisible();
    await app.question.getByRole('button', { name: 'Reject…' }).click();
    await reason.fill('It is short.');
    await reason.press('Enter');
    await expect(app.question.getByRole('button', { name: 'Reject', exact: true })).toBeFocused();
    await expect(app.question).toBeVisible();
    expect(app.model.requests).toHaveLength(1);
    await page.waitForFunction(
      () => document.querySelector('[data-answers]:focus')?.getAttribute('aria-disabled') !== 'true',
    );
    await page.keyboard.press('Enter');
    await app.expectOutcome('completed');
    await expect(app.workflow()).toContainText('It is short.');
  },
);

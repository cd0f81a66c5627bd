/** The bars of the history tell queue, waiting, model and tools apart, and a click on a model's bar shows the request. */
import { spawnOne } from '../../tests/support/fake-model/scenarios.ts';
import { expect, test } from '../support/test.ts';

test('a click on the bar of a model request shows that request', { tag: '@soak' }, async ({ start }) => {
  const app = await start(spawnOne({ reply: { firstTokenMs: 150 } }));
  const { page } = app;
  await app.send('Inspect this project.');
  await app.lookAt('inspector');
  await app.allow();
  await app.expectOutcome('completed');
  await page.getByRole('link', { name: 'Open in history' }).click();
  const legend = page.getByRole('list', { name: 'What the bars show' }).getByRole('listitem');
  await expect(legend).toHaveText(['in the queue', 'waiting for you', 'model', 'tools']);

  const inspector = page.getByRole('list', { name: 'Runs' }).getByRole('button', { name: /inspector/ });
  await expect(inspector).toContainText(/ran .*: .*waiting for you, .*model, /);
  const bars = inspector.locator('[data-request]');
  await expect(bars).toHaveCount(2);
  await bars.nth(1).click();
  await expect(page.getByRole('tab', { name: 'Model requests (2)' })).toHaveAttribute('aria-selected', 'true');
  const rows = page.getByRole('tabpanel').getByRole('row');
  await expect(rows).toHaveCount(3);
  await expect(rows.nth(2)).toHaveAttribute('aria-current', 'true');
  await expect(rows.nth(1)).not.toHaveAttribute('aria-current', 'true');

  // The run itself is chosen as before.
  await inspector.getByText('inspector', { exact: true }).click();
  await expect(page.getByRole('tab', { name: 'Transcript' })).toHaveAttribute('aria-selected', 'true');
});

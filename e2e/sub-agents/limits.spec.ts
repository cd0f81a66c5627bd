/** An edit that goes too far: the reason stands at its field, and the question stays open. */
import { spawnOne } from '../../tests/support/fake-model/scenarios.ts';
import { expect, test } from '../support/test.ts';

test('a limit beyond the lead is refused at its field in plain words', async ({ start }) => {
  const app = await start(spawnOne());
  await app.send('Inspect this project.');
  await app.lookAt('inspector');
  await expect(app.question.getByRole('checkbox', { name: 'spawn_agent' })).toHaveCount(0);
  const granted = app.question.getByRole('checkbox', { name: 'read_file' });
  await expect(granted).toBeChecked();
  await expect(granted).toBeDisabled();

  await app.field('Max iterations').fill('21');
  await app.question.getByRole('button', { name: 'Allow once' }).click();
  await expect(app.question.getByText("cannot be more than the lead's (20)", { exact: true })).toBeVisible();
  await expect(app.field('Max iterations')).toHaveAttribute('aria-invalid', 'true');
  await app.field('Max iterations').fill('5000');
  await app.question.getByRole('button', { name: 'Allow once' }).click();
  await expect(app.question.getByText('cannot be more than 200', { exact: true })).toBeVisible();
  await expect(app.question).not.toContainText('✖');

  await app.field('Max iterations').fill('5');
  await app.allow();
  await app.expectOutcome('completed');
});

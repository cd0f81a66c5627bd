/** A yes with changes: what was approved is what runs, and the change is on record. */
import { spawnOne } from '../../tests/support/fake-model/scenarios.ts';
import { expect, test } from '../support/test.ts';

test('an edited prompt is what the sub-agent gets, and the history shows both', async ({ start }) => {
  const app = await start(spawnOne());
  await app.send('Inspect this project.');
  const edited = 'Inspect the workspace and report. Leave out the tests.';
  await app.lookAt('inspector');
  await app.field('Prompt').fill(edited);
  await expect(app.question.getByText('edited', { exact: true })).toBeVisible();
  await expect(app.question.getByText('with your 1 edit')).toBeVisible();
  await app.question.getByRole('checkbox', { name: 'write_file' }).uncheck();
  await app.allow();

  await app.expectCard('inspector', 'completed');
  await app.expectOutcome('completed');
  const child = await app.model.waitFor(({ seen }) => seen.prompt.startsWith('Inspect the workspace'));
  expect(child.seen.prompt).toBe(edited);
  expect(child.seen.tools).not.toContain('write_file');
  expect(child.seen.tools).toContain('read_file');

  await app.footer().getByRole('link', { name: 'Open in history' }).click();
  await app.page.getByRole('tab', { name: /^Approvals/ }).click();
  const record = app.page.getByRole('tabpanel');
  await expect(record.getByText('edited', { exact: true })).toBeVisible();
  await expect(record).toContainText(edited);
  await expect(record).toContainText('prompt');
  await expect(record).toContainText('tools');
});

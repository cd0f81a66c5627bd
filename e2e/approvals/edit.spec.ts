/** A yes with changes: what was approved is what runs, and the change is on record. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawnOne } from '../../tests/support/fake-model/scenarios.ts';
import { expect, test } from '../support/test.ts';

test('an edited prompt, provider and list of tools is what the sub-agent gets, and the history shows both', async ({
  start,
}) => {
  const app = await start(spawnOne(), {
    before: async ({ home, env }) => {
      const spare = `type = "anthropic"
base_url = "${env['ANTHROPIC_BASE_URL']}"
auth = { api_key = "a-key-of-the-spare", in_file = true }
defaults.model = "spare-model"
`;
      await mkdir(home, { recursive: true });
      await writeFile(join(home, 'config.toml'), `[providers.spare]\n${spare}`);
      return () => Promise.resolve();
    },
  });
  await app.send('Inspect this project.');
  const edited = 'Inspect the workspace and report. Leave out the tests.';
  await app.lookAt('inspector');
  await app.field('Prompt').fill(edited);
  await expect(app.question.getByText('edited', { exact: true })).toBeVisible();
  await expect(app.question.getByText('with your 1 edit')).toBeVisible();
  await expect(app.field('Model')).not.toHaveValue('spare-model');
  await app.field('Provider').selectOption('spare');
  await expect(app.field('Model')).toHaveValue('spare-model');
  await app.question.getByRole('checkbox', { name: 'write_file' }).uncheck();
  await app.allow();

  await app.expectCard('inspector', 'completed');
  await app.expectOutcome('completed');
  const child = await app.model.waitFor(({ seen }) => seen.prompt.startsWith('Inspect the workspace'));
  expect(child.seen.prompt).toBe(edited);
  expect(child.seen.tools).not.toContain('write_file');
  expect(child.seen.tools).toContain('read_file');
  expect(child.seen.body.model).toBe('spare-model');

  await app.footer().getByRole('link', { name: 'Open in history' }).click();
  await app.page.getByRole('tab', { name: /^Approvals/ }).click();
  const record = app.page.getByRole('tabpanel');
  await expect(record.getByText('edited', { exact: true })).toBeVisible();
  await expect(record).toContainText(edited);
  await expect(record).toContainText('prompt');
  await expect(record).toContainText('tools');
  await expect(record).toContainText('spare');
});

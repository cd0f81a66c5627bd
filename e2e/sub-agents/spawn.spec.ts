/** One sub-agent from the message to the history: asked for, allowed, followed live, looked up; each screen keeps the rules of axe. */
import { spawnOne } from '../../tests/support/fake-model/scenarios.ts';
import { Gate } from '../../tests/support/gate.ts';
import { expectAccessibleInBoth, expectAlsoAccessible } from '../support/accessible.ts';
import { expect, test } from '../support/test.ts';

test('a sub-agent starts only after approval, is visible in chat and history, and passes accessibility checks', async ({
  start,
}) => {
  const script = spawnOne();
  const rest = new Gate();
  for (const rule of script.rules) {
    if (rule.name.startsWith('child reports')) rule.options = { ...rule.options, hold: rest.at(8) };
  }
  const app = await start(script);
  await expect(app.page.getByRole('heading', { level: 1 })).toBeVisible();
  await expectAlsoAccessible(app.page, 'empty chat');
  await app.send('Inspect this project.');

  await expect(app.question.getByRole('heading', { level: 2 })).toContainText('inspector');
  await expect(app.field('What it is told')).toHaveText('Inspect the workspace and report.');
  await expect(app.question).toContainText('read this folder');
  await expectAlsoAccessible(app.page, 'approval');
  await app.unfoldForm();
  await expect(app.field('Prompt')).toHaveValue('Inspect the workspace and report.');
  await expect(app.field('Model')).not.toHaveValue('');
  await expect(app.question.getByRole('checkbox', { name: 'read_file' })).toBeChecked();
  await expect(app.question).toContainText(app.workspace);
  await app.expectCard('inspector', 'waiting for you');
  await expect(app.card('inspector')).toContainText('spawned');
  expect(app.model.requests, 'only the lead has asked the model so far').toHaveLength(1);

  await expectAccessibleInBoth(app.page, 'approval, unfolded');

  await app.allow();
  await expect(app.question).toBeHidden();
  await app.expectCard('inspector', 'running');
  await expect(app.card('inspector'), 'what it did last').toContainText('list_directory');
  rest.open();
  await app.expectCard('inspector', 'completed');
  await expect(app.card('inspector')).toContainText('the workspace is in good order.');
  await app.expectOutcome('completed');
  await expect(app.workflow()).toContainText('All parts are done. The reports say:');
  await app.expectQuoted('the workspace');

  const child = app.model.requests.filter(({ seen }) => !seen.tools.includes('spawn_agent'));
  expect(child.map(({ seen }) => seen.prompt)).toEqual(Array(2).fill('Inspect the workspace and report.'));
  expect(JSON.stringify(child[0]?.body), 'nothing of the conversation').not.toContain('Inspect this project.');
  app.model.expectDone();
  await expectAccessibleInBoth(app.page, 'chat with a finished workflow');

  await app.page.getByRole('link', { name: 'History', exact: true }).click();
  const row = app.page.getByRole('list', { name: 'Workflows' }).getByRole('link');
  await expect(row).toHaveCount(1);
  await expect(row).toContainText('Inspect this project.');
  await expect(row).toContainText('completed');
  await expectAlsoAccessible(app.page, 'history');
  await app.page.getByRole('navigation', { name: 'What is listed' }).getByRole('link', { name: 'Sub-agents' }).click();
  await expect(app.page.getByRole('list', { name: 'Sub-agents' }).getByRole('link')).toHaveCount(1);
  await expectAccessibleInBoth(app.page, 'history of sub-agents');
  await app.page.goBack();
  await row.click();
  const runs = app.page.getByRole('list', { name: 'Runs' }).getByRole('button');
  await expect(runs).toHaveCount(2);
  await expect(runs.nth(1)).toContainText('inspector');
  const lane = app.page.getByRole('list', { name: 'Runs' }).getByRole('listitem').nth(1);
  await expect(lane).toContainText(/[1-9][\d,.k]* tokens/);
  await runs.nth(1).click();
  await app.page.getByRole('tab', { name: 'Approvals (1)' }).click();
  await expect(app.page.getByRole('tabpanel')).toContainText(/Allowed\s*by you/);
  await app.page.getByRole('tab', { name: 'Model requests (2)' }).click();
  await expect(app.page.getByRole('tabpanel').getByRole('row')).toHaveCount(3);
  await expectAlsoAccessible(app.page, 'workflow page, Model requests');
  await app.page.getByRole('link', { name: 'Settings' }).click();
  await expect(app.page.getByLabel('API key')).toBeVisible();
  await expectAccessibleInBoth(app.page, 'settings');
});

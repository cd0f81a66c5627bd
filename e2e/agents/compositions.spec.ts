/** A composition is one file: a copy of it with a few lines changed is a new lead, whose agents are shown before the first message. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { done } from '../../tests/support/flows/flows.ts';
import { Script, text } from '../../tests/support/fake-model/script.ts';
import { expectAccessibleInBoth, expectAlsoAccessible } from '../support/accessible.ts';
import { expect, test } from '../support/test.ts';

const REVIEWER = { system: /You check work that another agent has done/ };

test('a copy of BUILD-SMART becomes another lead, from the form to its first handoff', async ({ start }) => {
  const script = new Script()
    .on({ ...REVIEWER, prompt: /A first draft/ })
    .reply([text('Name the file.\n\nScore: 40')])
    .on(REVIEWER)
    .reply(done('It names the file.'))
    .on({ turn: 2 })
    .reply([text('A second draft of notes.md.')])
    .on({})
    .reply([text('A first draft.')]);
  const app = await start(script);
  const { page } = app;
  const form = page.getByRole('region', { name: 'Form' });
  await page.getByRole('link', { name: 'Agents', exact: true }).click();
  await expect(page.getByRole('link', { name: /^BUILD-SMART .*composition.* lead ⇄ reviewer/ })).toBeVisible();
  await app.button('New agent').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('radio', { name: /^a composition/ }).check();
  await expect(dialog.getByRole('combobox', { name: 'Begin with' })).toContainText('a copy of BUILD-SMART');
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('ship-it');
  await page.keyboard.press('Enter');

  await expect(form.getByLabel('Name', { exact: true })).toHaveValue('ship-it');
  await form.getByRole('radio', { name: /^judge/ }).check();
  await form.getByRole('textbox', { name: 'Rounds at most' }).fill('2');
  await expect(form).toContainText('lead ⇄ reviewer · judge, at most 2 rounds');
  await expect(form).toContainText('reviewer reads each answer and approves it, or says what is missing.');
  await expectAccessibleInBoth(page, 'the form of a composition');
  await app.button('Save').click();
  await expect(page.locator('main > header')).toContainText('usable');
  const saved = await readFile(join(app.workspace, '.triad/compositions/ship-it.toml'), 'utf8');
  expect(saved).toMatch(/name = "ship-it"[^]*type = "judge"[^]*max_rounds = 2/);

  await app.newConversation();
  await page.getByRole('combobox', { name: 'Lead', exact: true }).selectOption('ship-it');
  const preview = page.getByRole('region', { name: 'Who works' });
  await expect(preview).toContainText(
    /ship-it with the coagent reviewer, judge, at most 2 rounds · at most \d+ requests/,
  );
  await preview.getByText('ship-it with the coagent').click();
  await preview.getByText('works with ship-it').click();
  await expect(preview.getByLabel('reviewer: System prompt')).toContainText(
    'You check work that another agent has done',
  );
  await expectAlsoAccessible(page, 'who works before the first message');
  await app.send('Write it.');
  await expect(app.workflow()).toContainText('A second draft of notes.md.');
  await expect(app.workflow()).toContainText('wants changes, 40 of 100');
  await expect(app.workflow()).toContainText('approved');
});

/** Several questions at once: nothing but the two buttons answers one, and each is answered alone. */
import { expect, test } from '../support/test.ts';
import { leadSpawns } from '../support/scripts.ts';

const NAMES = ['alpha', 'beta', 'gamma'];

test('leaving the questions in any way answers none; they are answered in any order, and a reason stays with its question', async ({
  start,
}) => {
  const app = await start(leadSpawns(NAMES));
  await app.send('Look at every part.');
  await expect(app.waiting.getByRole('listitem')).toHaveCount(3);

  await app.page.keyboard.press('Escape');
  await expect(app.question).toBeHidden();
  await expect(app.reopen).toHaveText('3 waiting');
  await app.reopen.click();
  await expect(app.question).toBeVisible();
  await app.page.mouse.click(5, 300);
  await expect(app.question, 'a click beside it').toBeHidden();
  await app.reopen.click();
  await app.question.getByRole('button', { name: /^Close/ }).click();
  await expect(app.question).toBeHidden();
  await app.card('beta').getByRole('button', { name: 'Answer' }).click();
  await expect(app.field('Prompt'), 'the card opens its own question').toHaveValue(/part beta/);

  await app.field('Reason').fill('y');
  await app.field('Reason').press('Enter');
  await app.field('Prompt').press('Enter');
  await app.page.reload();
  await expect(app.waiting.getByRole('listitem')).toHaveCount(3);
  expect(app.model.requests, 'only the lead has asked the model').toHaveLength(1);
  for (const name of NAMES) await app.expectCard(name, 'waiting for you');

  await app.lookAt('beta');
  await app.field('Reason').fill('Not needed.');
  await app.lookAt('gamma');
  await expect(app.field('Reason')).toHaveValue('');
  await app.allow();
  await app.expectCard('gamma', 'completed');
  await expect(app.waiting.getByRole('listitem')).toHaveCount(2);

  await app.lookAt('beta');
  await expect(app.field('Reason')).toHaveValue('Not needed.');
  await app.question.getByRole('button', { name: 'Reject', exact: true }).click();
  await app.expectCard('beta', 'rejected');
  await app.expectCard('alpha', 'waiting for you');
  await app.allow('alpha');
  await app.expectOutcome('completed');
  const asked = app.model.requests.map(({ seen }) => /part (\w+)/.exec(seen.prompt)?.[1]).filter(Boolean);
  expect(asked).toEqual(['gamma', 'alpha']);
  const told = app.model.requests.at(-1)?.seen.results.map(({ text }) => text) ?? [];
  expect(told[1]).toContain('Not needed.');
});

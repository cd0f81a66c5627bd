/** What goes wrong with the model: one clear message each, with what to do. */
import { plainAnswer } from '../tests/support/fake-model/scenarios.ts';
import { expect, test } from './support/test.ts';

test('a refused key gives one message that leads to the settings', async ({ start }) => {
  const app = await start(plainAnswer(), { model: { keys: ['another-key'] } });
  await app.send('Hello.');
  await app.expectOutcome('error');
  const settings = app.workflow().getByRole('link', { name: 'Settings' });
  await expect(settings, 'said once').toHaveCount(1);
  await expect(app.workflow()).toContainText(/key/i);
  expect(app.model.requests, 'a refused key is not tried again').toHaveLength(1);
  await settings.click();
  await expect(app.page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
  await expect(app.page.getByLabel('API key')).toBeVisible();
});

test('an endpoint that cannot be reached is named, after a few attempts', async ({ start }) => {
  const app = await start(plainAnswer(), { endpoint: 'http://127.0.0.1:9' });
  await app.send('Hello.');
  await expect(app.workflow()).toContainText(/Next attempt/);
  await app.expectOutcome('error');
  await expect(app.workflow()).toContainText('127.0.0.1:9');
  await expect(app.workflow().getByRole('link', { name: 'Settings' })).toHaveCount(1);
});

test('the first start asks for a key and then works', async ({ start }) => {
  const app = await start(plainAnswer({ answer: 'Hello to you.' }), {
    apiKey: null,
    endpoint: null,
    model: { keys: ['sk-given-by-hand'] },
  });
  await expect(app.page.getByRole('heading', { name: 'Welcome to Triad' })).toBeVisible();
  await app.button('Save and start').click();
  await expect(app.page.getByText('Enter a key, an endpoint, or both.')).toBeVisible();
  await app.page.getByLabel('API key').fill('sk-given-by-hand');
  await app.page.getByLabel('Endpoint').fill(app.model.url);
  await app.button('Save and start').click();

  await app.send('Hello.');
  await app.expectOutcome('completed');
  await expect(app.workflow()).toContainText('Hello to you.');
  expect(app.model.requests[0]?.headers['x-api-key']).toBe('sk-given-by-hand');
  await app.page.getByRole('link', { name: 'Settings' }).click();
  await expect(app.page.getByLabel('API key'), 'a stored key is not shown again').toHaveValue('');
  expect(await app.page.content()).not.toContain('sk-given-by-hand');
});

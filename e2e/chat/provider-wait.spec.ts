/** A provider that is overloaded: the page shows the wait, also after a reload, and the person tries now or stops. */
import { Script, text } from '../../tests/support/fake-model/script.ts';
import { expect, test } from '../support/test.ts';

const overloaded = {
  status: 529,
  headers: { 'retry-after': '600' },
  error: { type: 'overloaded_error', message: 'Too many people' },
};

test('shows the wait for the provider until the person retries and the request succeeds', async ({ start }) => {
  let isDown = true;
  const script = new Script().on({ where: () => isDown }).reply([], overloaded);
  script.on({}).reply([text('Here I am.')]);
  const app = await start(script);
  await app.send('Hello.');
  const wait = app.workflow().locator('[data-provider-wait]');
  await expect(wait).toContainText('Waiting for the provider.');
  await expect(wait).toContainText(/Next try in (9:[345]\d|10:00)/);
  await expect(wait).toContainText('Too many people');
  await app.page.reload();
  await expect(wait, 'after a reload').toContainText('Too many people');
  await expect(wait).toContainText(/Next try in 9:\d\d/);
  await wait.getByRole('button', { name: 'Try now' }).click();
  await expect.poll(() => app.model.requests.length).toBe(2);
  await expect(wait).toContainText('Waiting for the provider.');
  isDown = false;
  await wait.getByRole('button', { name: 'Try now' }).click();
  await app.expectOutcome('completed');
  await expect(app.workflow()).toContainText('Here I am.');
  await expect(wait).toHaveCount(0);
});

test('stops a wait for the provider', async ({ start }) => {
  const app = await start(new Script().on({}).reply([], overloaded));
  await app.send('Hello.');
  await app.workflow().locator('[data-provider-wait]').getByRole('button', { name: 'Stop' }).click();
  await app.expectOutcome('cancelled');
  expect(app.model.requests).toHaveLength(1);
});

/** What goes wrong with the model: one clear message each, with what to do. */
import { plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import { expect, fullSpec, test } from '../support/test.ts';

test(
  'an invalid API key shows one error message with a link to the settings',
  fullSpec([
    'tests/lib/ui/failure-note.server.test.ts › links to the settings once for the error %s',
    'tests/core/runs/loop/failures.test.ts › a wrong API key ends the workflow with an authentication error',
    'tests/core/model/anthropic-failures.test.ts › an error about a refused key does not contain the key',
  ]),
  async ({ start }) => {
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
  },
);

test(
  'an unreachable endpoint is named in the error after a few attempts',
  fullSpec([
    'tests/core/runs/loop/failures.test.ts › names the endpoint that cannot be reached',
    'tests/core/model/retry.test.ts › tries a request three times at an endpoint that never answered',
    'tests/lib/ui/failure-note.server.test.ts › links to the settings once for the error %s',
  ]),
  async ({ start }) => {
    const app = await start(plainAnswer(), { endpoint: 'http://127.0.0.1:9' });
    await app.send('Hello.');
    await expect(app.workflow()).toContainText('Waiting for the provider.');
    await app.expectOutcome('error');
    await expect(app.workflow()).toContainText('127.0.0.1:9');
    await expect(app.workflow().getByRole('link', { name: 'Settings' })).toHaveCount(1);
    const words = await app.workflow().innerText();
    expect(words.match(/check the network/gi), 'what to do is said once').toHaveLength(1);
  },
);

/** The verbs that stop: each ends what it names, and says what it ended. */
import { plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import { expect, fullSpec, test } from '../support/test.ts';
import { leadSpawns } from '../support/scripts.ts';

test(
  'stopping a reply ends its model request and preserves the text that was received',
  fullSpec([
    'e2e/chat/screen.spec.ts › Send turns into Stop in the same place, and Stop returns a queued message with its attachment',
    'tests/core/workflows/stop.test.ts › during a model request closes the connection, marks the runs as cancelled and keeps the usage',
    'tests/lib/chat/announcer.alone.test.ts › announces each outcome of a reply, such as "Reply stopped" after a stop',
  ]),
  async ({ start }) => {
    const answer = 'These words came before the stop. And these never come.';
    const app = await start(plainAnswer({ answer, deltas: 2, reply: { hangAfter: 3 } }));
    await app.send('Tell me something long.');
    await expect(app.workflow()).toContainText('These words came');
    const request = await app.model.waitFor(() => true);
    expect(request.endedAt).toBeNull();

    await app.button('Stop reply').click();
    await expect(app.page.getByText(/^Stopped the lead \(1 request\)\. Nothing is left running\.$/)).toBeVisible();
    await app.expectOutcome('cancelled');
    await expect(app.page.locator('[aria-live=polite]', { hasText: 'Reply' })).toHaveText(/Reply stopped$/);
    await expect.poll(() => request.closedAt, 'the server saw the request closed').not.toBeNull();
    await expect(app.workflow()).toContainText('These words came');
    await expect(app.button('Stop reply')).toBeHidden();
    await expect(app.button('Stop workflow')).toBeHidden();
  },
);

test('stopping a workflow ends its sub-agents, requests and approvals, and Escape ends none of them', async ({
  start,
}) => {
  const app = await start(leadSpawns(['alpha', 'beta', 'gamma'], { alpha: { hangAfter: 8 }, beta: { hangAfter: 0 } }));
  await app.page.setViewportSize({ width: 900, height: 800 });
  await app.send('Look at every part.');
  await app.allow('alpha');
  await app.allow('beta');
  await app.lookAt('gamma');
  await app.expectCard('alpha', 'running');
  await app.expectCard('beta', 'running');
  await app.page.keyboard.press('Escape');
  await expect(app.question).toBeHidden();
  await app.page.keyboard.press('Escape');
  await expect.poll(() => app.model.requests.filter(({ endedAt }) => endedAt === null).length).toBe(2);

  // Lanes are tabs where there is no room; a word to one of them is kept for its next request.
  await app.log.getByRole('tab', { name: /^beta / }).click();
  await app.page.keyboard.press('Home');
  await expect(app.log.getByRole('tab', { name: /^alpha / })).toHaveAttribute('aria-selected', 'true');
  const word = app.card('alpha').getByRole('textbox', { name: 'Say something to alpha' });
  await word.fill('Mind the tests.');
  await word.press('Enter');
  await expect(app.card('alpha')).toContainText('It reads this before its next request');
  await expect(word).toHaveValue('');

  await app.button('Stop workflow').click();
  await expect(app.page.getByText(/^Stopped ●/)).toHaveText(
    /^Stopped ● alpha, ■ beta and the lead \(2 requests(, \d tool calls)?, 1 question\)\. Nothing is left running\.$/,
  );
  await app.expectOutcome('cancelled');
  for (const name of ['alpha', 'beta', 'gamma']) await app.expectCard(name, 'cancelled');
  await expect(app.reopen).toBeHidden();
  // What beta's request was counted as by the provider, nobody knows.
  await expect(app.card('beta')).toContainText(/of which [\d.]+K? estimated/);
  await expect.poll(() => app.model.requests.filter(({ closedAt }) => closedAt !== null).length).toBe(2);
  expect(app.model.requests, 'nothing was asked after the stop').toHaveLength(3);
});

/** What failed is tried again where it stands: a sub-agent goes on, a message is sent once more. */
import { answerFrom, CHILD, LEAD, reportOf, spawn, START } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { Gate } from '../../tests/support/gate.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const ODD = { status: 400, error: { type: 'invalid_request_error', message: 'the prompt is too odd' } };

test(
  'a failed sub-agent can be retried, and its earlier output stays visible',
  fullSpec([
    'tests/lib/runs/mounted.test.ts › shows the partial report of a failed sub-agent, and retries the sub-agent',
    'tests/core/workflows/retry.test.ts › after the end of its workflow repeats no finished request, and the lead answers again',
  ]),
  async ({ start }) => {
    const gate = new Gate();
    const app = await start(
      new Script()
        .on(START)
        .reply([spawn({ name: 'inspector', prompt: 'Inspect the workspace.' })])
        .on({ ...CHILD, step: 1 })
        .reply([text('I look around first.'), toolUse('list_directory', { path: '.' })])
        .on(CHILD)
        .reply([], { ...ODD, times: 1 })
        .on(CHILD)
        .reply([text(reportOf('the workspace'))], { hold: gate.at(0) })
        .on(LEAD)
        .reply((seen) => [text(answerFrom(seen))]),
    );
    await app.send('Inspect this project.');
    await app.allow('inspector');
    await app.expectCard('inspector', 'error');
    const card = app.card('inspector');
    await expect(card).toContainText('What it had when it failed');
    await app.expectOutcome('completed');

    await card.getByRole('button', { name: 'Try again' }).press('Enter');
    await expect(card.getByRole('button', { name: /^Stop/ })).toBeVisible();
    await expect(card, 'the focus goes to where it works now').toBeFocused();
    await expect(card).toBeInViewport();
    gate.open();
    await app.expectCard('inspector', 'completed');
    await expect(card.locator('header')).toContainText('attempt 2');
    await expect(app.workflow()).toContainText('Resumed (attempt 2)');
    await app.expectOutcome('completed');
    await card.getByRole('button', { name: /^inspector/ }).click();
    await expect(card.getByText('I look around first.')).toBeVisible();
    await expect(card.getByText(/attempt 2\)/)).toBeVisible();
    await app.expectOutcome('completed');
    await app.expectQuoted('the workspace');
  },
);

test(
  'a message whose workflow failed is sent again',
  fullSpec([
    'tests/lib/runs/mounted.test.ts › sends the message of a failed workflow again',
    'tests/lib/app/send.test.ts › sendAgain sends a message with its pictures, and sends nothing if a picture is missing',
  ]),
  async ({ start }) => {
    const app = await start(
      new Script()
        .on({})
        .reply([], { ...ODD, times: 1 })
        .on({})
        .reply([text('This time it works.')]),
    );
    await app.send('Say hello.');
    await app.expectOutcome('error');
    await app.button('Send again').click();
    await app.expectOutcome('completed');
    await expect(app.workflow()).toContainText('This time it works.');
    await expect(app.workflow(0)).toContainText('the prompt is too odd');
  },
);

test('a retried sub-agent is shown in front, and its approval keeps the focus', async ({ start }) => {
  const app = await start(
    new Script()
      .on({ ...LEAD, step: 1 })
      .reply(['first', 'second'].map((name) => spawn({ name, prompt: `Do the ${name}.`, tools: ['write_file'] })))
      .on({ ...CHILD, asked: /first/, step: 1 })
      .reply([], ODD)
      .on({ ...CHILD, asked: /second/, step: 1 })
      .reply([], { ...ODD, times: 1 })
      .on({ ...CHILD, asked: /second/, step: 1 })
      .reply([toolUse('write_file', { path: 'second.md', content: 'Second.\n' })])
      .on(CHILD)
      .reply([text(reportOf('the second'))])
      .on(LEAD)
      .reply([text('Done.')]),
  );
  const { page } = app;
  await page.setViewportSize({ width: 900, height: 720 });
  await app.send('Do both.');
  for (const name of ['first', 'second']) await app.allow(name);
  for (const name of ['first', 'second']) await app.expectCard(name, 'error');
  await app.expectOutcome('completed');
  await app.card('second').getByRole('button', { name: 'Try again' }).press('Enter');
  await expect(app.question, 'it asks, and that has the focus').toBeVisible();
  await expect(app.question.locator(':focus')).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('tab', { name: /second/ })).toHaveAttribute('aria-selected', 'true');
  await expect(app.card('second')).toBeFocused();
});

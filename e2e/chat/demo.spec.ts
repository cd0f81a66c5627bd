/** The demo in the app: four messages, every question real, every answer labelled. */
import { plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import type { App } from '../support/app.ts';
import { expect, fullSpec, test } from '../support/test.ts';

/** A spawn that is allowed. */
async function firstMessage(app: App): Promise<void> {
  const { page } = app;
  await page.getByRole('button', { name: /^Try the demo/ }).click();
  await app.button('Start').click();
  await expect(page.locator('main > header').getByText('Demo', { exact: true })).toBeVisible();

  await app.send('What is here?');
  await app.allow('file-counter');
  await app.expectCard('file-counter', 'completed');
  // Once, for all that is on the page.
  await expect(app.page.getByText('Demo', { exact: true })).toHaveCount(1);
  await app.expectOutcome('completed');
  const card = app.card('file-counter');
  await card.hover();
  await expect(card.locator('.swap > .figures'), 'figures replace the task under the pointer').toHaveCSS(
    'opacity',
    '1',
  );
  await expect(card.locator('.swap > .task')).toHaveCSS('opacity', '0');
  await app.message.hover();
  await expect(card.locator('.swap > .figures')).toHaveCSS('opacity', '0');
  await expect(app.workflow()).toContainText('scripted');
  await expect(app.workflow()).toContainText('2 files match **/*');
  await expect(app.workflow(), 'of the README in this folder').toContainText('first heading is “Sample”');
}

/** Then a delegation that is refused. */
async function upToTheBatch(app: App): Promise<void> {
  const { page } = app;
  await firstMessage(app);
  await page.getByRole('button', { name: /^Let a permanent agent/ }).click();
  await app.button('Send').click();
  await app.reject('Not now.', 'code-reviewer');
  await app.expectOutcome('completed');
  await expect(app.workflow()).toContainText('You said no: “Not now.”');
}

test('the first demo message starts a sub-agent, and the history labels its requests as demo', async ({ start }) => {
  const app = await start(plainAnswer(), { apiKey: null, endpoint: null });
  const { page } = app;
  await firstMessage(app);
  await page.getByRole('link', { name: 'History', exact: true }).click();
  await page.getByRole('list', { name: 'Workflows' }).getByRole('link').first().click();
  await page.getByRole('tab', { name: /^Model requests/ }).click();
  await expect(page.getByRole('cell', { name: 'demo', exact: true }).first()).toBeVisible();
  expect(app.model.requests, 'nothing was sent').toEqual([]);
});

test(
  'further demo messages show a delegation, a batch with a file, and a chain, and then the demo ends',
  fullSpec([
    'tests/core/workflows/demo.test.ts › five messages show every kind of sub-agent with facts from the tools, marked as a demo and free of charge',
    'e2e/chat/demo.spec.ts › the first demo message starts a sub-agent, and the history labels its requests as demo',
  ]),
  async ({ start }) => {
    test.slow();
    const app = await start(plainAnswer(), { apiKey: null, endpoint: null });
    await upToTheBatch(app);
    await app.send('And now?');
    for (const name of ['code-reviewer', 'documentation-writer', 'test-generator']) await app.allow(name);
    await app.allow();
    await app.expectOutcome('completed');
    await expect(app.workflow()).toContainText('1 file matches **/*.md');
    await expect(app.workflow()).toContainText('triad changes --undo RUN');

    await app.page.getByRole('button', { name: /^Have a report on this folder/ }).click();
    await app.button('Send').click();
    await app.allow('3 agents, one after the other');
    await app.expectOutcome('completed');
    await expect(app.workflow()).toContainText('fact-finder → report-writer → report-checker');
    await expect(app.workflow()).toContainText(/statements? of \d+ checked/);
    await expect(app.page.getByText(/The demo ends here\..*Changes/)).toBeVisible();
    expect(app.model.requests, 'nothing was sent').toEqual([]);
  },
);

test(
  'an approval that was open when the program was killed is open again after a resume in the demo',
  fullSpec(
    'tests/core/workflows/recovery.test.ts › reopens the unanswered approvals with their ids when an interrupted workflow is resumed',
  ),
  async ({ start }) => {
    const app = await start(plainAnswer(), { apiKey: null, endpoint: null, ownProcess: true });
    const { page } = app;
    await page.getByRole('button', { name: /^Try the demo/ }).click();
    await app.button('Start').click();
    await app.send('What is here?');
    await expect(app.question).toBeVisible({ timeout: 15_000 });
    await app.crashAndRestart();
    await expect(app.button('Resume')).toBeVisible({ timeout: 20_000 });
    await app.button('Resume').click();
    await app.allow('file-counter');
    await app.expectOutcome('completed');
    await expect(app.workflow()).toContainText('2 files match');
  },
);

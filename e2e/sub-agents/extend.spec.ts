/** A sub-agent that used up its budget asks, or reports what it has and goes on once it may use more. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answerFrom, CHILD, LEAD, reportOf, spawn, START } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { expectAccessible } from '../support/accessible.ts';
import { expect, fullSpec, test } from '../support/test.ts';

/** A lead with one sub-agent that looks twice before it reports. */
function scriptTwoLooks(): Script {
  return new Script()
    .on(START)
    .reply([spawn({ name: 'inspector', prompt: 'Inspect the workspace.' })])
    .on({ ...CHILD, lastUser: /no tools any more/ })
    .reply([text('Half of it is read so far.')])
    .on({ ...CHILD, turn: 3 })
    .reply([text(reportOf('the workspace'))])
    .on(CHILD)
    .reply(({ turn }) => [toolUse('list_directory', { path: '.', limit: turn })])
    .on(LEAD)
    .reply((seen) => [text(answerFrom(seen))]);
}

const ONE_TURN = '[limits.run]\nmax_iterations = 1\n';
const withLimit = (settings: string) => ({
  before: async ({ home }: { home: string }) => {
    await mkdir(home, { recursive: true, mode: 0o700 });
    await writeFile(join(home, 'config.toml'), settings, { mode: 0o600 });
    return () => Promise.resolve();
  },
});

test('a run at its limit waits for the person, who extends, finishes or stops it by keyboard', async ({ start }) => {
  const app = await start(scriptTwoLooks(), withLimit(`${ONE_TURN}[permissions]\nmode = "auto"\n`));
  await app.send('Inspect this project.');
  const { page, question } = app;
  await expect(question).toHaveRole('alertdialog');
  await expect(question).toContainText('inspector reached its limit of 1 turn');
  await expect(question).not.toContainText('left');
  await expectAccessible(page, 'the question about a limit');
  const amount = question.getByLabel('Turns to add');
  await expect(amount).toHaveValue('1');
  await amount.fill('0');
  await expect(question.getByRole('button', { name: 'Extend' })).toHaveAttribute('aria-disabled', 'true');
  await amount.fill('4');
  const requests = app.model.requests.length;
  await page.keyboard.press('Control+Enter');
  await app.expectCard('inspector', 'completed');
  expect(app.model.requests.length).toBeGreaterThan(requests);

  // The lead is at its own limit of one turn now.
  await expect(question).toContainText('lead reached its limit of 1 turn');
  await expect(question.getByRole('button', { name: 'Finish now' })).toBeEnabled();
  await page.keyboard.press('Control+Backspace');
  await app.expectOutcome('budget exceeded');

  await app.send('Once more.');
  await expect(question).toContainText('inspector reached its limit of 1 turn');
  await question.getByRole('button', { name: 'Stop' }).click();
  await expect(question).toContainText('lead reached its limit of 1 turn');
  await expect(app.card('inspector').last()).toContainText('cancelled');
});

test(
  'a sub-agent that ended at its limit completes after an extension',
  fullSpec([
    'tests/lib/runs/mounted.test.ts › extends the exhausted limit by the written amount, based on the shown limits',
    'tests/core/runs/budget/extend.test.ts › an extended sub-agent that ended at its limit goes on, and its lead answers anew',
  ]),
  async ({ start }) => {
    const app = await start(
      new Script()
        .on(START)
        .reply([spawn({ name: 'inspector', prompt: 'Inspect the workspace.' })])
        .on({ ...CHILD, lastUser: /no tools any more/ })
        .reply([text('Half of it is read so far.')])
        .on({ ...CHILD, step: 1 })
        .reply([toolUse('list_directory', { path: '.' })])
        .on(CHILD)
        .reply([text(reportOf('the workspace'))])
        .on(LEAD)
        .reply((seen) => [text(answerFrom(seen))]),
    );
    await app.send('Inspect this project.');
    await app.lookAt('inspector');
    await app.unfoldForm();
    await app.field('Turns at most').fill('1');
    await app.field('Budget: tokens in all').fill('0');
    await app.question.getByRole('button', { name: 'Allow once' }).click();
    await expect(app.field('Budget: tokens in all')).toHaveAttribute('aria-invalid', 'true');
    await app.field('Budget: tokens in all').fill('900000');
    await app.allow();

    await expect(app.question).toContainText('inspector reached its limit of 1 turn');
    await app.question.getByRole('button', { name: 'Finish now' }).click();
    await app.expectCard('inspector', 'budget exceeded');
    const card = app.card('inspector');
    await expect(card).toContainText('What it had when its budget was used up');
    await expect(card).toContainText('Half of it is read so far.');
    await expect(card.locator('header')).toContainText('of 900K tokens');
    await app.expectOutcome('completed');

    await card.getByRole('button', { name: 'Extend', exact: true }).click();
    await expect(card.getByLabel('Turns to add')).toHaveValue('1');
    await card.getByLabel('Turns to add').fill('5');
    await card.getByRole('button', { name: 'Extend and go on' }).click();
    await app.expectCard('inspector', 'completed');
    await expect(card).toContainText('the workspace is in good order.');
    await expect(card.locator('header')).toContainText('attempt 2');
    await app.expectOutcome('completed');
  },
);

test(
  'a background sub-agent that exceeds its time is stopped and continues after an extension',
  fullSpec(
    'tests/core/workflows/clocks.test.ts › ends a sub-agent with its partial text as the report, and the lead continues, also after an extension',
  ),
  async ({ start }) => {
    const app = await start(
      new Script()
        .on({ ...LEAD, asked: /# Report: the workspace/ })
        .reply([text('Now all of it is there.')])
        .on({ ...LEAD, asked: /Report of the sub-agent inspector/ })
        .reply([text('Its time was up.')])
        .on({ ...LEAD, step: 1 })
        .reply([
          toolUse('spawn_agent', {
            operation: 'spawn',
            name: 'inspector',
            prompt: 'Inspect the workspace.',
            background: true,
            max_minutes: 30,
          }),
        ])
        .on(LEAD)
        .reply([text('I go on meanwhile.')])
        .on({ ...CHILD, lastUser: /raised the limit/ })
        .reply([text(reportOf('the workspace'))])
        .on(CHILD)
        .reply([text('Never all of it.')], { hangAfter: 1 }),
    );
    await app.send('Inspect this project.');
    await app.lookAt('inspector');
    await expect(app.question).toContainText('in the background');
    await expect(app.question).toContainText('30 min');
    await app.unfoldForm();
    await expect(app.field('Budget: minutes')).toHaveValue('30');
    await app.field('Budget: minutes').fill('0.01');
    await app.allow();

    await app.expectCard('inspector', 'timed out');
    const card = app.card('inspector');
    await expect(card.locator('header')).toContainText('in the background');
    await expect(card).toContainText('The limit of 0.01 minutes of work was reached');
    await expect(card.getByRole('button', { name: 'Try again' })).toHaveCount(0);
    await app.expectOutcome('completed');

    await card.getByRole('button', { name: 'Extend', exact: true }).click();
    await card.getByLabel('Minutes to add').fill('10');
    await card.getByRole('button', { name: 'Extend and go on' }).click();
    await app.expectCard('inspector', 'completed');
    await app.expectOutcome('completed');
  },
);

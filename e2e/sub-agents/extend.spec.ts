/** A sub-agent that used up its budget reports what it has, and goes on once it may use more. */
import { answerFrom, CHILD, LEAD, reportOf, spawn, START } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { expect, fullSpec, test } from '../support/test.ts';

test(
  'an extension lets a sub-agent finish',
  fullSpec([
    'tests/lib/runs/mounted.test.ts › extends the exhausted limit by the written amount, based on the shown limits',
    'tests/core/budget/extend.test.ts › a sub-agent that ended at its limit: it goes on, and its lead answers anew',
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
  'one whose time is up is stopped, and goes on with more; its lead did not wait for it',
  fullSpec(
    'tests/core/workflows/clocks.test.ts › a sub-agent whose time is up reports what it has; its lead goes on, also when it gets more',
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

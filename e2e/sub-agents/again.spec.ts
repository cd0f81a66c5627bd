/** One sub-agent again, by the keyboard: from its card, its page and the palette; asked about, compared with the first. */
import { spawnOne } from '../../tests/support/fake-model/scenarios.ts';
import { expectAccessibleInBoth } from '../support/accessible.ts';
import { expect, fullSpec, test } from '../support/test.ts';

test(
  'a sub-agent runs again after approval with identical requests, and is shown next to the first run',
  fullSpec([
    'tests/core/workflows/again/again.test.ts › starts nothing before approval, and a rejection ends the fork without a request of the lead',
    'tests/core/workflows/again/again.test.ts › repeats the requests of the first run byte for byte, then asks the lead; both runs link to each other',
    'tests/lib/app/runs-again.test.ts › finds the first run and its newest rerun from either of them',
  ]),
  async ({ start }) => {
    const app = await start(spawnOne());
    const { page } = app;
    await app.send('Inspect this project.');
    await app.allow();
    await app.expectOutcome('completed');
    const sent = (from: number) => app.model.requests.slice(from).map(({ body }) => JSON.stringify(body));
    const child = app.model.requests.filter(({ seen }) => !seen.tools.includes('spawn_agent'));
    const asked = app.model.requests.length;

    const menu = app.card('inspector').getByRole('button', { name: 'More on inspector' });
    await menu.press('Enter');
    await expect(page.getByRole('menuitem', { name: 'Run again…' })).toBeFocused();
    await page.keyboard.press('Enter');

    await expect(app.question.getByRole('heading', { level: 2 })).toHaveText('Run inspector again?');
    await expect(app.question).toContainText('You asked for this');
    await expect(app.question).toContainText('Its lead goes on with the report, which costs.');
    await expect(app.question).not.toContainText(/left|Reject|Why am I asked/);
    await expect(app.question.getByRole('button', { name: /^Ask lead/ })).toHaveCount(0);
    const prompt = app.question.getByRole('button', { name: 'What it is told: you allowed exactly this text before' });
    await prompt.click();
    await expect(app.field('What it is told')).toHaveText('Inspect the workspace and report.');
    await expectAccessibleInBoth(page, 'the question about a run again');
    await page.keyboard.press('ControlOrMeta+/');
    await expect(app.question.getByRole('textbox')).toHaveCount(0);
    expect(app.model.requests, 'nothing before a yes').toHaveLength(asked);
    await expect(app.question.getByRole('button', { name: /^Start/ })).toHaveAttribute('aria-disabled', 'false');
    await page.keyboard.press('ControlOrMeta+Enter');
    await app.expectOutcome('completed');
    // And then its lead goes on with the report.
    expect(sent(asked)).toHaveLength(child.length + 1);
    expect(sent(asked)[0] === JSON.stringify(child[0]?.body), 'byte for byte').toBe(true);
    await expect(app.question).toHaveCount(0);
    await expectAccessibleInBoth(page, 'the conversation of a run again');

    await app.card('inspector').getByRole('button', { name: 'Compare with the first' }).press('Enter');
    const beside = page.getByRole('dialog', { name: '2 reports beside each other' });
    await expect(beside.getByRole('table', { name: 'Figures' }).getByRole('row')).toHaveCount(5);
    await expect(beside).toContainText('Both had the same settings.');
    await expectAccessibleInBoth(page, 'a run beside the first');
    await page.keyboard.press('Escape');
    await expect(beside).toBeHidden();

    await app.card('inspector').getByRole('button', { name: 'More on inspector' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Open in history' }).click();
    await page.getByRole('link', { name: 'the first run' }).press('Enter');
    await expect(page.getByRole('button', { name: 'Run again…' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Compare with the rerun' })).toBeVisible();
    await expectAccessibleInBoth(page, 'the page of a run that was run again');
    await app.openPalette();
    await page.keyboard.type('run this agent again');
    await page.keyboard.press('Enter');
    await expect(app.question.getByRole('heading', { level: 2 })).toHaveText('Run inspector again?');
    const cancel = app.question.getByRole('button', { name: /^Cancel/ });
    await expect(cancel).toHaveAttribute('aria-disabled', 'false');
    await cancel.press('Enter');
    await app.expectOutcome('rejected');
    expect(app.model.requests).toHaveLength(asked + child.length + 1);
  },
);

/** A search finds words in what agents were told, said and read, and leads to the place; what was found goes to the trash, back, and away. */
import { answerFrom, CHILD, LEAD, reportOf, spawn } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import type { App } from '../support/app.ts';
import { chooseAction } from '../support/conversation-menu.ts';
import { expect, fullSpec, inFullRun, test } from '../support/test.ts';

const LONG = Array.from({ length: 60 }, (_, n) => `Paragraph ${n + 1} says nothing of interest.`).join('\n\n');

/** The conversation that is looked at is deleted and restored, then gone after a second question. */
async function deleteTwice(app: App): Promise<void> {
  const { page } = app;
  const listed = page
    .getByRole('navigation')
    .getByRole('listitem')
    .getByRole('link', { name: /^Inspect this project\./ });
  const place = app.path;

  if (inFullRun()) {
    await chooseAction(page, 'Delete conversation');
    await expect(listed).toHaveCount(0);
    await expect(app.message, 'the start page').toBeVisible();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(listed).toHaveCount(1);
  }
  await listed.hover();
  await page
    .getByRole('navigation')
    .getByRole('button', { name: /^Actions for “Inspect this project\.”/ })
    .click();
  await page.getByRole('menuitem', { name: 'Delete conversation' }).click();
  await expect(listed).toHaveCount(0);
  await page.getByRole('link', { name: 'Trash', exact: true }).click();
  const deleted = page.getByRole('list', { name: 'Deleted conversations' });
  await expect(deleted).toContainText('Inspect this project.');
  await expect(deleted).toContainText('30 days left');
  await deleted.getByRole('button', { name: 'Restore' }).click();
  await expect(deleted.getByRole('listitem')).toHaveCount(0);
  await listed.click();
  await expect(app.workflow()).toContainText('All parts are done.');

  await chooseAction(page, 'Delete conversation');
  await page.getByRole('link', { name: 'Trash', exact: true }).click();
  await deleted.getByRole('button', { name: 'Delete for good' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('This cannot be undone.');
  await question.getByRole('button', { name: 'Keep it' }).click();
  await expect(deleted.getByRole('listitem'), 'nothing happens without the second step').toHaveCount(1);
  await deleted.getByRole('button', { name: 'Delete for good' }).click();
  await question.getByRole('button', { name: 'Delete for good' }).click();
  await expect(deleted.getByRole('listitem')).toHaveCount(0);
  await page.goto(new URL(place, page.url()).href);
  await expect(page.getByRole('heading', { name: 'There is no such conversation', level: 2 })).toBeVisible();
}

test(
  'a search hit in a sub-agent opens its run at that entry; deleted conversations are restored or purged',
  fullSpec([
    'tests/core/store/search/search.test.ts › finds prompts, answers, tasks, reports and results with their kind and agent',
    'tests/lib/view/history-query.test.ts › links a hit to its entry, with the searched words',
    'tests/core/store/trash/trash.test.ts › hides a deleted conversation from all lists, and restores it unchanged',
    'tests/core/store/trash/trash.test.ts › a purge deletes every row of a conversation',
  ]),
  async ({ start }) => {
    const app = await start(
      new Script()
        .on({ ...LEAD, step: 1 })
        .reply([spawn({ name: 'inspector', prompt: 'Inspect the workspace.' })])
        .on({ ...CHILD, step: 1 })
        .reply([text(LONG), toolUse('read_file', { path: 'secret.txt' })])
        .on(CHILD)
        .reply([text(`${reportOf('the workspace')}\n\n${LONG}`)])
        .on(LEAD)
        .reply((seen) => [text(answerFrom(seen))]),
      { files: { 'secret.txt': 'The quokka sleeps in the northern hangar.\n' } },
    );
    const { page } = app;
    await app.send('Inspect this project.');
    await app.allow('inspector');
    await app.expectOutcome('completed');

    await page.getByRole('link', { name: 'History', exact: true }).click();
    await page.getByRole('searchbox', { name: 'Search' }).fill('quokka hangar');
    const hits = page.getByRole('list', { name: 'Places found' }).getByRole('link');
    await expect(hits).toHaveCount(1);
    await expect(page).toHaveURL(/\?q=quokka\+hangar$/);
    await expect(hits.locator('mark')).toHaveText(['quokka', 'hangar']);
    await expect(hits).toContainText('inspector');
    await expect(hits).toContainText('tool result');

    await hits.click();
    const run = page.getByRole('list', { name: 'Runs' }).getByRole('button', { name: /inspector/ });
    await expect(run).toHaveAttribute('aria-current', 'true');
    const place = page.getByRole('tabpanel').getByText('The quokka sleeps in the northern hangar.');
    await expect(place, 'unfolded and scrolled to').toBeInViewport();
    const marked = await page.evaluate(() => CSS.highlights.get('found')?.size ?? 0);
    expect(marked).toBeGreaterThanOrEqual(2);
    const moved = await page.evaluate(() => document.body.scrollTop + document.body.scrollHeight - window.innerHeight);
    expect(moved, 'the window stands still').toBeLessThanOrEqual(0);

    await page.keyboard.press('Escape');
    await expect(page).toHaveURL(/\?q=quokka\+hangar$/);
    await expect(hits).toHaveCount(1);
    await page.getByRole('searchbox', { name: 'Search' }).fill('summary');
    await expect(hits, 'only where it was written').toHaveCount(1);
    await expect(hits).toContainText('Report: the workspace  Summary  the workspace is in good order.');
    await expect(hits.locator('mark')).toHaveText(['Summary']);
    await page.getByRole('searchbox', { name: 'Search' }).fill('nowhere to be found');
    await expect(page.getByText(/^Nothing was found\./)).toBeVisible();
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await expect(page.getByRole('list', { name: 'Workflows' }).getByRole('link')).toHaveCount(1);

    await page
      .getByRole('navigation')
      .getByRole('link', { name: /^Inspect this project\./ })
      .click();
    await app.expectOutcome('completed');
    await deleteTwice(app);
  },
);

test(
  'a search in a conversation also finds text in messages that are not displayed',
  fullSpec('tests/lib/chat/places.test.ts › searches the rendered text of the person and the lead'),
  async ({ start }) => {
    const script = new Script().on({}).reply((seen) => [text(`Answer to ${seen.asked}.\n\n${LONG}`)]);
    const app = await start(script);
    const { page } = app;
    for (const message of ['the zebra first', 'a second one', 'the third']) {
      await app.send(message);
      await app.expectOutcome('completed');
    }
    await expect(page.getByText('Answer to the zebra first.')).toBeHidden();
    await page.keyboard.press('Control+f');
    await page.getByRole('textbox', { name: 'Find in this conversation' }).fill('zebra');
    await expect(page.getByText('message 1 of 1')).toBeVisible();
    await expect(page.getByText('Answer to the zebra first.')).toBeInViewport();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('textbox', { name: 'Find in this conversation' })).toBeHidden();
    await app.button('Jump to latest').click();
    await expect(app.footer()).toBeInViewport();
  },
);

/** The screens of looking up, finding and deleting against the rules of axe, light and dark. */
import { CHILD, LEAD, spawn, START } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { expectAccessibleInBoth, SAME_PAGE } from '../support/accessible.ts';
import { addFilter } from '../support/history.ts';
import { expect, fullSpec, test } from '../support/test.ts';
import { openActions } from '../support/conversation-menu.ts';

const ITEMS = [
  { content: 'Look', status: 'completed', priority: 'high' },
  { content: 'Write', status: 'pending', priority: 'high' },
];

function planned(): Script {
  return new Script()
    .on(START)
    .reply([toolUse('todo_write', { items: ITEMS }), spawn({ name: 'inspector', prompt: 'Inspect.' })])
    .on({ ...CHILD, lastUser: /no tools any more/ })
    .reply([text('Half of it is read.')])
    .on(CHILD)
    .reply([toolUse('list_directory', { path: '.' })])
    .on(LEAD)
    .reply([text('The lines of this project are read.')]);
}

test(
  'the history pages pass the accessibility checks in light and dark',
  fullSpec(
    'e2e/sub-agents/spawn.spec.ts › a sub-agent starts only after approval, is visible in chat and history, and passes accessibility checks',
    { tag: '@browser', annotation: SAME_PAGE },
  ),
  async ({ start }) => {
    // Each look at a screen takes seconds on a busy machine.
    test.slow();
    const app = await start(planned());
    const { page } = app;
    await app.send('Read the lines.');
    await app.lookAt('inspector');
    await app.unfoldForm();
    await app.field('Turns at most').fill('1');
    await app.allow();
    await app.question.getByRole('button', { name: 'Finish now' }).click();
    await app.expectOutcome('completed');
    await app.card('inspector').getByRole('button', { name: 'Extend', exact: true }).click();
    await page.getByRole('region', { name: 'Plan' }).last().getByRole('button').click();
    await page.keyboard.press('Control+f');
    await page.getByRole('textbox', { name: 'Find in this conversation' }).fill('lines');
    await expectAccessibleInBoth(page, 'chat with a plan, an extension and a search');
    await page.keyboard.press('Escape');

    await page.getByRole('link', { name: 'History', exact: true }).click();
    await addFilter(page, 'Outcome', 'completed');
    await expect(page.getByRole('list', { name: 'Filters that are set' })).toBeVisible();
    await expectAccessibleInBoth(page, 'history with filters');
    await page.getByRole('searchbox', { name: 'Search' }).fill('lines');
    const hit = page.getByRole('list', { name: 'Places found' }).getByRole('link').first();
    await expect(hit).toBeVisible();
    await expectAccessibleInBoth(page, 'places found');
    await hit.click();
    await expect(page.getByRole('list', { name: 'Runs' })).toBeVisible();
    await expectAccessibleInBoth(page, 'a place');

    await openActions(page);
    await expect(page.getByRole('menu')).toBeVisible();
    await expectAccessibleInBoth(page, 'menu of a conversation');
    await page.getByRole('menuitem', { name: 'Delete conversation' }).click();
    await page.getByRole('link', { name: 'Trash', exact: true }).click();
    await expect(page.getByRole('button', { name: 'Restore' })).toBeVisible();
    await expectAccessibleInBoth(page, 'trash');
    await page.getByRole('button', { name: 'Delete for good' }).click();
    await expect(page.getByRole('alertdialog')).toBeVisible();
    await expectAccessibleInBoth(page, 'the last question before something is gone');
  },
);

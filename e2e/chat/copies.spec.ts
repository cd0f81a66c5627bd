/** What an agent said, what it reported, and where something stands is copied where it is read. */
import { spawn } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { expectAlsoAccessible } from '../support/accessible.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const REPORT = '# Report\n\nFound `README.md`.';
const SAID = 'I look at the **files** first.';

test(
  'text between calls, a report, and links to a message, a conversation and a workflow can be copied',
  fullSpec([
    'tests/lib/history/replay/nothing-to-press.server.test.ts › offers to copy the text of an agent before a call, and the report of a sub-agent',
    'tests/lib/chat/turn-actions.server.test.ts › copies the address of the page in a browser, and a link of the app on the desktop',
  ]),
  async ({ start }) => {
    const script = new Script()
      .on({ leads: false })
      .reply([text(REPORT)])
      .on({ step: 1 })
      .reply([text(SAID), toolUse('glob', { pattern: '*.md' }), spawn({ name: 'looker', prompt: 'Find it.' })])
      .on({})
      .reply([text('There is one file.')]);
    const app = await start(script);
    const { page } = app;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    await app.send('Look at the files');
    await app.allow();
    await app.expectOutcome('completed');
    const said = page.getByRole('button', { name: 'Copy: what it said, “I look at the **files** first.”' });
    await said.focus();
    await said.press('Enter');
    await expect.poll(clipboard).toBe(SAID);
    await expect(page.getByRole('button', { name: /what it said, “There is/ }), 'the answer has its own').toHaveCount(
      0,
    );
    await page.getByRole('button', { name: 'Copy: report of looker' }).click();
    await expect.poll(clipboard).toBe(REPORT);
    await expectAlsoAccessible(page, 'what can be copied of work');

    const place = new URL(page.url());
    const onDesktop = await page.evaluate(() => 'triad' in window);
    const conversation = onDesktop ? `triad://conversation/${place.pathname.split('/').at(-1)}` : place.href;
    await page.getByRole('button', { name: 'Actions for “Look at the files”' }).last().click();
    await page.getByRole('menuitem', { name: 'Copy link to the conversation' }).click();
    await expect.poll(clipboard).toBe(conversation);
    await app
      .workflow()
      .getByRole('toolbar', { name: /^Your message: Look/ })
      .getByRole('button', { name: 'Copy link' })
      .click();
    await expect
      .poll(clipboard)
      .toMatch(onDesktop ? /^triad:\/\/workflow\/[0-9a-f-]{36}$/ : /\/history\/[0-9a-f-]{36}$/);
    const link = await clipboard();
    await app.goto(`/history/${link.split('/').at(-1)}`);
    await expect(page.getByRole('main').getByRole('heading', { name: 'Look at the files' })).toBeVisible();
    await page.evaluate(() => navigator.clipboard.writeText(''));
    await page.getByRole('main').getByRole('button', { name: 'Actions for “Look at the files”' }).click();
    await page.getByRole('menuitem', { name: 'Copy link to this workflow' }).click();
    await expect.poll(clipboard).toBe(link);
  },
);

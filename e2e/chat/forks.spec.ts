/** Going on from a message elsewhere, by the keyboard: forked, edited, sent again; what was done is folded, and found. */
import { CHILD, LEAD, spawn } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { expectAccessibleInBoth } from '../support/accessible.ts';
import { expect, fullSpec, test } from '../support/test.ts';

function script(): Script {
  return new Script()
    .on({ asked: /^Look/, step: 1 })
    .reply([
      text('I look around.'),
      toolUse('read_file', { path: 'README.md' }),
      toolUse('list_directory', { path: '.' }),
      toolUse('grep', { pattern: 'sum' }),
    ])
    .on({ asked: /^Look/, step: 2 })
    .reply([toolUse('write_file', { path: 'found.md', content: 'Two sums.\n' })])
    .on({})
    .reply([text('There are **two** sums.')]);
}

test(
  'an edited message is sent in a fork, and both conversations link to each other',
  fullSpec([
    'tests/lib/app/forks.test.ts › resends a message with its pictures to a fork that ends before it',
    'tests/core/workflows/fork.test.ts › copied work is not counted, listed or found twice, and the fork survives a purge of the first conversation',
    'tests/core/workflows/fork.test.ts › copies the messages before a fork, and the message itself if the fork is after it',
    'tests/lib/chat/turn-actions.server.test.ts › offers to copy, edit, fork and retry at a message and its answer',
  ]),
  async ({ start }) => {
    const app = await start(script());
    const { page } = app;
    await app.send('Look for sums.');
    await app.allow();
    await app.expectOutcome('completed');

    const folded = app.workflow().getByRole('button', { name: 'Looked at 1 file, listed 1 folder, searched once' });
    await expect(app.call('grep')).toHaveCount(0);
    await expect(app.workflow().getByLabel('Changes', { exact: true }), 'what a yes has changed stays').toContainText(
      '+ Two sums.',
    );
    await expect(app.workflow().getByRole('button', { name: 'Undo', exact: true })).toBeVisible();
    await folded.press('Enter');
    await app.call('grep').press('Enter');
    await expect(app.workflow().getByRole('table', { name: 'Matches' })).toBeVisible();
    await folded.press('Enter');
    await expect(app.call('grep')).toHaveCount(0);
    await page.keyboard.press('ControlOrMeta+f');
    await page.keyboard.type('README.md');
    await expect(app.call('read_file'), 'what is looked for opens').toBeVisible();
    await page.keyboard.press('Escape');
    await expectAccessibleInBoth(page, 'folded calls and changes that stay');

    const own = app.workflow().getByRole('toolbar', { name: /^Your message: Look/ });
    await own.getByRole('button', { name: 'Copy', exact: true }).focus();
    await page.keyboard.press('ArrowRight');
    await expect(own.getByRole('button', { name: 'Edit and resend' })).toBeFocused();
    await page.keyboard.press('Enter');
    const box = app.workflow().getByRole('textbox', { name: 'Edit your message' });
    await expect(box).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(own.getByRole('button', { name: 'Edit and resend' }), 'where it came from').toBeFocused();
    await page.keyboard.press('Enter');
    await expectAccessibleInBoth(page, 'a message that is edited');
    await box.fill('Say it in a word.');
    await box.press('Enter');
    await expect(page).not.toHaveURL(/new/);
    await expect(app.workflow().getByText('Say it in a word.', { exact: true })).toBeVisible();
    await app.expectOutcome('completed');
    await expect(app.log).toContainText('It begins before the first message there; the fork changed no file.');
    await app.log.getByRole('link', { name: 'Look for sums.' }).press('Enter');
    await expect(app.workflow()).toContainText('Forked before this');

    await app
      .workflow()
      .getByRole('toolbar', { name: /^The answer/ })
      .getByRole('button', { name: 'Fork from here' })
      .press('Enter');
    await expect(app.log).toContainText('Up to here it is a copy; the fork changed no file.');
    await expect(app.workflow()).toContainText('Changed in the conversation that this was forked from');
    await expect(app.workflow().getByRole('button', { name: 'Undo', exact: true })).toHaveCount(0);
    await expectAccessibleInBoth(page, 'a fork');
    await app.send('And now?');
    await app.expectOutcome('completed');
    expect(JSON.stringify(app.model.requests.at(-1)?.body.messages)).toMatch(
      /Look for sums[^]*two\*\* sums[^]*And now/,
    );

    await app
      .workflow(0)
      .getByRole('toolbar', { name: /^Your message/ })
      .getByRole('button', { name: 'Fork from here' })
      .press('Enter');
    await expect(app.message).toHaveValue('Look for sums.');
  },
);

test(
  'Retry sends a message again in a fork',
  fullSpec([
    'tests/lib/chat/turn-actions.server.test.ts › forks after the newest answer and sends its message again by command',
    'tests/lib/app/forks.test.ts › resends a message with its pictures to a fork that ends before it',
  ]),
  async ({ start }) => {
    const app = await start(
      new Script()
        .on({})
        .reply([text('Once.')], { times: 1 })
        .on({})
        .reply([text('Twice.')]),
    );
    await app.send('Try.');
    await app.expectOutcome('completed');
    const answer = app.workflow().getByRole('toolbar', { name: /^The answer/ });
    await answer.getByRole('button', { name: 'Retry' }).press('Enter');
    await expect(app.workflow()).toContainText('Twice.');
    await app.expectOutcome('completed');
    await expect(app.log).not.toContainText('Once.');
  },
);

test(
  'a message, its answer as plain text or Markdown, and a code block can be copied',
  fullSpec([
    'tests/lib/chat/turn-actions.server.test.ts › offers to copy, edit, fork and retry at a message and its answer',
    'tests/lib/chat/turn-actions.server.test.ts › shows the success or the failure of a copy',
    'tests/lib/ui/markdown/plain.test.ts › plainOf removes the Markdown marks of %j',
  ]),
  async ({ start }) => {
    const code = 'export const sum = (a, b) => a + b;';
    const markdown = `There are **two** sums.\n\n\`\`\`js\n${code}\n\`\`\``;
    const app = await start(new Script().on({}).reply([text(markdown)]), { ownContext: true });
    const { page } = app;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await app.send('How *many* sums?');
    await app.expectOutcome('completed');
    const expectCopied = async (words: string): Promise<void> => {
      await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(words);
      await expect(page.getByText('Copied', { exact: true }).first()).toBeVisible();
    };
    const own = app.workflow().getByRole('toolbar', { name: /^Your message/ });
    const answer = app.workflow().getByRole('toolbar', { name: /^The answer/ });
    await own.getByRole('button', { name: 'Copy', exact: true }).press('Enter');
    await expectCopied('How *many* sums?');
    await answer.getByRole('button', { name: 'Copy as Markdown' }).press('Enter');
    await expectCopied(markdown);
    await answer.getByRole('button', { name: 'Copy', exact: true }).press('Enter');
    await expectCopied(`There are two sums.\n\n${code}`);
    const head = app.workflow().getByText('js', { exact: true }).locator('..');
    await head.getByRole('button', { name: 'Copy', exact: true }).press('Enter');
    await expectCopied(code);
  },
);

test(
  'a fork shows the cards and reports of copied sub-agents without any action on them',
  fullSpec([
    'tests/core/host/records/origin-runs.test.ts › a fork, and a fork of a fork, show the sub-agents of the origin below their own lead, at no cost',
    'tests/lib/history/replay/nothing-to-press.server.test.ts › offers no actions on the cards of sub-agents that a fork copied',
  ]),
  async ({ start }) => {
    const app = await start(
      new Script()
        .on({ ...CHILD, asked: /cellar/ })
        .reply([], { status: 400, error: { type: 'invalid_request_error', message: 'the prompt is too odd' } })
        .on({ ...CHILD, step: 1 })
        .reply([text('I look.'), toolUse('write_file', { path: 'attic.md', content: 'Dust.\n' })])
        .on(CHILD)
        .reply([text('# Report\n\nThere is dust in the attic.')])
        .on({ ...LEAD, step: 1 })
        .reply(
          ['attic', 'cellar'].map((name) => spawn({ name, prompt: `Look into the ${name}.`, tools: ['write_file'] })),
        )
        .on({})
        .reply([text('Dust, at least.')]),
    );
    const { page } = app;
    await app.send('Look everywhere.');
    for (const name of ['attic', 'cellar']) await app.allow(name);
    await app.allow();
    await app.expectOutcome('completed');
    await expect(app.card('cellar').getByRole('button', { name: 'Try again' })).toBeVisible();
    await app
      .workflow()
      .getByRole('toolbar', { name: /^The answer/ })
      .getByRole('button', { name: 'Fork from here' })
      .press('Enter');
    await expect(app.log).toContainText('Up to here it is a copy; the fork changed no file.');
    await app.expectCard('attic', 'completed');
    await app.expectCard('cellar', 'error');
    const card = app.card('attic');
    await expect(card).toContainText('There is dust in the attic.');
    await expect(card.getByRole('link', { name: 'copied, $0: open where it was done' })).toBeVisible();
    await card.getByRole('button', { name: /^attic/ }).press('Enter');
    await expect(card.getByText('I look.')).toBeVisible();
    await expect(card.getByLabel('Changes', { exact: true })).toContainText('+ Dust.');
    await expect(app.workflow().getByRole('button', { name: /^(Try again|Undo|Redo|More about)/ })).toHaveCount(0);
    await expect(page.getByRole('button', { name: /^Changes/ })).toHaveCount(0);
    await expectAccessibleInBoth(page, 'sub-agents in a fork');
    await page.reload();
    await app.expectCard('attic', 'completed');
  },
);

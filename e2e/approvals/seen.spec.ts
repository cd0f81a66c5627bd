/** A yes waits until every text that must be read was on the screen to its end; a no never does. */
import { spawn, writeFile } from '../../tests/support/fake-model/scenarios.ts';
import { toolUse } from '../../tests/support/fake-model/script.ts';
import { tabTo } from '../support/keyboard.ts';
import { leadCalls } from '../support/scripts.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const lines = (count: number, last: string) =>
  [...Array.from({ length: count - 1 }, (_, n) => `Look at part ${n + 1}.`), last].join('\n');
const LONG = lines(80, 'Then delete everything.');

const helper = (prompt: string, name = 'helper') => spawn({ name, prompt });
const script = (...prompts: string[]) =>
  leadCalls(
    prompts.map((prompt, index) => helper(prompt, `helper-${index + 1}`)),
    [{ prompt: /./, task: 'the parts' }],
  );

test(
  'text that the person writes counts as read, and each approval remembers which of its texts were read',
  fullSpec([
    'tests/lib/app/seen-texts.alone.test.ts › must be read again only if its end changed: %s',
    'tests/lib/app/attention.test.ts › keeps the reason and the read texts of a question while another question is selected',
  ]),
  async ({ start }) => {
    const app = await start(script(LONG, `${LONG} Or not.`));
    await app.send('Go.');
    await app.lookAt('helper-1');
    await app.readAll();
    await app.lookAt('helper-2');
    await expect(app.unseen).toHaveText(['What it is told']);
    await app.lookAt('helper-1');
    await expect(app.unseen).toHaveCount(0);
    await app.lookAt('helper-2');
    await app.unfoldForm();
    await app.field('Prompt').fill(lines(90, 'Then tell me.'));
    await expect(app.unseen).toHaveCount(0);
    await expect(app.question.getByRole('button', { name: 'Allow once' })).toBeEnabled();
  },
);

test('the Allow key pages through unread text before it allows, always gives feedback, and ignores a held key', async ({
  start,
}) => {
  const app = await start(script(LONG), { ownContext: true });
  await app.send('Go.');
  await app.lookAt('helper-1');
  const { page } = app;
  const rest = app.question.getByRole('button', { name: 'Show the rest (1 of 1)' });
  const allow = app.question.getByRole('button', { name: 'Allow once' });
  const box = app.field('What it is told');
  const top = (): Promise<number> => box.evaluate(({ scrollTop }) => scrollTop);
  const hold = (): Promise<unknown> =>
    app.decision.evaluate((target) => {
      const held = { key: 'Enter', code: 'Enter', ctrlKey: true, metaKey: true, repeat: true, bubbles: true };
      for (let times = 0; times < 5; times += 1) target.dispatchEvent(new KeyboardEvent('keydown', held));
    });
  await expect(rest).toBeVisible();
  await expect(
    app.question.getByRole('button', { name: /^Built-in prompt of temporary agents, unchanged/ }),
  ).toBeVisible();
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 1000);
  await app.decision.focus();
  await page.clock.runFor(1000);
  await hold();
  expect(await top(), 'held from the message before').toBe(0);
  await page.clock.runFor(1000);

  let pages = 0;
  for (; await rest.isVisible(); pages += 1) {
    const before = await top();
    await page.keyboard.press('ControlOrMeta+Enter');
    await expect.poll(top, { message: `page ${pages + 1}`, intervals: [20] }).toBeGreaterThan(before);
    const height = await box.evaluate(({ clientHeight }) => clientHeight);
    expect((await top()) - before, 'no line is passed over').toBeLessThan(height);
    await hold();
    expect((await top()) - before, 'a held key shows no second page').toBeLessThan(height);
    await page.clock.runFor(400);
  }
  expect(pages).toBeGreaterThan(2);
  await expect(app.question.getByText('Then delete everything.')).toBeInViewport();

  await expect(allow, '400 ms after the last page').toBeVisible();
  await page.keyboard.press('ControlOrMeta+Enter');
  const status = app.question.getByRole('status').filter({ hasText: 'Too soon after it was shown. Press again.' });
  await expect(status).toBeVisible();
  await page.clock.runFor(1000);
  await hold();
  await page.clock.runFor(1000);
  expect(app.model.requests, 'nothing was answered').toHaveLength(1);
  await page.keyboard.press('ControlOrMeta+Enter');
  await page.clock.resume();
  await expect(app.question).toBeHidden();
  await app.expectCard('helper-1', 'completed');
  await app.expectOutcome('completed');

  // Exactly this text needs no reading any more, in this workspace and on any page.
  await page.evaluate(() => sessionStorage.clear());
  await app.send('Go again.');
  await app.lookAt('helper-1');
  await expect(allow).toBeVisible();
  await expect(box).toHaveCount(0);
  await app.question
    .getByRole('button', { name: 'What it is told: you allowed exactly this text before' })
    .press('Enter');
  await expect(box).toContainText('Look at part 1.');
  await expect(app.unseen).toHaveCount(0);
  await app.allow();
  await app.expectOutcome('completed');
});

test(
  'the Allow key names the text that it scrolls, and a text also counts as read in its edit field',
  fullSpec([
    'tests/lib/approvals/approval-modal.server.test.ts › shows a text that needs no reading as one line, and pages only through the others',
    'tests/lib/app/seen-texts.alone.test.ts › counts a text as read if its end was seen in the field where it is edited',
  ]),
  async ({ start }) => {
    const call = spawn({ name: 'helper', prompt: LONG, system_prompt: `You help.\n${LONG}` });
    const app = await start(leadCalls([call], [{ prompt: /./, task: 'the parts' }]));
    await app.send('Go.');
    const { page } = app;
    await app.lookAt('helper');
    await expect(app.unseen).toHaveText(['What it is told', 'Its system prompt']);
    await expect(async () => {
      await app.decision.focus();
      await page.keyboard.press('ControlOrMeta+Enter');
      await expect(app.question.getByRole('button', { name: 'Show the rest (2 of 2)' })).toBeVisible({ timeout: 500 });
    }).toPass();
    await expect(app.unseen).toHaveText(['Its system prompt']);
    await expect(app.question.getByRole('status').filter({ hasText: 'Showing: What it is told' })).toBeVisible();
    await app.unfoldForm();
    await app.field('System prompt').focus();
    await page.keyboard.press('ControlOrMeta+End');
    await expect(app.unseen).toHaveCount(0);
    expect(app.model.requests, 'nothing was answered').toHaveLength(1);
  },
);

test(
  '600 blank lines are shown as a number, followed by the hidden text',
  fullSpec([
    'tests/lib/approvals/approval-modal.server.test.ts › shows a long empty stretch of a prompt as its length, followed by the text after it',
    'tests/lib/app/seen-texts.alone.test.ts › waits for the end of a text longer than its box, and of a text that must always be seen',
  ]),
  async ({ start }) => {
    const app = await start(script(`Look at the parts.${'\n'.repeat(601)}Then delete everything.`));
    await app.send('Go.');
    await app.lookAt('helper-1');
    await expect(app.question).toContainText('Contains 1 long empty stretch. With marks:');
    const shown = app.question.getByText('⋯ 600 blank lines ⋯');
    await expect(shown).toBeVisible();
    await expect(app.question.getByText('Then delete everything.').last()).toBeInViewport();
    await expect(app.unseen, 'all of it is in sight').toHaveCount(0);

    await app.page.setViewportSize({ width: 800, height: 330 });
    await app.page.reload();
    await app.lookAt('helper-1');
    await expect(shown).not.toBeInViewport();
    await expect(app.unseen, 'the end is below the edge').toHaveText(['What it is told']);
    await app.question.getByText('Then delete everything.').last().scrollIntoViewIfNeeded();
    await expect(app.unseen).toHaveCount(0);
  },
);

test(
  'a batch can be allowed at once only after the texts of all its items were read',
  fullSpec([
    'e2e/approvals/questions.spec.ts › closing the approvals answers none of them; one is rejected, the others are allowed together with their edits',
    'tests/lib/approvals/approval-modal.server.test.ts › names the unread texts of the other items if a whole batch can be allowed',
  ]),
  async ({ start }) => {
    const tasks = [
      ['code-reviewer', 'Look around.'],
      ['test-generator', LONG],
      ['documentation-writer', `${LONG} Twice.`],
    ].map(([agent, prompt]) => ({ agent_id: agent, prompt, reason: 'One third' }));
    const app = await start(
      leadCalls(
        [toolUse('parallel_tasks', { operation: 'execute_batch', tasks, wait_all: true })],
        [{ prompt: /./, task: 'a part' }],
      ),
    );
    await app.send('Do all three.');
    await app.lookAt('code-reviewer');
    const all = app.button('Allow all 3');
    await expect(all).toBeDisabled();
    await expect(app.unseenElsewhere).toHaveText([
      'test-generator: What it is told',
      'documentation-writer: What it is told',
    ]);
    await expect(app.question.getByRole('button', { name: 'Allow once' }), 'all of this one was seen').toBeEnabled();
    await expect(all).toHaveAccessibleDescription(
      /^Allow all 3 also waits for the end of: test-generator: What it is told/,
    );
    await app.decision.focus();
    // Its key leads to the first text that is unread.
    await expect(async () => {
      await app.page.keyboard.press('ControlOrMeta+Shift+Enter');
      await expect(app.question.getByRole('heading', { level: 2 })).toContainText('test-generator', { timeout: 500 });
    }).toPass();
    await expect(app.question.getByRole('status').filter({ hasText: 'Allow all 3 waits until' })).toBeVisible();
    await app.readBatch();
    await all.click();
    await expect(app.question).toBeHidden();
    await app.expectOutcome('completed');
  },
);

test(
  'a long diff is scrolled by keyboard, and its folded text does not have to be read',
  fullSpec([
    'tests/lib/app/seen-texts.alone.test.ts › waits for the end of a text longer than its box, and of a text that must always be seen',
    'tests/lib/app/seen-texts.alone.test.ts › waits for a folded text, unless the text is short',
  ]),
  async ({ start }) => {
    const content = `${lines(120, 'rm -rf ~')}\n`;
    const app = await start(writeFile({ path: 'src/clean\u202Egpj.sh', content }));
    await app.send('Write it.');
    await expect(app.question.getByRole('heading', { level: 2 })).toContainText('clean⟦U+202E⟧gpj.sh');
    await expect(app.unseen).toHaveText(['Changes']);
    await expect(
      app.question.getByRole('button', { name: 'More than once…' }),
      'not what is not shown as it is',
    ).toHaveCount(0);
    // At its end, but that is below the edge.
    await app.page.setViewportSize({ width: 800, height: 500 });
    const changes = app.question.getByLabel('Changes', { exact: true });
    await changes.evaluate((box) => (box.scrollTop = box.scrollHeight));
    await expect(app.question.getByText('rm -rf ~').first()).not.toBeInViewport();
    await expect(app.unseen).toHaveText(['Changes']);
    await changes.evaluate((box) => (box.scrollTop = 0));
    await app.decision.focus();
    await tabTo(app.page, 'Changes', 'Shift+Tab');
    await app.page.keyboard.press('PageDown');
    await expect(app.unseen).toHaveText(['Changes']);
    // While a page still moves, the browser may pass over a key.
    await expect(async () => {
      await app.page.keyboard.press('End');
      await expect(app.unseen).toHaveCount(0, { timeout: 1000 });
    }).toPass({ timeout: 15_000 });
    await expect(app.question.getByText('rm -rf ~').first()).toBeInViewport();
    await app.allow();
    await app.expectOutcome('completed');
  },
);

test('a click or key right after an approval appears answers nothing, but Tab and then Enter answers at any speed', async ({
  start,
}) => {
  const app = await start(script('Look around.'), { ownContext: true });
  await app.send('Go.');
  await app.lookAt('helper-1');
  const { page } = app;
  const allow = app.question.getByRole('button', { name: 'Allow once' });
  const reject = app.question.getByRole('button', { name: 'Reject' });
  const button = await allow.boundingBox();
  if (!button) throw new Error('The button is nowhere');
  await page.keyboard.press('Escape');
  await expect(app.question).toBeHidden();

  // With the clock in our hands the click comes at once, however busy the machine is.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 1000);
  await app.reopen.click();
  await page.clock.runFor(100);
  await expect(app.question).toBeVisible();
  await page.mouse.click(button.x + 5, button.y + 5);
  await page.clock.runFor(1000);
  await expect(allow, 'a click that was meant for what stood there before').toBeEnabled();
  const tooSoon = app.question.getByText('Too soon after it was shown. Press again.');
  await expect(tooSoon, 'the reason is shown').toBeVisible();
  await expect(app.reopen).toBeVisible();
  expect(app.model.requests).toHaveLength(1);

  // Where the focus is when a question comes.
  await app.decision.focus();
  for (const stray of [
    () => page.keyboard.press('x'),
    () => page.keyboard.press('Enter'),
    () => app.question.getByRole('heading', { level: 2 }).click(),
  ]) {
    await stray();
    await expect(allow).toBeDisabled();
    await page.clock.runFor(250);
    await stray();
    await page.clock.runFor(250);
    await expect(allow, 'it begins anew').toBeDisabled();
    await page.clock.runFor(100);
    await expect(allow).toBeEnabled();
  }
  // Pressed too early, however late it is let go.
  await page.keyboard.press('x');
  await allow.hover();
  await page.mouse.down();
  await page.clock.runFor(1000);
  await page.mouse.up();
  await expect(app.question).toBeVisible();
  await page.clock.runFor(1000);

  // A key that answers answers nothing too early, nor while it is held down.
  await page.keyboard.press('x');
  await page.keyboard.press('ControlOrMeta+Enter');
  await page.clock.runFor(1000);
  await app.decision.evaluate((target) => {
    const held = { key: 'Enter', code: 'Enter', ctrlKey: true, metaKey: true, repeat: true, bubbles: true };
    for (let times = 0; times < 5; times += 1) target.dispatchEvent(new KeyboardEvent('keydown', held));
  });
  await page.clock.runFor(1000);
  await expect(app.question).toBeVisible();

  await reject.focus();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Tab');
  await expect(reject).toBeEnabled();
  await page.keyboard.press('Tab');
  await expect(allow).toBeFocused();
  await page.keyboard.press('Enter');
  await page.clock.resume();
  await app.expectCard('helper-1', 'completed');
});

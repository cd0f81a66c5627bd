/** What was pressed and vanishes hands its focus to what takes its place: the page never has it. */
import type { Locator, Page } from '@playwright/test';
import { answerFrom, CHILD, LEAD, reportOf, spawn, START } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const ODD = { status: 400, error: { type: 'invalid_request_error', message: 'the prompt is too odd' } };

const where = (page: Page) =>
  page.evaluate(() => {
    const at = document.activeElement;
    if (!at || at === document.body) return 'nowhere';
    return `${at.tagName} ${at.getAttribute('role') ?? ''} ${at.getAttribute('aria-label') ?? at.textContent.trim().slice(0, 60)}`;
  });

/** What is asked, written in or has the focus, and lies below a short message; null while there is none. */
const covered = (page: Page) =>
  page.evaluate(() => {
    const messages = [...document.querySelectorAll('[data-sonner-toast]')].map((one) => one.getBoundingClientRect());
    if (messages.length === 0) return null;
    return [
      ...document.querySelectorAll('[data-uncovered] :is(a, button, textarea), :is(a, button, input, select):focus'),
    ]
      .filter((one) => {
        const { left, right, top, bottom } = one.getBoundingClientRect();
        const isUnder = (box: DOMRect) => left < box.right && right > box.left && top < box.bottom && bottom > box.top;
        // What is scrolled out of sight is pressed by nobody.
        return (
          messages.some(isUnder) && document.elementsFromPoint((left + right) / 2, (top + bottom) / 2).includes(one)
        );
      })
      .map((one) => one.textContent.trim());
  });

/** Presses it by key and waits until it is gone, or says something else. */
async function press(page: Page, control: Locator, gone = true): Promise<string> {
  // A question takes no answer while it has just come.
  await expect(control).not.toHaveAttribute('aria-disabled', 'true');
  await control.focus();
  await page.keyboard.press('Enter');
  if (gone) await expect(control).toBeHidden();
  await expect.poll(() => where(page)).not.toBe('nowhere');
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  // What comes later may take it once more, and hands it on in the next frame.
  await expect.poll(() => where(page)).not.toBe('nowhere');
  return where(page);
}

test(
  'the focus is never lost when a press removes the pressed control',
  fullSpec(
    'e2e/chat/changes.spec.ts › changes of one agent are undone after a list of conflicts, and redone; the commit dialog lists its programs',
  ),
  async ({ start }) => {
    const script = new Script()
      .on({ ...LEAD, asked: /^Write/, step: 1 })
      .reply([toolUse('write_file', { path: 'docs/a.md', content: 'Text.\n' })])
      .on({ ...LEAD, asked: /^Write/ })
      .reply([text('Written.')])
      .on(START)
      .reply([spawn({ name: 'inspector', prompt: 'Inspect the workspace.' })])
      .on({ ...CHILD, step: 1 })
      .reply([], { ...ODD, times: 1 })
      .on(CHILD)
      .reply([text(reportOf('the workspace'))])
      .on(LEAD)
      .reply((seen) => [text(answerFrom(seen))]);
    const app = await start(script);
    const { page } = app;
    await app.send('Inspect this project.');
    await app.readAll();
    await press(page, app.button('Allow once'));
    await app.expectCard('inspector', 'error');
    await app.expectOutcome('completed');
    await press(page, app.card('inspector').getByRole('button', { name: 'Try again' }));
    await app.expectOutcome('completed');

    await app.send('Write it.');
    await app.question.getByRole('button', { name: 'More than once…' }).click();
    await app.question.getByRole('radio', { name: 'this project, always' }).click();
    await press(page, app.question.getByRole('button', { name: 'Always allow for this project' }));
    await app.expectOutcome('completed');
    expect(await press(page, app.log.getByRole('button', { name: 'Undo', exact: true }))).toMatch(/^BUTTON.*Redo/);
    await press(page, app.log.getByRole('button', { name: 'Redo', exact: true }));
    await app.workflow(0).hover();
    await press(page, app.workflow(0).getByRole('button', { name: 'Edit and resend' }));
    await press(page, app.button('Cancel'));

    const messages = page.locator('[data-sonner-toast]');
    await expect(messages).toHaveCount(0);
    for (const count of [1, 2]) {
      await app.workflow().getByRole('button', { name: 'Copy', exact: true }).last().press('Enter');
      await expect(messages).toHaveCount(count);
      // Their time does not run meanwhile.
      await messages.first().hover();
    }
    await messages.first().click();
    await expect(messages, 'a press takes that one away').toHaveCount(1);
    await messages.first().click();
    await expect(messages).toHaveCount(0);

    await press(page, app.workflow().getByRole('link', { name: 'Open in history' }));
    await press(page, page.getByRole('tab', { name: /^Approvals/ }), false);
    await press(page, page.getByRole('tabpanel').getByRole('link', { name: 'See the grant, or revoke it' }));
    await page.setViewportSize({ width: 800, height: 600 });
    expect(await press(page, page.getByRole('button', { name: /^Revoke/ }))).toMatch(/^SECTION.*Grants/);
    await expect.poll(() => covered(page), 'the message that it was revoked covers nothing').toEqual([]);
    const message = messages.first();
    // Its time does not run meanwhile.
    await message.hover();
    await message.evaluate((shown) => {
      const { left, top } = shown.getBoundingClientRect();
      const control = Object.assign(document.createElement('button'), { id: 'below', textContent: 'Below' });
      Object.assign(control.style, { position: 'fixed', left: `${left + 8}px`, top: `${top + 8}px` });
      document.body.append(control);
      control.focus();
    });
    await expect.poll(() => covered(page), 'nor what the keys come to').toEqual([]);
    await page.locator('#below').evaluate((control) => control.remove());
    await message.click();
    await expect(messages, 'a press takes it away').toHaveCount(0);
    await page.setViewportSize({ width: 1280, height: 800 });
    await press(page, page.getByRole('link', { name: 'History', exact: true }), false);
    await press(page, page.getByRole('list', { name: 'Workflows' }).getByRole('link').first());
    await press(
      page,
      page
        .getByRole('main')
        .getByRole('link', { name: /^Replay/ })
        .first(),
    );
    // The page takes the focus to its slider once the workflow is loaded.
    await expect(page.getByRole('slider', { name: 'Moment of the workflow' })).toBeFocused();
    await press(page, page.getByRole('link', { name: 'Back to the workflow' }));
    await press(page, page.getByRole('link', { name: 'Settings', exact: true }), false);
    await expect.poll(() => where(page)).toBe('H1  Settings');
    await press(page, page.getByRole('link', { name: 'Agents', exact: true }), false);
    await expect.poll(() => where(page), 'the heading of the page that opened').toBe('H1  Agents');
  },
);

test('a control keeps the focus when its row moves, and hands it to the message box when it is disabled', async ({
  start,
}) => {
  const { page } = await start(new Script());
  const box = page.getByRole('textbox', { name: 'Message' });
  await expect(box).toBeFocused();
  const isFocused = await page.evaluate(async () => {
    const [list, row, other] = ['ul', 'li', 'li'].map((tag) => document.createElement(tag));
    const control = document.createElement('button');
    row!.append(control);
    list!.append(row!, other!);
    document.body.append(list!);
    control.focus();
    list!.append(row!);
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    return document.activeElement === control;
  });
  expect(isFocused).toBe(true);
  const control = await page.evaluateHandle(() => {
    const button = document.createElement('button');
    document.body.append(button);
    button.focus();
    button.disabled = true;
    return button;
  });
  await expect(box).toBeFocused();
  await control.evaluate((button) => (button.disabled = false));
  await page.keyboard.type('Hello');
  await expect(box).toHaveValue('Hello');
});

test(
  'the sidebar takes the focus while it covers the page, and Escape closes only the sidebar',
  fullSpec(
    'e2e/chat/screen.spec.ts › the answer footer fits on one line, and Escape in an empty box moves to the log with its single-key shortcuts',
  ),
  async ({ start }) => {
    const app = await start(new Script().on(LEAD).reply([text('Hello.')]));
    const { page } = app;
    await app.send('Hello.');
    await app.expectOutcome('completed');
    await page.getByRole('link', { name: 'Open in history' }).click();
    await expect(page).toHaveURL(/\/history\//);
    await page.setViewportSize({ width: 800, height: 600 });
    const opener = page.getByRole('button', { name: 'Show sidebar' });
    await opener.click();
    const sidebar = page.getByRole('navigation', { name: 'Conversations' });
    await expect.poll(() => page.evaluate(() => document.activeElement?.closest('nav') !== null)).toBe(true);
    await page.keyboard.press('Tab');
    await expect.poll(() => page.evaluate(() => document.activeElement?.closest('nav') !== null)).toBe(true);
    await page.keyboard.press('Escape');
    await expect(sidebar).toBeHidden();
    await expect(opener).toBeFocused();
    await expect(page, 'it leads nowhere else').toHaveURL(/\/history\//);
  },
);

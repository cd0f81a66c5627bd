/** The chat screen: message box, footer and keys. */
import type { Locator, Page } from '@playwright/test';
import { LEAD, plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text } from '../../tests/support/fake-model/script.ts';
import { expect, test } from '../support/test.ts';

async function getBox(locator: Locator) {
  const box = await locator.boundingBox();
  if (!box) throw new Error('The element is not visible');
  return box;
}

/** Asserts that an element is visible, inside the viewport and not covered. */
async function expectInView(page: Page, locator: Locator): Promise<void> {
  await expect(locator).toBeInViewport({ ratio: 1 });
  const box = await getBox(locator);
  const isOnTop = await locator.evaluate((element, [x, y]) => element.contains(document.elementFromPoint(x, y)), [
    box.x + 4,
    box.y + box.height / 2,
  ] as const);
  expect(isOnTop, 'nothing covers it').toBe(true);
  expect(box.x + box.width).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
}

test('Send turns into Stop in the same place, and Stop returns a queued message with its attachment', async ({
  start,
}) => {
  const answer = 'These words came before the stop. And these never come.';
  const app = await start(plainAnswer({ answer, deltas: 2, reply: { hangAfter: 3 } }));
  const { page, message } = app;
  await page.setViewportSize({ width: 1280, height: 800 });
  await app.send('Tell me something long.');
  await expect(app.workflow()).toContainText('These words came');
  await expect(app.button('Send')).toHaveCount(0);
  const stop = await getBox(app.button('Stop reply'));
  await message.fill('The next one');
  const send = await getBox(app.button('Send'));
  expect(send).toEqual(stop);
  await expect(app.button('Stop reply')).toHaveCount(0);

  const notes = { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('# Notes\n') };
  await page.locator('input[type=file]').setInputFiles([notes]);
  await expect(page.getByRole('list', { name: 'Attached' })).toContainText('notes.md');
  await message.press('Enter');
  await expect(app.workflow()).toContainText('Queued');
  await expect(message).toHaveValue('');
  await app.button('Stop reply').click();
  await expect(page.getByText(/^Stopped the lead/)).toHaveText(
    'Stopped the lead (1 request). Nothing is left running. Your queued message is back in the box.',
  );
  await expect(message).toHaveValue('The next one');
  await expect(page.getByRole('list', { name: 'Attached' })).toContainText('notes.md');
  await app.expectOutcome('cancelled');
  await expect(app.log.getByRole('article', { name: /^Workflow: / })).toHaveCount(1);
  expect(app.model.requests).toHaveLength(1);
});

test('a double click on Send sends once and stops nothing', async ({ start }) => {
  const app = await start(plainAnswer({ answer: 'Some words. And more.', deltas: 2, reply: { hangAfter: 3 } }));
  await app.message.fill('Tell me something.');
  await app.button('Send').dblclick();
  await expect(app.workflow()).toContainText('Some words');
  await expect(app.button('Stop reply')).toBeVisible();
  expect(app.model.requests).toHaveLength(1);
});

test('the answer footer fits on one line, and Escape in an empty box moves to the log with its single-key shortcuts', async ({
  start,
}) => {
  const app = await start(new Script().on(LEAD).reply([text('A short answer.')]));
  const { page, message } = app;
  await app.send('Answer.');
  await app.expectOutcome('completed');
  for (const [width, height] of [
    [800, 600],
    [1280, 800],
  ] as const) {
    await page.setViewportSize({ width, height });
    await message.focus();
    await page.mouse.move(0, 0);
    const shown = app.footer().locator('> span').filter({ visible: true });
    const middles = await shown.evaluateAll((spans) =>
      spans
        .filter((span) => !span.classList.contains('sr-only'))
        .map((span) => span.getBoundingClientRect())
        .map(({ top, height: high }) => Math.round(top + high / 2)),
    );
    expect(Math.max(...middles) - Math.min(...middles), `one line at ${width}`).toBeLessThanOrEqual(2);
    expect((await getBox(app.footer())).height).toBeLessThan(32);
    await expect(app.footer()).toContainText('$');
    await expect(app.footer().locator('.rest')).toHaveCSS('opacity', '0');
    await app.workflow().hover();
    await expect(app.footer().locator('.rest')).toHaveCSS('opacity', '1');
    await expectInView(page, app.footer().getByRole('link', { name: 'Open in history' }));
  }

  await message.focus();
  await message.press('Escape');
  await expect(app.log).toBeFocused();
  await page.keyboard.press('c');
  await expect(page.getByRole('region', { name: 'Context' })).toBeVisible();
  await page.keyboard.press('c');
  await message.focus();
  await page.keyboard.press('Shift+?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  await expect(message).toHaveValue('');
  await page.keyboard.press('Escape');
  await message.fill('Some text');
  await message.press('Escape');
  await expect(message, 'Escape leaves a box with text alone').toBeFocused();
  await message.press('Shift+?');
  await expect(message).toHaveValue('Some text?');

  await page.setViewportSize({ width: 800, height: 600 });
  const opener = page.getByRole('button', { name: 'Show sidebar' });
  await opener.click();
  const sidebar = page.getByRole('navigation', { name: 'Conversations' });
  await expect(sidebar, 'the sidebar over the page has the focus').toBeFocused();
  await page.keyboard.press('Escape');
  await expect(sidebar).toBeHidden();
  await expect(opener).toBeFocused();
});

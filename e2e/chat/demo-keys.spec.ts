/** The demo with nothing but its examples and the key that allows: each press of it does something that can be seen. */
import type { Page } from '@playwright/test';
import { plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import type { App } from '../support/app.ts';
import { expect, inFullRun, test } from '../support/test.ts';

/** As quick as a person who reads little. */
const PACE_MS = 400;
const MOST_PRESSES = 150;

interface Pressed extends Window {
  shownToasts?: number;
}

/** Counts the short messages: each disappears by itself. */
async function countToasts(page: Page): Promise<void> {
  await page.evaluate(() => {
    const pressed = window as Pressed;
    pressed.shownToasts = 0;
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const node of addedNodes)
          if (node instanceof Element && node.matches('[data-sonner-toast]'))
            pressed.shownToasts = (pressed.shownToasts ?? 0) + 1;
    }).observe(document.body, { childList: true, subtree: true });
  });
}

/** Returns the parts of the page that a press can change, without what changes by itself, such as the time that is left or an answer that streams. */
async function look(page: Page): Promise<string> {
  return page.evaluate(() => {
    const question = document.querySelector('[role=alertdialog]');
    const scrolled = [...(question?.querySelectorAll('*') ?? [])]
      .map(({ scrollTop }) => scrollTop)
      .filter((top) => top > 0);
    const named = (selector: string): string => question?.querySelector(selector)?.textContent ?? '';
    return JSON.stringify({
      asked: named('h2'),
      button: named('footer .btn-primary'),
      notices: question?.querySelector('[data-notices]')?.getAttribute('data-notices'),
      scrolled,
      message: document.querySelector<HTMLTextAreaElement>('[data-message]')?.value,
      toasts: (window as Pressed).shownToasts,
    });
  });
}

/** Presses the key until the message in the box is done; returns the labels that the button of the yes had. */
async function pressThrough(app: App): Promise<Set<string>> {
  const { page } = app;
  const labels = new Set<string>();
  // A long message is cut in its label.
  const name = new RegExp(`^Workflow: ${(await app.message.inputValue()).slice(0, 20)}`);
  const footer = app.log.getByRole('article', { name, includeHidden: true }).locator('> footer');
  const done = footer.getByText('completed', { exact: true });
  for (let presses = 1; presses <= MOST_PRESSES && (await done.count()) === 0; presses += 1) {
    const before = await look(page);
    const { button } = JSON.parse(before) as { button: string };
    labels.add(button.replace(/(?:Ctrl|⌘).*/, '').trim());
    await page.keyboard.press('ControlOrMeta+Enter');
    const message = `press ${presses} changes something: ${before}`;
    await expect.poll(() => look(page), { message, intervals: [20] }).not.toBe(before);
    await page.waitForTimeout(PACE_MS);
  }
  await expect(done).toBeVisible();
  return labels;
}

test('the demo can be run with Enter and the Allow key alone, and every press has an effect', async ({ start }) => {
  test.setTimeout(90_000);
  const app = await start(plainAnswer(), { apiKey: null, endpoint: null });
  const { page } = app;
  await page.getByRole('button', { name: /^Try the demo/ }).focus();
  await page.keyboard.press('Enter');
  await app.button('Start').focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('main > header').getByText('Demo', { exact: true })).toBeVisible();
  await countToasts(page);

  const examples = page.getByRole('heading', { name: 'Four messages, one after the other' }).locator('..');
  await examples.getByRole('button').first().focus();
  for (let messages = 1; messages <= (inFullRun() ? 4 : 2); messages += 1) {
    if (messages > 1) await page.getByText('Next in the demo').locator('..').getByRole('button').focus();
    await page.keyboard.press('Enter');
    await expect(app.message).not.toHaveValue('');
    expect([...(await pressThrough(app))]).toContain('Allow once');
  }
  expect(app.model.requests, 'nothing was sent').toEqual([]);
});

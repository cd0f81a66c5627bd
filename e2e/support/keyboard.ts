/** A person without a mouse. */
import type { Page } from '@playwright/test';

/** As many as the longest way on any screen takes. */
const MOST_PRESSES = 60;

/** Presses a key until the control with this name has the focus. Fails after `maxPresses` presses. */
export async function tabTo(
  page: Page,
  name: string,
  key: 'Tab' | 'Shift+Tab' = 'Tab',
  maxPresses = MOST_PRESSES,
): Promise<void> {
  const focused = page.locator(':focus');
  for (let presses = 0; presses <= maxPresses; presses += 1) {
    if ((await focused.count()) > 0 && (await focused.evaluate(nameOf)) === name) return;
    await page.keyboard.press(key);
  }
  throw new Error(`Not reached by ${key}; the focus is on ${await focused.evaluate((node) => node.outerHTML)}`);
}

/** Runs in the page. */
function nameOf(node: Element): string {
  const label = node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement ? node.labels?.[0] : null;
  const copy = node.cloneNode(true) as Element;
  // Shown, and not part of the name.
  for (const hidden of copy.querySelectorAll('[aria-hidden=true]')) hidden.remove();
  return (node.getAttribute('aria-label') ?? label?.textContent ?? copy.textContent).trim();
}

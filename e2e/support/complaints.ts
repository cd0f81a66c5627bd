/** What a page complains about: errors on its console, uncaught ones, and breaches of the content policy. */
import type { BrowserContext, Page } from '@playwright/test';

export class Complaints {
  readonly #found: string[] = [];
  readonly #expected: RegExp[] = [];

  /** Complaints that match belong to what a test does. */
  expect(pattern: RegExp): void {
    this.#expected.push(pattern);
  }

  unexpected(): string[] {
    return this.#found.filter((line) => !this.#expected.some((pattern) => pattern.test(line)));
  }

  /** All pages of the context, now and later, complain to whom `owner` names at that moment. */
  static async watch(context: BrowserContext, owner: () => Complaints): Promise<void> {
    const add = (line: string) => owner().#found.push(line);
    await context.exposeFunction('reportViolation', (line: string) => add(`policy: ${line}`));
    await context.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) => {
        const report = (window as unknown as { reportViolation: (line: string) => void }).reportViolation;
        report(`${violatedDirective} ${blockedURI} ${sourceFile}`);
      });
    });
    context.on('page', (page) => watchPage(page, add));
    for (const page of context.pages()) watchPage(page, add);
  }
}

function watchPage(page: Page, add: (line: string) => void): void {
  page.on('console', (message) => {
    if (message.type() === 'error') add(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => add(`uncaught: ${error.stack ?? error.message}`));
  page.on('dialog', (dialog) => {
    add(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
}

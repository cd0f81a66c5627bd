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

  async watch(context: BrowserContext): Promise<void> {
    await context.exposeFunction('reportViolation', (line: string) => this.#found.push(`policy: ${line}`));
    await context.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) => {
        const report = (window as unknown as { reportViolation: (line: string) => void }).reportViolation;
        report(`${violatedDirective} ${blockedURI} ${sourceFile}`);
      });
    });
    context.on('page', (page) => this.#watchPage(page));
    for (const page of context.pages()) this.#watchPage(page);
  }

  #watchPage(page: Page): void {
    page.on('console', (message) => {
      if (message.type() === 'error') this.#found.push(`console: ${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => this.#found.push(`uncaught: ${error.stack ?? error.message}`));
    page.on('dialog', (dialog) => {
      this.#found.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
  }
}

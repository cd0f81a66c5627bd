/** What a person sees and does at one tab, in roles and names only. */
import { expect, type Locator, type Page } from '@playwright/test';

export class Person {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  get page(): Page {
    return this.#page;
  }

  /** The question that is shown in full. */
  get question(): Locator {
    return this.page.getByRole('alertdialog');
  }

  get message(): Locator {
    return this.page.getByRole('textbox', { name: 'Message', exact: true });
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  /** Writes a message and sends it; waits until it stands in the conversation. */
  async send(text: string): Promise<void> {
    await this.message.fill(text);
    await this.button('Send').click();
    await expect(this.message).toHaveValue('');
    await expect(this.workflow().getByText(text, { exact: true }).first()).toBeVisible();
  }

  /** The conversation's messages, also those that stand behind an open question. */
  get log(): Locator {
    return this.page.getByLabel('Conversation', { exact: true });
  }

  /** One message of the person with all the work that it led to; the newest without a number. */
  workflow(index = -1): Locator {
    return this.log.getByRole('article', { name: /^Workflow: /, includeHidden: true }).nth(index);
  }

  /** Where a workflow stands, as its last line says. */
  footer(index = -1): Locator {
    return this.workflow(index).locator('> footer');
  }

  async expectOutcome(words: string): Promise<void> {
    await expect(this.footer().getByText(words, { exact: true })).toBeVisible({ timeout: 15_000 });
  }

  /** The card of a sub-agent. */
  card(name: string): Locator {
    return this.log.getByRole('article', { name, exact: true, includeHidden: true });
  }

  /** The card of a sub-agent at work, in sight: where there is room for one alone, its tab is chosen. */
  async lane(name: string): Promise<Locator> {
    const tab = this.#tab(name);
    if ((await tab.count()) > 0) await tab.first().click();
    return this.card(name);
  }

  #tab(name: string): Locator {
    return this.log.getByRole('tab', { name: new RegExp(`^${name} `), includeHidden: true });
  }

  async expectCard(name: string, state: string): Promise<void> {
    // Of one that works beside others its tab says so, too, where there is no room for all of them.
    const said = (where: Locator): Locator => where.getByText(state, { exact: true });
    const header = this.card(name).locator('header');
    await expect(said(this.#tab(name)).or(said(header)).first()).toBeVisible({ timeout: 15_000 });
  }

  /** The lead's answer quotes the report on this task. */
  async expectQuoted(task: string): Promise<void> {
    await expect(this.workflow().getByRole('heading', { name: `Report: ${task}`, includeHidden: true })).toBeVisible();
  }

  /** The row of a tool call. */
  call(name: string | RegExp): Locator {
    const pattern = name instanceof RegExp ? name : new RegExp(`^${name}`);
    return this.log.getByRole('button', { name: pattern, includeHidden: true });
  }

  /** Opens the palette with its keys, and waits until its field has the focus: earlier keys would be lost. */
  async openPalette(): Promise<Locator> {
    await this.page.keyboard.press('ControlOrMeta+k');
    const field = this.page.getByRole('combobox', {
      name: 'Find a command, conversation, file, report, agent or setting',
    });
    await expect(field).toBeFocused();
    return field;
  }

  /** Shows the calls that are folded into one line, which says what was done by them. */
  async unfold(words: string | RegExp): Promise<void> {
    await this.log.getByRole('button', { name: words, expanded: false }).click();
  }

  get waiting(): Locator {
    return this.page.getByRole('list', { name: 'Waiting questions' });
  }

  get reopen(): Locator {
    return this.page.getByRole('button', { name: /^\d+ waiting/ });
  }

  field(name: string): Locator {
    return this.question.getByLabel(name, { exact: true });
  }

  /** Unfolds every field of the question that is shown, to edit it. */
  async unfoldForm(): Promise<void> {
    const fold = this.question.getByRole('button', { name: /^(?:Details and edit|Edit)$/ });
    if ((await fold.getAttribute('aria-expanded')) === 'false') await fold.click();
  }

  /** The part of the question with its buttons, which has the focus when it comes. */
  get decision(): Locator {
    return this.page.getByRole('group', { name: 'Your decision' });
  }

  /** Brings the question about this agent to the front; the list may change meanwhile, as answers arrive. */
  async lookAt(name: string): Promise<void> {
    const title = this.question.getByRole('heading', { level: 2 });
    const entry = this.waiting.getByRole('button', { name: new RegExp(`\\b${name}\\b`) }).first();
    await expect(async () => {
      if (await entry.isVisible()) await entry.click({ timeout: 1000 });
      await expect(title).toContainText(name, { timeout: 1000 });
    }).toPass({ timeout: 20_000 });
  }

  /** The texts that a yes waits for; each is a way to the text. */
  get unseen(): Locator {
    return this.#waiting(/^Allow waits until you have seen the end of:/);
  }

  /** Those that a yes to the whole batch waits for besides. */
  get unseenElsewhere(): Locator {
    return this.#waiting(/^Allow all \d also waits for the end of:/);
  }

  #waiting(sentence: RegExp): Locator {
    return this.question.locator('footer div').filter({ hasText: sentence }).getByRole('button');
  }

  /** Scrolls every text of the question to its end that is longer than its box, by the keyboard. */
  async readAll(): Promise<void> {
    for (let left = await this.unseen.count(); left > 0; left = await this.unseen.count()) {
      const first = (await this.unseen.first().textContent()) ?? '';
      await this.unseen.first().click();
      await expect(this.question.locator('textarea:focus, [role=group]:focus')).toBeVisible();
      await this.page.keyboard.press('ControlOrMeta+End');
      await expect(this.question.locator('footer').getByRole('button', { name: first, exact: true })).toHaveCount(0);
    }
  }

  /** The same for all items of the batch. */
  async readBatch(): Promise<void> {
    await this.readAll();
    while ((await this.unseenElsewhere.count()) > 0) {
      const title = await this.question.getByRole('heading', { level: 2 }).textContent();
      await this.unseenElsewhere.first().click();
      await expect(this.question.getByRole('heading', { level: 2 })).not.toHaveText(title ?? '');
      await this.readAll();
    }
  }

  /** Says yes to the question that is shown, or to the one about this agent, once its long texts were seen. */
  async allow(name?: string): Promise<void> {
    if (name !== undefined) await this.lookAt(name);
    await this.readAll();
    await this.#answer('Allow once');
  }

  async reject(reason: string, name?: string): Promise<void> {
    if (name !== undefined) await this.lookAt(name);
    await this.question.getByRole('button', { name: 'Reject…' }).click();
    await this.field('Reason').fill(reason);
    await this.#answer('Reject');
  }

  async #answer(button: 'Allow once' | 'Reject', name?: string): Promise<void> {
    if (name !== undefined) await this.lookAt(name);
    await this.question.getByRole('button', { name: button, exact: true }).click();
  }
}

/** What a sub-agent wants to write is looked at, changed and decided without a mouse, and nothing but a button decides. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFile } from '../../tests/support/fake-model/scenarios.ts';
import { expectAccessible } from '../support/accessible.ts';
import { tabTo } from '../support/keyboard.ts';
import { expect, fullSpec, test } from '../support/test.ts';

test(
  'a sub-agent’s write is edited and approved by keyboard alone',
  fullSpec([
    'e2e/approvals/asks.spec.ts › the person sends a message, approves a sub-agent and answers or skips questions without a mouse',
    'e2e/approvals/questions.spec.ts › closing the approvals answers none of them; one is rejected, the others are allowed together with their edits',
    'tests/core/approvals/approval.test.ts › the approval of a write contains a diff, and the edited content is written to disk',
  ]),
  async ({ start }) => {
    const app = await start(writeFile({ by: 'child', path: 'plan.md', content: 'As the agent wrote it.\n' }));
    const { page, question } = app;
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await expect(app.message).toBeVisible();
    await tabTo(page, 'Message');
    await page.keyboard.type('Have it written.');
    await page.keyboard.press('Enter');
    await expect(question).toBeVisible();
    await tabTo(page, 'Allow once');
    await expect(question.getByRole('button', { name: 'Allow once' })).toHaveAttribute('aria-disabled', 'false');
    await page.keyboard.press('Enter');

    const title = question.getByRole('heading', { level: 2, name: /plan\.md/ });
    await expect(title).toBeVisible();
    await expect(app.decision, 'never on a button that answers').toBeFocused();
    await expect(page.getByRole('alertdialog', { name: /plan\.md/ })).toBeVisible();
    await tabTo(page, 'Edit', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await expect(question.getByRole('textbox', { name: 'Content' })).toHaveValue('As the agent wrote it.\n');
    await expectAccessible(page, 'the question of a write');
    await tabTo(page, 'Content');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('As the person left it.');
    await tabTo(page, 'Reject…');
    await page.keyboard.press('Enter');
    await expect(app.field('Reason')).toBeFocused();
    await page.keyboard.type('yes');
    await page.keyboard.press('Escape');
    await expect(app.field('Reason')).toHaveCount(0);
    await expect(question.getByText('edited', { exact: true }).first()).toBeVisible();
    await expectAccessible(page, 'the question of a write, edited');

    await page.keyboard.press('Escape');
    await expect(question).toBeHidden();
    await app.expectCard('writer', 'waiting for you');
    await tabTo(page, 'Answer', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Edit', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await expect(question.getByRole('textbox', { name: 'Content' }), 'what was written is kept').toHaveValue(
      'As the person left it.',
    );
    await tabTo(page, 'Allow once');
    await expect(question.getByRole('button', { name: 'Allow once' })).toHaveAttribute('aria-disabled', 'false');
    await page.keyboard.press('Enter');
    await app.expectOutcome('completed');
    expect(await readFile(join(app.workspace, 'plan.md'), 'utf8')).toBe('As the person left it.');
  },
);

test(
  'only a press on an answer button answers the approval of a write; other keys, clicks and reloads do not',
  fullSpec([
    'e2e/approvals/questions.spec.ts › closing the approvals answers none of them; one is rejected, the others are allowed together with their edits',
    'e2e/approvals/seen.spec.ts › a click or key right after an approval appears answers nothing, but Tab and then Enter answers at any speed',
  ]),
  async ({ start }) => {
    const app = await start(writeFile({ by: 'child', path: 'plan.md' }));
    const { page, question } = app;
    await app.send('Have it written.');
    await app.allow('writer');
    const title = question.getByRole('heading', { level: 2, name: /plan\.md/ });
    await expect(title).toBeVisible();
    await expect(app.decision).toBeFocused();
    for (const key of ['Enter', 'Space', 'y']) await page.keyboard.press(key);
    await question.getByRole('button', { name: 'Reject…' }).click();
    await app.field('Reason').click();
    await page.keyboard.type('yes allow');
    await title.click();
    await app.unfoldForm();
    await question.getByRole('textbox', { name: 'Content' }).click();
    await page.keyboard.press('Enter');
    await page.mouse.click(3, 300);
    await expect(question).toBeHidden();
    await app.expectCard('writer', 'waiting for you');
    await page.reload();
    await app.expectCard('writer', 'waiting for you');
    await expect(question, 'still the same question').toContainText('plan.md');
    await page.keyboard.press('Escape');
    await expect(question).toBeHidden();
    await app.expectCard('writer', 'waiting for you');
    expect(app.model.requests, 'the lead and the writer have asked once each').toHaveLength(2);
    await expect(readFile(join(app.workspace, 'plan.md'))).rejects.toThrow('ENOENT');
  },
);

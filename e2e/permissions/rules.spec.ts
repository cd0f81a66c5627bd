/** Rules are changed on the permissions page, and what each would decide about the last calls is said while it is written. */
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { expectAccessibleInBoth } from '../support/accessible.ts';
import type { App } from '../support/app.ts';
import { expect, fullSpec, type Start, test } from '../support/test.ts';

const PATHS = ['docs/a.md', 'docs/b.md', 'Makefile'];

async function worked(start: Start): Promise<{ app: App; page: Page; file: string }> {
  const script = new Script();
  PATHS.forEach((path, index) =>
    script.on({ step: index + 1 }).reply([toolUse('write_file', { path, content: 'text' })]),
  );
  const app = await start(script.on({}).reply([text('Done.')]));
  await app.send('Write them.');
  for (const path of PATHS) {
    await expect(app.question.getByRole('heading', { level: 2 })).toContainText(path);
    await app.allow();
  }
  await app.expectOutcome('completed');
  const { page } = app;
  await page.getByRole('link', { name: 'Permissions', exact: true }).click();
  return { app, page, file: join(app.home, 'config.toml') };
}

const preview = (page: Page) => page.getByRole('group', { name: 'What it would decide' });
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

test(
  'a rule is added with a preview of its effect, changed, deleted and restored',
  fullSpec([
    'tests/core/host/runtime/methods/rules.test.ts › a changed rule applies to the next call, leaves the rest of the file unchanged and can be undone',
    'tests/core/host/runtime/methods/rules.test.ts › does not overwrite a rule file that changed on disk meanwhile',
    'tests/lib/approvals/rules/rule-draft.test.ts › changes a rule at its position, with the loaded file hash as the base',
    'tests/lib/view/permissions/rule-preview.test.ts › counts the calls decided by the rule, grouped by old and new effect, with changes first',
  ]),
  async ({ start }) => {
    const { page, file } = await worked(start);
    await page.getByRole('button', { name: 'Add rule' }).press('Enter');
    await expect(page.getByRole('heading', { name: 'A new rule' })).toBeFocused();
    await page.getByLabel('Effect').selectOption('allow');
    await page.getByLabel('On', { exact: true }).fill('docs/**');
    await expect(preview(page)).toContainText('Of the last 3 calls here it decides 2:');
    await expect(preview(page)).toContainText('2 that you are asked about now would be allowed without a question');
    await expect(preview(page).getByRole('listitem').filter({ hasText: 'docs/b.md' })).toContainText('write_file');
    await expectAccessibleInBoth(page, 'a rule that is written');
    await page.getByLabel('On', { exact: true }).press('Enter');
    await expect(row(page, 'docs/**').getByRole('cell', { name: '2', exact: true })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Add rule' })).toBeFocused();
    expect(await readFile(file, 'utf8')).toContain('effect = "allow"\ntool = "write_file"\npattern = "docs/**"\n');

    await page.getByRole('button', { name: 'Edit: allow write_file on docs/**' }).press('Enter');
    await page.getByLabel('On', { exact: true }).fill('docs/\u202Ea');
    await expect(preview(page)).toContainText('cannot be seen');
    await page.getByLabel('On', { exact: true }).fill('docs/a.md');
    await appendFile(file, '# mine\n');
    await page.getByLabel('Effect').selectOption('deny');
    await expect(preview(page)).toContainText('is not what you looked at any more');
    await page.getByRole('button', { name: 'Look again' }).press('Enter');
    await expect(preview(page)).toContainText('would be denied');
    await page.getByRole('button', { name: 'Save rule' }).press('Enter');
    await expect(row(page, 'docs/a.md')).toContainText('deny');
    expect(await readFile(file, 'utf8')).toContain('# mine\n');

    const before = await readFile(file, 'utf8');
    await page.getByRole('button', { name: 'Remove: deny write_file on docs/a.md' }).press('Enter');
    await expect(page.getByText('There are no rules for this folder.')).toBeVisible();
    await page
      .locator('[data-sonner-toast]')
      .filter({ hasText: 'Removed:' })
      .getByRole('button', { name: 'Undo' })
      .click();
    await expect(row(page, 'docs/a.md')).toBeVisible();
    expect(await readFile(file, 'utf8')).toBe(before);
  },
);

test(
  'an explained call fills the form of a new rule, which warns about a rule that reaches beyond the folder',
  fullSpec([
    'tests/lib/view/permissions/rule-preview.test.ts › of a call takes its names and the opposite effect, but does not allow without a pattern',
    'tests/core/runs/rule-preview.test.ts › a rule with the pattern named by an explanation allows the explained call',
  ]),
  async ({ start }) => {
    const { page } = await worked(start);
    await page.getByLabel('Path', { exact: true }).fill('docs/{a}.md');
    await page.getByRole('button', { name: 'Explain' }).press('Enter');
    await page.getByRole('button', { name: 'Make a rule from this call' }).press('Enter');
    await expect(page.getByRole('heading', { name: 'A new rule' })).toBeFocused();
    await expect(page.getByLabel('On', { exact: true })).toHaveValue('docs/\\{a\\}.md');
    await expect(page.getByLabel('Effect')).toHaveValue('allow');
    await expect(page.getByText('Holds in every folder.')).toBeVisible();
    await page.getByLabel('Tool or permission').fill('mcp__things__look');
    await expect(page.getByText('It is about any MCP server named things')).toBeVisible();
    await page.getByLabel('Tool or permission').fill('*');
    await page.getByLabel('On', { exact: true }).fill('');
    await page.getByLabel('Agent', { exact: true }).first().fill('');
    await expect(preview(page)).toContainText('It can let through what reaches beyond this folder');
    await page.getByLabel('Written in').selectOption('project');
    await expect(preview(page)).toContainText('It will not hold yet');
    await expect(page.getByText('Holds in this folder only.')).toBeVisible();
    await page.getByRole('button', { name: 'Cancel' }).press('Enter');
    await expect(page.getByRole('button', { name: 'Add rule' })).toBeFocused();
  },
);

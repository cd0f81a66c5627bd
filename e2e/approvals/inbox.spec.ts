/** The inbox: the questions of all conversations in one list, gone through by keys, each answered on its own; and a yes for more than once. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { Script, toolUse } from '../../tests/support/fake-model/script.ts';
import { expectAccessible, expectAccessibleInBoth } from '../support/accessible.ts';
import type { App, AppOptions } from '../support/app.ts';
import { leadSpawns, threeWrites } from '../support/scripts.ts';
import { expect, fullSpec, inFullRun, type Start, test } from '../support/test.ts';
import { expectNoHorizontalScroll, withWindowSize } from '../support/window-size.ts';

const detail = (page: Page) => page.getByRole('region', { name: 'The question' });
const title = (page: Page) => detail(page).getByRole('heading', { level: 2 });
const answer = (page: Page, name: string) => detail(page).getByRole('button', { name, exact: true });
const inbox = (page: Page) => page.getByRole('link', { name: /^Approvals/ });

/** Two conversations, each with a question about a file of its own. */
async function twoConversations(start: Start, options: AppOptions = {}): Promise<App> {
  const script = new Script();
  for (const name of ['first', 'second'])
    script
      .on({ asked: new RegExp(`the ${name}`), step: 1 })
      .reply([toolUse('write_file', { path: `${name}.md`, content: name })]);
  const app = await start(threeWrites(script), options);
  for (const name of ['first', 'second']) {
    if (name === 'second') await app.newConversation();
    await app.send(`Write the ${name}.`);
    await expect(app.question).toBeVisible();
    await app.page.keyboard.press('Escape');
    await expect(app.question).toBeHidden();
  }
  return app;
}

/** "Always for this project" is not asked again for the pattern, and is asked for another agent. */
async function allowForTheProject(app: App): Promise<void> {
  await app.send('Write them.');
  const title = app.question.getByRole('heading', { level: 2 });
  await expect(title).toContainText('docs/one.md');

  const more = app.question.getByRole('button', { name: 'More than once…' });
  await more.focus();
  await app.page.keyboard.press('Enter');
  await expect(more).toHaveAttribute('aria-expanded', 'true');
  await expect(app.field('Pattern')).toHaveValue('docs/one.md');
  await app.question.getByRole('radio', { name: 'this workflow' }).focus();
  await app.page.keyboard.press('ArrowDown');
  await app.page.keyboard.press('ArrowDown');
  await expect(app.question.getByRole('radio', { name: 'this project, always' })).toBeChecked();
  await app.field('Pattern').fill('docs/*.md');
  await expect(app.question.getByText('It matches now: docs/zero.md.')).toBeVisible();
  await app.question.getByRole('button', { name: 'Always allow for this project' }).press('Enter');

  await app.allow('helper');
  await expect(title, 'the second file was not asked about').toContainText('docs/three.md');
  await expect(app.question.getByText(/^Asked by .*helper/)).toBeVisible();
  expect(await readFile(join(app.workspace, 'docs/two.md'), 'utf8')).toBe('This is docs/two.md.\n');
  await app.allow();
  await app.expectOutcome('completed');
  if (!inFullRun()) return;

  // What stands there already is not asked about.
  await writeFile(join(app.workspace, 'docs/three.md'), 'Something else.\n');
  await app.send('Write them again.');
  await app.allow('helper');
  await app.reject('Enough.');
  await app.expectOutcome('completed');
}

const SMALL_WINDOW = { width: 800, height: 600 };

/** Expects the question and its answer in view. */
async function expectQuestionInView(page: Page): Promise<void> {
  await expect(title(page)).toBeInViewport();
  await expect(answer(page, 'Allow once')).toBeInViewport({ ratio: 1 });
  await expectNoHorizontalScroll(page);
}

test('approvals of two conversations are answered by keyboard, and a project grant covers only its agent and pattern', async ({
  start,
}) => {
  const app = await twoConversations(start, { files: { 'docs/zero.md': 'Zero.\n' } });
  const { page } = app;
  await expect(inbox(page)).toHaveAccessibleName(/2 wait for you/);
  await expect(page).toHaveTitle(/^\(2\) /);
  await inbox(page).focus();
  await page.keyboard.press('Enter');
  await expect(app.waiting.getByRole('listitem')).toHaveCount(2);
  await expect(app.question, 'nothing opens by itself here').toBeHidden();
  await expect(app.waiting.getByRole('button').first(), 'the oldest of the same risk').toContainText('first.md');

  await withWindowSize(page, SMALL_WINDOW, () => expectQuestionInView(page));

  await app.waiting.getByRole('button').first().press('k');
  await app.waiting.getByRole('button').nth(1).press('ArrowUp');
  await expect(title(page)).toContainText('first.md');
  await page.keyboard.press('j');
  await expect(title(page)).toContainText('second.md');
  await expect(app.waiting.getByRole('button').nth(1)).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(title(page)).toContainText('first.md');
  await page.keyboard.press('ArrowDown');
  for (const key of ['y', 'a', 'n', 'Escape', 'Space']) await page.keyboard.press(key);
  await expect(app.waiting.getByRole('listitem'), 'no letter answers').toHaveCount(2);
  await page.keyboard.press('Enter');
  await expect(app.decision).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(app.waiting.getByRole('button').nth(1), 'Escape only leads back').toBeFocused();

  await expect(answer(page, 'Allow once')).toHaveAttribute('aria-disabled', 'false');
  await answer(page, 'Allow once').press('Enter');
  await expect(app.waiting.getByRole('listitem')).toHaveCount(1);
  await expect(title(page)).toContainText('first.md');
  const written = () => readFile(join(app.workspace, 'second.md'), 'utf8').catch(() => null);
  await expect.poll(written).toBe('second');

  await answer(page, 'Reject…').click();
  await detail(page).getByLabel('Reason').fill('Not this one.');
  await expect(answer(page, 'Reject')).toHaveAttribute('aria-disabled', 'false');
  await answer(page, 'Reject').press('Enter');
  await expect(page.getByRole('heading', { name: 'Nothing waits for you' })).toBeVisible();
  const rows = page.getByRole('row');
  await expect(rows.nth(1)).toContainText(/first\.md.*Rejected.*by you/);
  await expect(rows.nth(2)).toContainText(/second\.md.*Allowed.*by you/);
  await expect(readFile(join(app.workspace, 'first.md'))).rejects.toThrow('ENOENT');

  await app.newConversation();
  await allowForTheProject(app);
});

test(
  'the selected approval stays selected when another tab answers another one, and links to its conversation',
  fullSpec([
    'tests/lib/app/inbox-place.test.ts › new questions do not change the selected question',
    'tests/lib/approvals/inbox-page.server.test.ts › links the chosen question to its conversation',
  ]),
  async ({ start }) => {
    const app = await start(leadSpawns(['alpha', 'beta']));
    const { page } = app;
    await app.goto('/approvals');
    await expect(page.getByRole('heading', { name: 'Nothing waits for you' })).toBeVisible();
    await expectAccessible(page, 'empty inbox');
    const other = await app.secondTab('/');
    await other.send('Look at two parts.');
    await expect(app.waiting.getByRole('listitem')).toHaveCount(2);
    await expect(app.question).toBeHidden();
    await expect(page.locator('[aria-live=assertive]', { hasText: 'Question' })).toContainText('Question from');
    await expectAccessibleInBoth(page, 'inbox');
    await app.waiting.getByRole('button', { name: /beta/ }).click();
    await expect(title(page)).toContainText('beta');

    await other.reject('No.', 'alpha');
    await expect(app.waiting.getByRole('listitem')).toHaveCount(1);
    await expect(title(page), 'what another client answered goes, this one stays').toContainText('beta');
    await page.getByRole('link', { name: 'Open conversation' }).click();
    await app.expectCard('beta', 'waiting for you');
    await other.allow('beta');
    await app.expectOutcome('completed');
  },
);

test(
  'an approval of an interrupted workflow is listed in the inbox, and its answer resumes the workflow',
  fullSpec([
    'tests/core/approvals/asked-and-open.test.ts › resumes the workflow once for an answer, and passes the answer to the gate when the approval reopens',
    'tests/lib/approvals/inbox-page.server.test.ts › shows that an answer to a question of interrupted work resumes the work',
  ]),
  async ({ start }) => {
    const app = await twoConversations(start, { ownProcess: true });
    await app.crashAndRestart();
    const { page } = app;
    await app.goto('/approvals');
    await expect(app.waiting.getByRole('listitem')).toHaveCount(2);
    await expect(app.waiting.getByText('interrupted')).toHaveCount(2);
    await app.waiting.getByRole('button', { name: /second\.md/ }).click();
    await expect(detail(page).getByText('your answer resumes it')).toBeVisible();
    await answer(page, 'Allow once').click();
    await expect.poll(() => readFile(join(app.workspace, 'second.md'), 'utf8').catch(() => '')).toBe('second');
    await expect(app.waiting.getByRole('listitem')).toHaveCount(1);
  },
);

test(
  'the inbox and the conversation list have enough room at 800 by 600',
  fullSpec(
    'e2e/approvals/inbox.spec.ts › approvals of two conversations are answered by keyboard, and a project grant covers only its agent and pattern',
  ),
  async ({ start }) => {
    const app = await twoConversations(start);
    const { page } = app;
    await page.setViewportSize(SMALL_WINDOW);
    await app.button('Show sidebar').click();
    const list = await page.getByRole('navigation').getByRole('list').first().boundingBox();
    expect(list?.height ?? 0).toBeGreaterThan(150);
    await app.goto('/approvals');
    await expectQuestionInView(page);
  },
);

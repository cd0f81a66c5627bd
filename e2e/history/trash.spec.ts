/** A conversation goes out as a file, into the trash, back, and away for good. */
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import { expect, test } from '../support/test.ts';

async function choose(page: Page, item: string): Promise<void> {
  await page
    .getByRole('main')
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await page.getByRole('menuitem', { name: item }).click();
}

// The desktop's files land where only its own machine sees them.
test('a conversation is saved as Markdown and as JSON', { tag: ['@browser', '@soak'] }, async ({ start }) => {
  const app = await start(plainAnswer());
  const { page } = app;
  await app.send('Say hello.');
  await app.expectOutcome('completed');
  const texts: string[] = [];
  for (const item of ['Export as Markdown', 'Export as JSON']) {
    const saved = page.waitForEvent('download');
    await choose(page, item);
    const file = await saved;
    expect(file.suggestedFilename()).toMatch(item.endsWith('JSON') ? /\.json$/ : /\.md$/);
    texts.push(await readFile(await file.path(), 'utf8'));
  }
  for (const content of texts) {
    expect(content).toContain('Say hello.');
    expect(content).toContain('Hello, this is the whole answer.');
  }
  expect(() => JSON.parse(texts[1] ?? '') as unknown).not.toThrow();
});

test('what was deleted is undone, restored, or gone after a second question', async ({ start }) => {
  const app = await start(plainAnswer());
  const { page } = app;
  const listed = page
    .getByRole('navigation')
    .getByRole('listitem')
    .getByRole('link', { name: /^Say hello\./ });
  await app.send('Say hello.');
  await app.expectOutcome('completed');
  const place = app.path;

  await choose(page, 'Delete conversation');
  await expect(listed).toHaveCount(0);
  await expect(app.message, 'the start page').toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(listed).toHaveCount(1);

  await listed.hover();
  await page
    .getByRole('navigation')
    .getByRole('button', { name: /^Actions for “Say hello\.”/ })
    .click();
  await page.getByRole('menuitem', { name: 'Delete conversation' }).click();
  await expect(listed).toHaveCount(0);
  await page.getByRole('link', { name: 'Trash', exact: true }).click();
  const deleted = page.getByRole('list', { name: 'Deleted conversations' });
  await expect(deleted).toContainText('Say hello.');
  await expect(deleted).toContainText('30 days left');
  await deleted.getByRole('button', { name: 'Restore' }).click();
  await expect(deleted.getByRole('listitem')).toHaveCount(0);
  await listed.click();
  await expect(app.workflow()).toContainText('Hello, this is the whole answer.');

  await choose(page, 'Delete conversation');
  await page.getByRole('link', { name: 'Trash', exact: true }).click();
  await deleted.getByRole('button', { name: 'Delete for good' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('This cannot be undone.');
  await question.getByRole('button', { name: 'Keep it' }).click();
  await expect(deleted.getByRole('listitem'), 'nothing happens without the second step').toHaveCount(1);
  await deleted.getByRole('button', { name: 'Delete for good' }).click();
  await question.getByRole('button', { name: 'Delete for good' }).click();
  await expect(deleted.getByRole('listitem')).toHaveCount(0);
  await page.goto(new URL(place, page.url()).href);
  await expect(page.getByRole('heading', { name: 'There is no such conversation', level: 2 })).toBeVisible();
});

// Only the browser's link to the program can be held up from here.
test(
  'who goes to the trash while a deletion is under way stays there and sees it',
  { tag: ['@browser', '@soak'] },
  async ({ start }) => {
    const app = await start(plainAnswer(), { ownContext: true });
    const { page } = app;
    const held = Promise.withResolvers<void>();
    await page.routeWebSocket(/.*/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((message) => {
        const wait = String(message).includes('"conversation.delete"') ? held.promise : Promise.resolve();
        void wait.then(() => server.send(message));
      });
    });
    await page.reload();
    await app.send('Say hello.');
    await app.expectOutcome('completed');
    await choose(page, 'Delete conversation');
    await page.getByRole('link', { name: 'Trash', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'Trash' })).toBeVisible();
    held.resolve();
    await expect(page.getByRole('button', { name: 'Restore' })).toBeVisible();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByRole('button', { name: 'Restore' })).toHaveCount(0);
    await expect(page.getByRole('heading', { name: 'Trash' })).toBeVisible();
  },
);

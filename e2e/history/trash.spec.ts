/** A conversation goes out as a file, into the trash, back, and away for good. */
import { readFile } from 'node:fs/promises';
import { plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import { chooseAction } from '../support/conversation-menu.ts';
import { expect, fullSpec, test } from '../support/test.ts';

// The desktop's files land where only its own machine sees them.
test(
  'a conversation can be exported as Markdown and as JSON',
  fullSpec(
    [
      'tests/lib/history/mounted.svelte.test.ts › saves a conversation as a file: %s',
      'tests/core/host/records/export/export.test.ts › exports a whole conversation with sub-agents as JSON and as Markdown',
    ],
    { tag: '@browser' },
  ),
  async ({ start }) => {
    const app = await start(plainAnswer());
    const { page } = app;
    await app.send('Say hello.');
    await app.expectOutcome('completed');
    const texts: string[] = [];
    for (const item of ['Export as Markdown', 'Export as JSON']) {
      const saved = page.waitForEvent('download');
      await chooseAction(page, item);
      const file = await saved;
      expect(file.suggestedFilename()).toMatch(item.endsWith('JSON') ? /\.json$/ : /\.md$/);
      texts.push(await readFile(await file.path(), 'utf8'));
    }
    for (const content of texts) {
      expect(content).toContain('Say hello.');
      expect(content).toContain('Hello, this is the whole answer.');
    }
    expect(() => JSON.parse(texts[1] ?? '') as unknown).not.toThrow();
  },
);

// Only the browser's link to the program can be held up from here.
test(
  'a person who opens the trash during a deletion stays there and sees the deleted conversation',
  fullSpec(
    'tests/lib/app/conversation-menu.alone.test.ts › stays on another page, also if the page was opened during the deletion',
    { tag: '@browser' },
  ),
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
    await chooseAction(page, 'Delete conversation');
    await page.getByRole('link', { name: 'Trash', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'Trash' })).toBeVisible();
    held.resolve();
    await expect(page.getByRole('button', { name: 'Restore' })).toBeVisible();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByRole('button', { name: 'Restore' })).toHaveCount(0);
    await expect(page.getByRole('heading', { name: 'Trash' })).toBeVisible();
  },
);

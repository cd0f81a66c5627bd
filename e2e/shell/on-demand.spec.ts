/** What shows only where it is looked for: the figures of a card and of a lane; and folders that are completed as they are written. */
import type { Locator } from '@playwright/test';
import { answerFrom, CHILD, LEAD, plainAnswer, reportOf, spawn } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { Gate } from '../../tests/support/gate.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const figuresOf = (card: Locator): Locator => card.locator('.swap > .figures');
const taskOf = (card: Locator): Locator => card.locator('.swap > .task');

async function expectFigures(card: Locator, shown: boolean): Promise<void> {
  await expect(figuresOf(card)).toHaveCSS('opacity', shown ? '1' : '0');
  await expect(taskOf(card)).toHaveCSS('opacity', shown ? '0' : '1');
}

/** In place of the task, for the pointer and for the keyboard. */
async function expectOnDemand(card: Locator, away: Locator, inside: Locator): Promise<void> {
  await away.hover();
  await away.focus();
  await expectFigures(card, false);
  await card.hover();
  await expectFigures(card, true);
  await expect(figuresOf(card)).toContainText(/claude-.*\$.*spawned|spawned.*claude-.*\$/);
  await away.hover();
  await expectFigures(card, false);
  await inside.focus();
  await expectFigures(card, true);
  await away.focus();
  await expectFigures(card, false);
}

test(
  'the figures of a lane or card replace its task while the pointer or the focus is on it',
  fullSpec(
    'e2e/chat/demo.spec.ts › the first demo message starts a sub-agent, and the history labels its requests as demo',
    {
      tag: '@browser',
    },
  ),
  async ({ start }) => {
    const held = new Gate();
    const app = await start(
      new Script()
        .on({ ...LEAD, step: 1 })
        .reply([spawn({ name: 'inspector', prompt: 'Inspect the workspace.', reason: 'Look at all of it' })])
        .on({ ...CHILD, step: 1 })
        .reply([toolUse('list_directory', { path: '.' })])
        .on(CHILD)
        .reply([text(reportOf('the workspace'), { deltas: 20 })], { hold: held.at(12) })
        .on(LEAD)
        .reply((seen) => [text(answerFrom(seen))]),
    );
    const card = app.card('inspector');
    await app.send('Inspect this project.');
    await app.allow('inspector');
    await expect(card).toContainText('Finding 1');
    await expectOnDemand(card, app.message, card.getByRole('button', { name: 'Stop this agent' }));
    held.open();
    await app.expectOutcome('completed');
    await app.page.reload();
    await app.expectOutcome('completed');
    await expectOnDemand(card, app.message, card.getByRole('button', { name: /^inspector/ }));
  },
);

test(
  'a folder path is completed while the person types, and folders are opened by keyboard',
  fullSpec(
    [
      'tests/core/host/runtime/methods/folders.test.ts › completes a path to folders and links to folders, ignoring case',
      'e2e/shell/first-run.spec.ts › a custom endpoint answers the first message in the chosen folder',
    ],
    { tag: '@browser' },
  ),
  async ({ start }) => {
    const app = await start(plainAnswer(), {
      files: { 'docs/guide/start.md': 'Start.\n', 'docs/images/logo.txt': 'A logo.\n' },
    });
    const { page, workspace } = app;
    const folder = page.getByRole('combobox', { name: 'Folder', exact: true });
    const options = page.getByRole('listbox', { name: 'Folders' }).getByRole('option');
    const option = (path: string): Locator => page.getByRole('option', { name: `${workspace}${path}`, exact: true });
    await folder.fill('');
    await folder.pressSequentially(`${workspace}/do`);
    await expect(option('/docs')).toBeVisible();
    await expect(folder).toHaveAttribute('aria-expanded', 'true');
    await folder.press('ArrowDown');
    await expect(option('/docs')).toHaveAttribute('aria-selected', 'true');
    await folder.press('Tab');
    await expect(folder).toHaveValue(`${workspace}/docs`);
    await expect(folder, 'it goes on there').toBeFocused();
    await folder.pressSequentially('/');
    await expect(options).toHaveCount(2);
    await folder.press('ArrowUp');
    await expect(option('/docs/images'), 'the last one').toHaveAttribute('aria-selected', 'true');
    await folder.press('Escape');
    await expect(options).toHaveCount(0);
    await expect(folder, 'only the list is closed').toHaveValue(`${workspace}/docs/`);
    await folder.pressSequentially('g');
    await expect(option('/docs/guide')).toBeVisible();
    await folder.press('ArrowDown');
    await folder.press('Enter');
    await expect(folder).toHaveValue(`${workspace}/docs/guide`);
    await app.send('Hello.');
    await app.expectOutcome('completed');
    await expect(page.getByRole('main').getByTitle(`${workspace}/docs/guide`, { exact: true }).first()).toBeVisible();
  },
);

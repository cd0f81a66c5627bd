/** The frame around the pages: the rail, the palette and the shortcuts, by keyboard. */
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { Script, text } from '../../tests/support/fake-model/script.ts';
import { expectAccessibleInBoth, SAME_PAGE } from '../support/accessible.ts';
import type { App } from '../support/app.ts';
import { leadSpawns } from '../support/scripts.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const rail = (page: Page) => page.getByRole('navigation', { name: 'Conversations' });
const conversations = (page: Page) => rail(page).getByRole('list', { name: 'Conversations' });
const palette = (page: Page) =>
  page.getByRole('combobox', { name: 'Find a command, conversation, file, report, agent or setting' });
const said = () => new Script().on({}).reply([text('Done.')]);

async function talk(app: App, message: string, folder?: string): Promise<void> {
  await app.page.keyboard.press('Control+Shift+O');
  if (folder !== undefined) await app.page.getByLabel('Folder', { exact: true }).fill(join(app.workspace, folder));
  await app.send(message);
  await expect(app.workflow()).toContainText('Done.');
}

test(
  'the sidebar groups conversations, pins and searches them, and moves several to the trash and back',
  fullSpec(
    [
      'tests/lib/view/shell/rail.test.ts › groups by folder, newest first, with pinned conversations before the days',
      'tests/lib/app/conversation-actions.test.ts › moves several conversations to the trash with one offer to undo, without the rejected ones',
      'tests/lib/app/rail.alone.test.ts › searches on until a page is filled or all conversations are searched',
      'tests/lib/app/rail.alone.test.ts › lists the conversation on the screen, also if no page contains it',
    ],
    { annotation: SAME_PAGE },
  ),
  async ({ start }) => {
    test.slow();
    const app = await start(said(), { files: { 'parser/a.ts': '', 'site/b.ts': '' } });
    const { page } = app;
    const list = conversations(page);
    const row = (name: string) => list.getByRole('link', { name });
    for (let n = 10; n < 22; n += 1) await talk(app, `Parser ${n}`, 'parser');
    await talk(app, 'Site 1', 'site');
    await expect(list.getByRole('button', { name: /^Folder .*site$/ })).toBeInViewport({ ratio: 1 });
    // Of a folder among several the newest ones show.
    await expect(row('Parser 14')).toBeVisible();
    await expect(row('Parser 13')).toBeHidden();
    await list.getByRole('button', { name: /^Show more of .*parser$/ }).click();
    await expect(row('Parser 10')).toBeVisible();

    // Renamed in place by a double click; Escape leaves it.
    await row('Parser 20').dblclick();
    // A page that opens takes the focus unless something is being written.
    await expect(page.getByRole('heading', { name: 'Parser 20' })).toBeVisible();
    await page.keyboard.type('No');
    await page.keyboard.press('Escape');
    await expect(row('Parser 20')).toBeFocused();
    await page.keyboard.press('F2');
    await page.keyboard.type('Tokens');
    await page.keyboard.press('Enter');
    await expect(row('Tokens')).toBeFocused();

    // Chosen with Shift and the arrows; moved together, and taken back together.
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await expect(rail(page).getByText('3 selected')).toBeVisible();
    await expectAccessibleInBoth(page, 'the rail with chosen conversations');
    await page.keyboard.press('Delete');
    await expect(row('Parser 19')).toBeHidden();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(row('Parser 19')).toBeVisible();
    await expect(row('Parser 18')).toBeVisible();

    // Found among all, by title and folder.
    await page.keyboard.press('Control+Shift+F');
    await page.keyboard.type('parser 10');
    await expect(list.getByRole('link')).toHaveCount(1);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Parser 10');
    await page.getByRole('button', { name: 'Clear the filter' }).click();

    // The oldest one is in sight, also after a reload and in a folded folder; pinned it stands first.
    await page.setViewportSize({ width: 1280, height: 620 });
    await page.reload();
    await expect(row('Parser 10')).toBeInViewport();
    await list.getByRole('button', { name: /^Folder .*parser$/ }).click();
    await expect(row('Parser 10')).toBeInViewport();
    await expect(row('Parser 19')).toBeHidden();
    await page.reload();
    await expect(row('Parser 10')).toBeInViewport();
    await expect(row('Parser 19')).toBeHidden();
    await list.getByRole('button', { name: /^Folder .*parser$/ }).click();
    await row('Parser 10').hover();
    await list.getByRole('button', { name: /^Actions for “Parser 10/ }).click();
    await page.getByRole('menuitem', { name: 'Pin' }).click();
    await expect(list.getByText('Pinned')).toBeVisible();

    // Folded to icons it stays so.
    await page.keyboard.press('Control+B');
    await expect(list).toBeHidden();
    await page.reload();
    await expect(rail(page).getByRole('link', { name: 'History' })).toBeVisible();
    await expect(list).toBeHidden();
    await expectAccessibleInBoth(page, 'the folded rail');
  },
);

test(
  'shortcuts are inactive while typing, listed by the ? key, and changed in the settings with a conflict warning',
  fullSpec(
    [
      'e2e/chat/screen.spec.ts › the answer footer fits on one line, and Escape in an empty box moves to the log with its single-key shortcuts',
      'tests/lib/app/commands.alone.test.ts › rejects plain keys and keys with a fixed meaning',
      'tests/lib/app/commands.alone.test.ts › accepts a sequence of two keys, and names the command whose keys conflict',
      'tests/lib/app/commands.alone.test.ts › stores changed keys, takes keys from another command, and resets them',
    ],
    { annotation: SAME_PAGE },
  ),
  async ({ start }) => {
    const app = await start(said());
    const { page } = app;
    await app.message.fill('');
    await app.message.pressSequentially('g h?');
    await expect(app.message).toHaveValue('g h?');
    await expect(page.getByRole('dialog')).toBeHidden();
    await app.message.fill('');
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await expect(sheet.getByText('In a question')).toBeVisible();
    await expectAccessibleInBoth(page, 'the list of shortcuts');
    // Nothing behind a dialog happens.
    await page.keyboard.press('g');
    await page.keyboard.press('h');
    await expect(sheet).toBeVisible();
    await expect(page).not.toHaveURL(/history/);
    await page.keyboard.press('Escape');
    await expect(sheet).toBeHidden();
    await page.keyboard.press('g');
    await page.keyboard.press('h');
    await expect(page).toHaveURL(/\/history$/);

    await page.keyboard.press('Control+K');
    await palette(page).fill('keyboard shortc');
    await expect(palette(page)).toHaveAttribute('aria-activedescendant', /./);
    await expectAccessibleInBoth(page, 'the palette');
    await page.keyboard.press('Escape');
    await app.goto('/settings?at=shortcuts');
    const keys = page.getByRole('button', { name: /^Change the keys of “Fold or unfold the sidebar”/ });
    await expect(page.getByRole('heading', { name: 'Keyboard shortcuts' })).toBeInViewport();
    // Only the page has moved, not what holds it.
    await expect(page.getByRole('heading', { level: 1 })).toBeInViewport({ ratio: 1 });
    await keys.click();
    await page.keyboard.press('x');
    await expect(page.getByText('Hold Ctrl, Alt or ⌘')).toBeVisible();
    await page.keyboard.press('g');
    await expect(keys).toContainText('then…');
    await page.keyboard.press('h');
    await expect(page.getByText('G H belongs to “History”.')).toBeVisible();
    await page.keyboard.press('Control+Enter');
    await expect(page.getByText('Ctrl+Enter is kept for “Allow, in a question”.')).toBeVisible();
    await page.keyboard.press('Control+K');
    await expect(page.getByText('Ctrl+K belongs to “Find anything”.')).toBeVisible();
    await page.keyboard.press('Control+Alt+U');
    await expect(keys).toHaveAccessibleName(/: Ctrl\+Alt\+U$/);
    await page.reload();
    await page.keyboard.press('Control+B');
    await expect(conversations(page)).toBeVisible();
    await page.keyboard.press('Control+Alt+U');
    await expect(conversations(page)).toBeHidden();
    await page.getByRole('button', { name: 'Reset all' }).click();
    await page.keyboard.press('Control+B');
    await expect(conversations(page)).toBeVisible();
  },
);

test(
  'the palette opens a setting and focuses its field',
  fullSpec([
    'tests/lib/shell/palette-findings.alone.test.ts › finds the field of a setting, and a section of the settings',
    'tests/lib/view/settings/sections.test.ts › are found by section, control or setting path',
  ]),
  async ({ start }) => {
    const app = await start(said());
    const { page } = app;
    await expect(app.message).toBeFocused();
    // Who asks for a new conversation where there is one already writes into it, also behind what is there.
    await page.keyboard.type('One');
    await page.getByRole('link', { name: 'New conversation' }).click();
    await expect(app.message).toBeFocused();
    await page.keyboard.type(' two');
    await expect(app.message).toHaveValue('One two');
    await page.keyboard.press('Control+K');
    await palette(page).fill('max_sub_agents');
    await page.getByRole('option', { name: /max_sub_agents/ }).click();
    await expect(page).toHaveURL(/\/settings\?at=limits\.max_sub_agents$/);
    await expect(page.locator('[data-setting="limits.max_sub_agents"]').getByRole('textbox')).toBeFocused();
    // On the page itself, and its sections too.
    await page.keyboard.press('Control+K');
    await palette(page).fill('max_cost workflow');
    await expect(page.getByRole('option', { name: /^A whole workflow: Cost/ })).toBeVisible();
    await page.keyboard.press('Enter');
    const cost = page.locator('[data-setting="limits.workflow.max_cost_usd"]');
    await expect(cost.getByRole('textbox')).toBeFocused();
    await expect(cost).toHaveAttribute('data-marked', 'true');
    await page.keyboard.press('Control+K');
    await palette(page).fill('settings telemetry');
    await page.getByRole('option', { name: /^Telemetry/ }).click();
    await expect(page).toHaveURL(/\/settings\?section=telemetry$/);
    await expect(page.getByRole('heading', { level: 2, name: 'Telemetry' })).toBeVisible();
  },
);

test(
  'the palette finds the report of a sub-agent, and adds a file to the message',
  fullSpec([
    'tests/lib/shell/palette-findings.alone.test.ts › links a report to the matching entry, and searches the folder of the visible message box',
    'tests/lib/shell/palette-findings.alone.test.ts › mentions a file in the visible message, or else in the draft of a new conversation',
  ]),
  async ({ start }) => {
    const app = await start(leadSpawns(['alpha']), { files: { 'src/parser.ts': 'x' } });
    const { page } = app;
    await app.send('Look at one part.');
    await app.allow('alpha');
    await app.expectOutcome('completed');
    await app.message.fill('Look at');
    await page.keyboard.press('Control+K');
    await palette(page).fill('parser');
    await page.getByRole('option', { name: /^src\/parser\.ts/ }).click();
    await expect(app.message).toHaveValue('Look at @src/parser.ts ');
    await expect(app.message).toBeFocused();
    await page.keyboard.press('Control+K');
    await palette(page).fill('in good order');
    const report = page.getByRole('group', { name: 'Reports of sub-agents' }).getByRole('option', { name: /^alpha/ });
    await expect(report).toBeVisible();
    await expectAccessibleInBoth(page, 'the palette with a report');
    await report.click();
    await expect(page).toHaveURL(/\/history\/[^?]+\?run=/);
    await expect(page.getByText('in good order').first()).toBeVisible();
    // Where nothing is written, a new conversation begins with it.
    await page.keyboard.press('Control+K');
    await palette(page).fill('parser');
    await page.getByRole('option', { name: /^src\/parser\.ts/ }).click();
    await expect(page).toHaveURL(/\/$/);
    await expect(app.message).toHaveValue('@src/parser.ts ');
  },
);

test(
  'the palette changes the contrast, compares reports, edits a message and forks, all by keyboard',
  fullSpec([
    'tests/lib/shell/command-table.alone.test.ts › the palette shows every command with its keys and its slash name',
    'tests/lib/shell/command-table.alone.test.ts › every command is offered by a page or component',
    'e2e/chat/composer.spec.ts › attachments and mentioned files are sent and survive a reload; a conversation is renamed by keyboard',
    'tests/lib/chat/turn-actions.server.test.ts › forks after the newest answer and sends its message again by command',
  ]),
  async ({ start }) => {
    const app = await start(leadSpawns(['alpha', 'beta']));
    const { page } = app;
    await app.send('Look at two parts.');
    await app.allow('alpha');
    await app.allow('beta');
    await app.expectOutcome('completed');
    const command = async (query: string, name: string | RegExp): Promise<void> => {
      await app.openPalette();
      await page.keyboard.type(query);
      await expect(page.getByRole('option', { name, exact: true })).toHaveAttribute('data-selected', '');
      await page.keyboard.press('Enter');
    };
    await command('high contr', 'High contrast, on or off');
    await expect(page.locator('html')).toHaveAttribute('data-contrast', 'more');
    await command('compare', 'Compare the reports of the last sub-agents');
    await expect(page.getByRole('dialog', { name: '2 reports beside each other' })).toBeVisible();
    await page.keyboard.press('Escape');
    await command('edit', /^Edit your last message and send it again/);
    await expect(page.getByRole('textbox', { name: 'Edit your message' })).toBeFocused();
    await page.keyboard.press('Escape');
    await command('/model', 'Choose the model of the next message /model');
    await expect(page.getByRole('combobox', { name: 'Model', exact: true })).toBeFocused();
    const first = page.url();
    await command('fork', 'Fork after the last answer');
    await expect(page).not.toHaveURL(first);
    await expect(app.workflow()).toContainText('Look at two parts.');
  },
);

test(
  'the folder menu of a conversation opens the permissions of the folder and starts a conversation there',
  fullSpec(
    'e2e/chat/composer.spec.ts › attachments and mentioned files are sent and survive a reload; a conversation is renamed by keyboard',
  ),
  async ({ start }) => {
    const app = await start(said(), { files: { 'parser/a.ts': '' } });
    const { page } = app;
    await talk(app, 'Say it.', 'parser');
    const folder = page.getByRole('button', { name: `Works in ${join(app.workspace, 'parser')}` });
    await folder.press('Enter');
    await expect(page.getByRole('menuitem', { name: 'New conversation here' })).toBeFocused();
    await expectAccessibleInBoth(page, 'the menu of a folder');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\/permissions\?folder=[^&]*parser$/);
    await page.goBack();
    await folder.press('Enter');
    await page.keyboard.press('Enter');
    await expect(page.getByLabel('Folder', { exact: true })).toHaveValue(join(app.workspace, 'parser'));
    await expect(app.message).toBeFocused();
  },
);

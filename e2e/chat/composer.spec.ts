/** Writing a message: names of files and agents, commands, what is attached, messages of before. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import { RED } from '../../tests/support/images.ts';
import { pdf } from '../../tests/support/pdf.ts';
import { expectAccessible, expectAlsoAccessible } from '../support/accessible.ts';
import type { App } from '../support/app.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const RED_PNG = { name: 'red.png', mimeType: 'image/png', buffer: RED };
const NOTES = { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('# Notes\n\nThe word is heron.\n') };

/** Renames a conversation, finds and opens it, and starts a new conversation in its folder. */
async function comesBackByKeys(app: App): Promise<void> {
  const { page, message, workspace } = app;
  await page.keyboard.press('F2');
  await page.keyboard.type('Grammar');
  await page.keyboard.press('Enter');
  const conversations = page
    .getByRole('navigation', { name: 'Conversations' })
    .getByRole('list', { name: 'Conversations' });
  await expect(conversations.getByRole('link', { name: 'Grammar' })).toBeVisible();
  await expect(page).toHaveTitle(/Grammar/);
  await page.keyboard.press('Control+Shift+O');
  await expect(message).toBeVisible();
  await message.focus();
  const palette = await app.openPalette();
  await palette.fill('gramm');
  await expect(page.getByRole('option', { name: /^Grammar/ })).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Grammar');
  await page.getByRole('button', { name: `Works in ${workspace}` }).press('Enter');
  await expect(page.getByRole('menuitem', { name: 'New conversation here' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Folder', { exact: true })).toHaveValue(workspace);
  await expect(message).toBeFocused();
}

test('attachments and mentioned files are sent and survive a reload; a conversation is renamed by keyboard', async ({
  start,
}) => {
  const app = await start(plainAnswer());
  const { page } = app;
  const chips = page.getByRole('list', { name: 'Attached' });
  await expect(app.message, 'who opens a conversation writes next').toBeFocused();
  await page.locator('input[type=file]').setInputFiles([RED_PNG, NOTES]);
  await expect(chips.getByRole('button')).toHaveCount(2);
  await page.reload();
  await expect(chips.getByRole('listitem')).toHaveText([/red\.png/, /notes\.md/]);
  await app.message.pressSequentially('Look at @su');
  await expect(page.getByRole('option', { name: /src\/sum\.js/ })).toHaveAttribute('aria-selected', 'true');
  await expectAlsoAccessible(page, 'files to name');
  await app.message.press('Enter');
  await expect(app.message).toHaveValue('Look at @src/sum.js ');
  await app.message.dispatchEvent('keydown', { key: 'Enter', isComposing: true });
  await expect(app.message, 'the Enter of a composition does not send').toHaveValue('Look at @src/sum.js ');
  await app.message.press('Enter');
  await expect(app.message).toHaveValue('');
  await expect(chips).toBeHidden();
  await expect(app.workflow().getByRole('img', { name: 'A picture that you sent' })).toBeVisible();
  await app.workflow().getByText('notes.md').click();
  await expect(app.workflow()).toContainText('The word is heron.');
  const sent = JSON.stringify(app.model.requests[0]?.body.messages);
  expect(sent).toContain(RED.toString('base64'));
  expect(sent).toContain('Look at @src/sum.js\\n\\n<resource id=');
  await app.expectOutcome('completed');
  await comesBackByKeys(app);
});

test(
  'commands and earlier messages are reached by keyboard, and a model change applies from then on',
  fullSpec([
    'tests/lib/chat/composer/past.test.ts › the arrow keys go to older messages and back to an empty box',
    'tests/lib/shell/command-table.alone.test.ts › slash commands run the commands of the palette, and are disabled if unavailable',
    'e2e/chat/composer.spec.ts › attachments and mentioned files are sent and survive a reload; a conversation is renamed by keyboard',
    'tests/core/workflows/message-options.test.ts › model and mode of a message apply to the lead for that message only, and are recorded',
  ]),
  async ({ start }) => {
    const app = await start(plainAnswer());
    const { page, message } = app;
    await page.setViewportSize({ width: 640, height: 400 });
    await app.send('The first');
    await app.send('The second');
    await message.press('ArrowUp');
    await expect(message).toHaveValue('The second');
    await message.press('ArrowUp');
    await expect(message).toHaveValue('The first');
    await message.press('ArrowDown');
    await message.press('ArrowDown');
    await expect(message).toHaveValue('');

    await message.pressSequentially('/');
    const options = page.getByRole('listbox', { name: 'Commands and prompts' }).getByRole('option');
    await expect(options.first()).toBeVisible();
    await expectAccessible(page, 'commands');
    await message.press('Escape');
    await expect(options).toHaveCount(0);
    await expect(message).toHaveValue('/');
    await message.pressSequentially('stop');
    await message.press('Enter');
    await expect(page.getByText('/stop cannot be done now')).toBeVisible();
    await message.fill('');
    await message.pressSequentially('/mod');
    await message.press('Enter');
    const models = page.getByRole('combobox', { name: 'Model', exact: true });
    await expect(models).toBeFocused();
    await models.press('o');
    await expect(models.locator('option:checked')).toContainText('opus');

    await message.fill('The third');
    await message.dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    await expect(message).toHaveValue('The third');
    await message.press('Enter');
    await expect(message).toHaveValue('');
    await expect.poll(() => app.model.requests.at(-1)?.body.model).toContain('opus');
    await app.expectOutcome('completed');
    await page.reload();
    await expect(models.locator('option:checked')).toContainText('opus');
  },
);

test(
  'pasted and dropped files are attached, a rejected file loses no other input, and a fork keeps the attachments',
  fullSpec([
    'tests/lib/chat/composer/attachments.test.ts › attaches a pasted image only without pasted text, and pasted files despite the text of their names',
    'tests/lib/chat/composer/attachments.test.ts › reports the first refused file, and attaches the others',
  ]),
  async ({ start }) => {
    const app = await start(plainAnswer());
    const { page, message } = app;
    const chips = page.getByRole('list', { name: 'Attached' }).getByRole('listitem');
    await message.fill('Kept');
    const hand = (kind: 'paste' | 'drop', file: { name: string; type: string; base64: string } | null, html = '') =>
      message.evaluate(
        (box, [how, given, markup]) => {
          const data = new DataTransfer();
          if (given) {
            const bytes = Uint8Array.from(atob(given.base64), (letter) => letter.charCodeAt(0));
            data.items.add(new File([bytes], given.name, { type: given.type }));
          }
          if (markup !== '') data.setData('text/html', markup);
          const init = { bubbles: true, cancelable: true };
          const event =
            how === 'paste'
              ? new ClipboardEvent('paste', { ...init, clipboardData: data })
              : new DragEvent('drop', { ...init, dataTransfer: data });
          box.dispatchEvent(event);
        },
        [kind, file, html] as const,
      );
    await hand('paste', { name: 'image.png', type: 'image/png', base64: RED.toString('base64') }, '<img src="x">');
    await expect(chips).toHaveText([/image\.png/]);
    const report = pdf([['The word is heron.'], ['The end.']]);
    await hand('drop', { name: 'report.pdf', type: 'application/pdf', base64: report.toString('base64') });
    await expect(chips).toHaveText([/image\.png/, /report\.pdf.*2 pages, sent as text/]);
    await expectAccessible(page, 'what is attached');
    await hand('drop', { name: 'a\u202egnp.zip', type: 'application/zip', base64: 'UEsDBAAAAAA=' });
    await expect(page.getByText(/U\+202E.* is no text, PDF or picture/)).toBeVisible();
    await hand('paste', { name: 'broken.png', type: 'image/png', base64: RED.subarray(0, 20).toString('base64') });
    await expect(page.getByText('broken.png is a picture that cannot be shown')).toBeVisible();
    await expect(message).toHaveValue('Kept');
    await page.getByRole('button', { name: 'Remove image.png' }).click();
    await expect(message).toBeFocused();
    await message.fill('');
    await app.button('Send').click();
    await expect(app.workflow()).toContainText('Look at what is attached.');
    await app.workflow().getByText('report.pdf').click();
    await expect(app.workflow()).toContainText('[Page 2 of 2] The end.');
    await expect(app.workflow().getByRole('img', { name: 'A picture that you sent' })).toHaveCount(0);
    await app.expectOutcome('completed');

    const fork = () =>
      app
        .workflow()
        .getByRole('toolbar', { name: /^Your message/ })
        .getByRole('button', { name: 'Fork from here' })
        .press('Enter');
    await fork();
    await expect(chips).toHaveText([/report\.pdf/]);
    await expect(message, 'the box was empty').toHaveValue('');
    await message.fill('And this?');
    await hand('paste', { name: 'image.png', type: 'image/png', base64: RED.toString('base64') });
    await expect(chips).toHaveCount(2);
    await message.press('Enter');
    await app.expectOutcome('completed');
    await fork();
    await expect(chips, 'a picture is sent without its name').toHaveText([/image-1\.png/, /report\.pdf/]);
    await expect(message).toHaveValue('And this?');
  },
);

test(
  'ignored and secret files are not offered for a mention, and a mention of an agent starts no run',
  fullSpec([
    'tests/core/host/runtime/methods/messages.test.ts › finds no ignored, secret, denied or internal files and no files behind links',
    'tests/lib/chat/composer/word.test.ts › mentionOf quotes paths with special characters, and leaves a folder open for completion',
  ]),
  async ({ start }) => {
    const app = await start(plainAnswer(), {
      files: { '.gitignore': 'out/\n', 'out/made.js': '', 'notes of mine.md': '' },
    });
    const { page, message } = app;
    await writeFile(join(app.workspace, '.env'), 'KEY=1');
    await message.pressSequentially('See @');
    const options = page.getByRole('listbox', { name: 'Files and agents' }).getByRole('option');
    await expect(options.filter({ hasText: 'notes of mine.md' })).toBeVisible();
    await expect(options.filter({ hasText: /\.env|out\/|node_modules/ })).toHaveCount(0);
    await message.pressSequentially('of mine');
    await expect(page.getByText('No file or agent has this in its name')).toBeHidden();
    await message.fill('See @"notes of');
    await expect(options).toHaveCount(1);
    await message.press('Tab');
    await expect(message).toHaveValue('See @"notes of mine.md" ');
    await message.pressSequentially('with @code-r');
    await expect(options).toHaveText([/code-reviewer/]);
    await message.press('Enter');
    await message.press('Enter');
    await app.expectOutcome('completed');
    await expect(app.workflow()).toContainText('See @"notes of mine.md" with @code-reviewer');
    expect(app.model.requests).toHaveLength(1);
  },
);

/** Writing a message: names of files and agents, commands, what is attached, messages of before. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import { RED } from '../../tests/support/images.ts';
import { pdf } from '../../tests/support/pdf.ts';
import { expectAccessible } from '../support/accessible.ts';
import { expect, test } from '../support/test.ts';

const RED_PNG = { name: 'red.png', mimeType: 'image/png', buffer: RED };
const NOTES = { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('# Notes\n\nThe word is heron.\n') };

test('a file is named by keyboard, pictures and texts go out with the message and survive a reload', async ({
  start,
}) => {
  const app = await start(plainAnswer());
  const { page } = app;
  const chips = page.getByRole('list', { name: 'Attached' });
  await page.locator('input[type=file]').setInputFiles([RED_PNG, NOTES]);
  await expect(chips.getByRole('button')).toHaveCount(2);
  await page.reload();
  await expect(chips.getByRole('listitem')).toHaveText([/red\.png/, /notes\.md/]);
  await app.message.pressSequentially('Look at @su');
  await expect(page.getByRole('option', { name: /src\/sum\.js/ })).toHaveAttribute('aria-selected', 'true');
  await app.message.press('Enter');
  await expect(app.message).toHaveValue('Look at @src/sum.js ');
  await app.message.press('Enter');
  await expect(app.message).toHaveValue('');
  await expect(chips).toBeHidden();
  await expect(app.workflow().getByRole('img', { name: 'A picture that you sent' })).toBeVisible();
  await app.workflow().getByText('notes.md').click();
  await expect(app.workflow()).toContainText('The word is heron.');
  const sent = JSON.stringify(app.model.requests[0]?.body.messages);
  expect(sent).toContain(RED.toString('base64'));
  expect(sent).toContain('Look at @src/sum.js\\n\\n<resource id=');
});

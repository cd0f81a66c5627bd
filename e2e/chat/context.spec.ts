/** What the project tells the lead: beside the conversation, and untold until the person trusts it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import { expectAccessible } from '../support/accessible.ts';
import { expect, fullSpec, test } from '../support/test.ts';

test(
  'an untrusted file waits; once it is trusted the panel shows its text and the lead is told',
  fullSpec([
    'tests/lib/chat/context.test.ts › what is told, and of what waits for trust the instructions alone; a change is read again',
    'tests/core/workflows/instructions.test.ts › in nobody’s before they are trusted, nor once they have changed',
  ]),
  async ({ start }) => {
    const app = await start(plainAnswer());
    const { page } = app;
    await writeFile(join(app.workspace, 'AGENTS.md'), '# How we work\nBuild with make.\n');
    await app.send('Say hi');
    await app.button('Context').click();
    const panel = page.getByRole('region', { name: 'Context' });
    await expect(panel.getByText('1 file waits for your trust, untold until then', { exact: true })).toBeVisible();
    await expectAccessible(page, 'the context of a conversation');
    await panel.getByRole('link', { name: 'Look and trust' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('instructions for agents, 31 bytes: How we work');
    await dialog.getByRole('button', { name: 'Trust 1 file' }).click();
    await expect(dialog).toBeHidden();
    await page.goBack();
    await app.button('Context').click();
    await panel.getByText('AGENTS.md').click();
    await expect(panel).toContainText('Build with make.');
    await app.send('Again');
    await expect.poll(() => JSON.stringify(app.model.requests.at(-1)?.body.system)).toContain('Build with make.');
  },
);

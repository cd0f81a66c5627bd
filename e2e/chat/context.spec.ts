/** What the project tells the lead: beside the conversation, and untold until the person trusts it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { plainAnswer } from '../../tests/support/fake-model/scenarios.ts';
import { expectAccessible } from '../support/accessible.ts';
import { expect, fullSpec, test } from '../support/test.ts';

test(
  'an untrusted instruction file is excluded, and is sent to the lead after the person trusts it',
  fullSpec([
    'tests/lib/chat/context.test.ts › lists loaded instructions and untrusted instruction files, and reloads after a change',
    'tests/core/workflows/instructions.test.ts › instructions that are untrusted or have changed since are in no request',
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

/** A yes with changes to a stage of a chain: the stage runs with them, and the history shows both. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { delegateTo } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text } from '../../tests/support/fake-model/script.ts';
import { expectAlsoAccessible } from '../support/accessible.ts';
import { expect, fullSpec, test } from '../support/test.ts';

const agent = (name: string, keys = '') =>
  `---\nname: ${name}\ndescription: Works\ntools: [read_file, write_file]\n${keys}---\nYou are the ${name}.\n`;
const FILES = { 'finder.md': agent('finder', 'next: writer\n'), 'writer.md': agent('writer') };

test(
  'a chain stage that was edited in the approval form runs with the edits',
  fullSpec([
    'tests/lib/approvals/served-edits.test.ts › sends an edit of a stage with the answer, and marks the stage as edited',
    'tests/core/approvals/edited-serving.test.ts › an edited stage runs with its prompt, tools and limits, and the lead reads the changes',
  ]),
  async ({ start }) => {
    const script = new Script()
      .on({ system: /You are the finder/ })
      .reply([text('Three facts.')])
      .on({ system: /You write briefly/ })
      .reply([text('# Report: brief\n\n## Summary\n\nThree of them.')])
      .on({ tools: ['delegate_task'], step: 1 })
      .reply([delegateTo('finder', 'Find the facts.')])
      .on({ tools: ['delegate_task'] })
      .reply([text('The lead has the report.')]);
    const app = await start(script, {
      before: async ({ home }) => {
        await mkdir(join(home, 'agents'), { recursive: true });
        for (const [name, content] of Object.entries(FILES)) await writeFile(join(home, 'agents', name), content);
        return () => Promise.resolve();
      },
    });
    await app.send('Find and report.');
    await app.unfoldForm();
    const stage = app.question.locator('[data-edits] details').filter({ hasText: 'writer' });
    await stage.locator('summary').click();
    await stage.getByRole('textbox', { name: 'System prompt' }).fill('You write briefly.');
    await stage.getByRole('checkbox', { name: 'write_file' }).uncheck();
    await expect(stage.locator('summary')).toContainText('edited');
    await expectAlsoAccessible(app.page, 'the form of a stage');
    await app.question.getByRole('button', { name: 'Allow once' }).click();
    await app.expectOutcome('completed');
    await expect(app.page.getByText('Three of them.').first()).toBeVisible();
  },
);

/** The key of the yes in the fields of a question, and what of the question stays in sight meanwhile. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { spawn } from '../../tests/support/fake-model/scenarios.ts';
import type { App } from '../support/app.ts';
import { leadCalls, threeWrites } from '../support/scripts.ts';
import { expect, fullSpec, test } from '../support/test.ts';

/** Presses the key of the yes where the focus is, as soon as answers count. */
async function allowByKey(app: App, button: string | RegExp = 'Allow once'): Promise<void> {
  await expect(app.question.getByRole('button', { name: button })).toHaveAttribute('aria-disabled', 'false');
  await app.page.keyboard.press('ControlOrMeta+Enter');
}

test(
  'the header stays above a long form, and the Allow key works in form fields but not in the box for questions',
  fullSpec([
    'e2e/approvals/questions.spec.ts › closing the approvals answers none of them; one is rejected, the others are allowed together with their edits',
    'tests/lib/approvals/answer-keys.alone.test.ts › allows from a field of the answer, and from no other text field',
    'tests/lib/app/approval-draft.test.ts › are counted one by one as edits, and a problem stays until its field changes',
  ]),
  async ({ start }) => {
    const app = await start(
      leadCalls([spawn({ name: 'inspector', prompt: 'Inspect it.' })], [{ prompt: /./, task: 'it' }]),
    );
    await app.page.setViewportSize({ width: 1024, height: 600 });
    await app.send('Inspect this project.');
    await expect(app.decision).toBeFocused();
    await expect(app.question.getByRole('button', { name: 'Allow once' })).toHaveAttribute('aria-disabled', 'false');
    await app.page.keyboard.press('ControlOrMeta+/');
    const ask = app.question.getByRole('textbox', { name: 'Ask lead first' });
    await expect(ask).toBeFocused();
    await allowByKey(app);
    await expect(app.question, 'no answer to the question').toBeVisible();
    await app.unfoldForm();
    await expect(app.field('Prompt')).toBeFocused();
    await ask.focus();
    await expect(app.question.getByRole('heading', { level: 2 })).toBeInViewport({ ratio: 1 });
    expect(
      await app.question.evaluate((dialog) => [dialog.scrollTop, dialog.scrollHeight - dialog.clientHeight]),
    ).toEqual([0, 0]);

    await app.field('Turns at most').fill('0');
    await allowByKey(app);
    const refused = app.page.getByText('must be at least 1', { exact: true });
    await expect(refused, 'under the field').toBeInViewport();
    await expect(app.field('Turns at most')).toHaveAttribute('aria-invalid', 'true');
    await app.field('Turns at most').fill('7');
    await expect(refused).toHaveCount(0);
    await allowByKey(app);
    await app.expectOutcome('completed');
    await app.footer().getByRole('link', { name: 'Open in history' }).click();
    await app.page.getByRole('tab', { name: /^Approvals/ }).click();
    await expect(app.page.getByRole('tabpanel').getByText('edited', { exact: true })).toBeVisible();
  },
);

test(
  'the Allow button and its key give the selected grant, also from within the fields of the grant',
  fullSpec([
    'tests/lib/approvals/approval-modal.server.test.ts › the allow button names the chosen scope of a grant, and otherwise a single call',
    'tests/lib/approvals/answer-keys.alone.test.ts › allows from a field of the answer, and from no other text field',
  ]),
  async ({ start }) => {
    const app = await start(threeWrites());
    await app.send('Write them.');
    await app.question.getByRole('button', { name: 'More than once…' }).click();
    await app.field('this conversation').check();
    await expect(app.question.getByRole('button', { name: 'Allow once' })).toHaveCount(0);
    await app.field('Pattern').fill('docs/one.md');
    await allowByKey(app, 'Allow in this conversation');
    await expect(app.page.getByText(/^Granted for this conversation: lead may use write_file/)).toBeVisible();
    await expect(app.question.getByRole('button', { name: 'Allow once' }), 'of the next one').toBeVisible();
  },
);

test(
  'the approval heading shows a changed file name, and the list of answers shows the new name',
  fullSpec([
    'tests/lib/approvals/approval-modal.server.test.ts › names the file of the edit in its heading',
    'tests/core/approvals/asked-and-open.test.ts › shows the title of the edited call',
  ]),
  async ({ start }) => {
    const app = await start(
      new Script()
        .on({ step: 1 })
        .reply([toolUse('write_file', { path: 'one.md', content: 'One.\n' })])
        .on({})
        .reply([text('Written.')]),
    );
    await app.send('Write it.');
    const title = app.question.getByRole('heading', { level: 2 });
    await expect(title).toContainText('Write one.md (+1 −0)?');
    await app.unfoldForm();
    await expect(app.field('Content'), 'no name is changed by accident').toBeFocused();
    await app.page.keyboard.press('ControlOrMeta+End');
    await app.page.keyboard.type('Two.');
    await app.question.getByRole('textbox', { name: 'Path' }).fill('other.md');
    await expect(title).toHaveText('Write other.md?');
    await expect(app.question.getByText('with your edits: path, content')).toBeVisible();
    await allowByKey(app);
    await app.expectOutcome('completed');
    expect(await readFile(join(app.workspace, 'other.md'), 'utf8')).toBe('One.\nTwo.');

    await app.page.getByRole('link', { name: 'Approvals' }).click();
    const answered = app.page.getByRole('row', { name: /Write other\.md/ });
    await expect(answered).toContainText('Allowed, edited');
  },
);

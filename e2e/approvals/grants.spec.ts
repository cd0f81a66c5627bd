/** Around a yes for more than once, which `inbox.spec.ts` gives: a pattern that does not fit, and what cannot be undone. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { threeWrites } from '../support/scripts.ts';
import { expectAlsoAccessible } from '../support/accessible.ts';
import { expect, fullSpec, test } from '../support/test.ts';

test(
  'a pattern that does not match the call is refused, and the question stays',
  fullSpec([
    'tests/core/approvals/answers.test.ts › are made as the person wishes, within the offer and about this very call',
    'tests/core/approvals/gate.test.ts › that grants more gives it once it is taken, and not where the grant does not fit',
  ]),
  async ({ start }) => {
    const app = await start(threeWrites());
    await app.send('Write them.');
    await app.question.getByRole('button', { name: 'More than once…' }).click();
    await expectAlsoAccessible(app.page, 'a yes for more than once');
    await app.field('Pattern').fill('src/**');
    await app.question.getByRole('button', { name: 'Allow in this workflow' }).click();
    await expect(app.question.getByText('The pattern must match what this question is about')).toBeVisible();
    await app.reject('');
    await expect(app.question.getByRole('heading', { level: 2 })).toContainText('docs/two.md');
  },
);

test(
  'what was granted stays on the screen for a while, and is taken back there',
  fullSpec('tests/lib/approvals/ways-to-answer.test.ts › says what was granted, and revokes that very grant'),
  async ({ start }) => {
    const app = await start(threeWrites());
    await app.send('Write them.');
    await app.question.getByRole('button', { name: 'More than once…' }).click();
    await app.field('this project, always').check();
    await app.field('Pattern').fill('docs/one.md');
    await app.question.getByRole('button', { name: 'Always allow for this project' }).click();
    await expect(
      app.page.getByText('Granted for this project, always: lead may use write_file on docs/one.md'),
    ).toBeVisible();
    await expect(app.question.getByRole('heading', { level: 2 })).toContainText('docs/two.md');
    await app.page.locator('[data-sonner-toast]').hover();
    await expectAlsoAccessible(app.page, 'what was granted, as a message over the page');
    await app.page
      .getByRole('region', { name: /^Notifications/ })
      .getByRole('button', { name: 'Undo' })
      .click();
    await expect(
      app.page.getByText('Revoked: it no longer allows lead to use write_file on docs/one.md'),
    ).toBeVisible();
  },
);

test(
  'what its agent says cannot be undone is allowed only in a second step',
  fullSpec([
    'tests/core/approvals/request-approval.test.ts › what cannot be undone needs the second step',
    'e2e/approvals/asks.spec.ts › a message, an approval and the look at its result need no mouse; choices, words and a skipped question are answered by keyboard and reach the agent',
  ]),
  async ({ start }) => {
    const input = { action: 'Send the letter', reason: 'It is due.', reversible: false };
    const app = await start(
      new Script()
        .on({ step: 1 })
        .reply([toolUse('request_approval', input)])
        .on({})
        .reply([text('Sent.')]),
    );
    await app.send('Send it.');
    await expect(app.question.getByText('its agent says that it cannot be undone', { exact: true })).toBeVisible();
    await expect(app.question.getByRole('button', { name: 'More than once…' })).toHaveCount(0);

    await app.allow();
    await expect(app.question.getByRole('alert')).toHaveText('Its agent says that this cannot be undone.');
    expect(app.model.requests).toHaveLength(1);
    await app.question.getByRole('button', { name: 'Back' }).click();
    await expect(app.question.getByRole('alert')).toHaveCount(0);
    await app.allow();
    const confirm = app.question.getByRole('button', { name: 'Allow what cannot be undone' });
    await expect(confirm).toHaveAttribute('aria-disabled', 'false');
    await confirm.press('Enter');
    await app.expectOutcome('completed');
  },
);

test(
  'a write is undone and done again where it stands in the transcript, also after a reload',
  fullSpec([
    'tests/core/runs/undo.test.ts › the bytes and the mode are put back, a new file goes, and both come again',
    'tests/core/runs/undo.test.ts › what was changed since is never overwritten, nor is what was removed made again',
    'tests/lib/runs/call-row.test.ts › offers a button for %j, which is %s: %s',
  ]),
  async ({ start }) => {
    const app = await start(
      new Script()
        .on({ step: 1 })
        .reply([toolUse('write_file', { path: 'data.bin', content: 'text' })])
        .on({})
        .reply([text('Replaced.')]),
    );
    const file = join(app.workspace, 'data.bin');
    await writeFile(file, new Uint8Array(64));
    await app.send('Replace it.');
    await expect(app.question.getByText('can be undone', { exact: true })).toBeVisible();
    await expect(app.question.getByRole('button', { name: 'More than once…' }), 'it cannot be shown whole').toHaveCount(
      0,
    );
    await app.allow();
    await app.expectOutcome('completed');
    expect(await readFile(file, 'utf8')).toBe('text');

    const row = app.workflow().getByRole('button', { name: /write_file/ });
    const open = async (): Promise<void> => {
      if ((await row.getAttribute('aria-expanded')) === 'false') await row.click();
    };
    await open();
    await app.button('Undo').click();
    await expect(row).toContainText('undone');
    expect(await readFile(file)).toEqual(Buffer.alloc(64));

    await app.page.reload();
    await expect(row).toContainText('undone');
    await open();
    await app.button('Redo').click();
    await expect(app.button('Undo')).toBeVisible();
    expect(await readFile(file, 'utf8')).toBe('text');

    await writeFile(file, 'mine');
    await app.button('Undo').click();
    await expect(
      app.page.getByText('data.bin: what was changed since is in the way. Nothing was undone'),
    ).toBeVisible();
    const asked = app.page.getByRole('dialog', { name: 'Undo what this call of lead changed?' });
    await expect(asked).toContainText('Changed since outside of this conversation');
    await asked.getByRole('button', { name: 'Close' }).click();
    await expect(asked).toHaveCount(0);
    expect(await readFile(file, 'utf8')).toBe('mine');
  },
);

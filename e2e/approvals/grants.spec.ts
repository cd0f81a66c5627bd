/** Around a yes for more than once, which `inbox.spec.ts` gives: a pattern that does not fit, and what cannot be undone. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { threeWrites } from '../support/scripts.ts';
import { expectAlsoAccessible } from '../support/accessible.ts';
import { expect, fullSpec, test } from '../support/test.ts';

test(
  'rejects a grant whose pattern does not match the call, and leaves the approval open',
  fullSpec([
    'tests/core/approvals/answers.test.ts › are created with the requested limits, within the offer and only if they match the call',
    'tests/core/approvals/gate.test.ts › with a grant gives the grant after the decision, and is rejected if the grant is invalid',
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
  'a notification shows a new grant and can revoke it',
  fullSpec(
    'tests/lib/approvals/ways-to-answer.test.ts › shows the scope of a new grant, and revokes exactly this grant',
  ),
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
  'an action that its agent marks as irreversible requires a second confirmation',
  fullSpec([
    'tests/core/approvals/request-approval.test.ts › an irreversible action must be confirmed',
    'e2e/approvals/asks.spec.ts › the person sends a message, approves a sub-agent and answers or skips questions without a mouse',
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
  'a write can be undone and redone in the transcript, also after a reload',
  fullSpec([
    'tests/core/runs/undo.test.ts › undo restores bytes and mode and deletes a new file, and redo writes both again',
    'tests/core/runs/undo.test.ts › undo never overwrites a file that changed since, and counts a created file deleted since as undone',
    'tests/lib/runs/call-row.server.test.ts › offers a button for %j, which is %s: %s',
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

/** A yes for more than once answers the same again, and nothing else; what cannot be undone needs a second step. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CHILD, LEAD, spawn } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { expect, inSoak, test } from '../support/test.ts';

const write = (path: string) => toolUse('write_file', { path, content: `This is ${path}.\n` });

/** The lead writes two files of a folder, then has a helper write a third one. */
function threeWrites(): Script {
  return new Script()
    .on({ ...LEAD, step: 1 })
    .reply([write('docs/one.md')])
    .on({ ...LEAD, step: 2 })
    .reply([write('docs/two.md')])
    .on({ ...LEAD, step: 3 })
    .reply([spawn({ name: 'helper', prompt: 'Write the third.', tools: ['write_file'] })])
    .on({ ...CHILD, step: 1 })
    .reply([write('docs/three.md')])
    .on(CHILD)
    .reply([text('# Report: written')])
    .on(LEAD)
    .reply([text('All is written.')]);
}

test('"always for this project" is not asked again for the pattern, and is asked for another agent', async ({
  start,
}) => {
  const app = await start(threeWrites(), { files: { 'docs/zero.md': 'Zero.\n' } });
  await app.send('Write them.');
  const title = app.question.getByRole('heading', { level: 2 });
  await expect(title).toContainText('docs/one.md');

  const more = app.question.getByRole('button', { name: 'More than once…' });
  await more.focus();
  await app.page.keyboard.press('Enter');
  await expect(more).toHaveAttribute('aria-expanded', 'true');
  await expect(app.field('Pattern')).toHaveValue('docs/one.md');
  await app.question.getByRole('radio', { name: 'this workflow' }).focus();
  await app.page.keyboard.press('ArrowDown');
  await app.page.keyboard.press('ArrowDown');
  await expect(app.question.getByRole('radio', { name: 'this project, always' })).toBeChecked();
  await app.field('Pattern').fill('docs/*.md');
  await expect(app.question.getByText('It allows now: docs/zero.md.')).toBeVisible();
  await app.question.getByRole('button', { name: 'Always allow for this project' }).press('Enter');

  await app.allow('helper');
  await expect(title, 'the second file was not asked about').toContainText('docs/three.md');
  await expect(app.question.getByText(/^Asked by .*helper/)).toBeVisible();
  expect(await readFile(join(app.workspace, 'docs/two.md'), 'utf8')).toBe('This is docs/two.md.\n');
  await app.allow();
  await app.expectOutcome('completed');
  if (!inSoak()) return;

  // What stands there already is not asked about.
  await writeFile(join(app.workspace, 'docs/three.md'), 'Something else.\n');
  await app.send('Write them again.');
  await app.allow('helper');
  await app.reject('Enough.');
  await app.expectOutcome('completed');
});

test(
  'a pattern that does not match the call is refused, and the question stays',
  { tag: '@soak' },
  async ({ start }) => {
    const app = await start(threeWrites());
    await app.send('Write them.');
    await app.question.getByRole('button', { name: 'More than once…' }).click();
    await app.field('Pattern').fill('src/**');
    await app.question.getByRole('button', { name: 'Allow in this workflow' }).click();
    await expect(app.question.getByText('The pattern must match what this question is about')).toBeVisible();
    await app.reject('');
    await expect(app.question.getByRole('heading', { level: 2 })).toContainText('docs/two.md');
  },
);

test('what its agent says cannot be undone is allowed only in a second step', { tag: '@soak' }, async ({ start }) => {
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
});

test(
  'a write is undone and done again where it stands in the transcript, also after a reload',
  { tag: '@soak' },
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
    expect(await readFile(file, 'utf8')).toBe('mine');
  },
);

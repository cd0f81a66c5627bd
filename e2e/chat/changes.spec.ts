/** What three agents changed is looked at, undone with what is in conflict said first, done again, kept and committed. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expectAccessibleInBoth, SAME_PAGE } from '../support/accessible.ts';
import { EDITED, threeEditors } from '../support/change-screens.ts';
import { expect, fullSpec, type Start, test } from '../support/test.ts';

const git = async (cwd: string, ...args: string[]): Promise<string> =>
  (await promisify(execFile)('git', args, { cwd })).stdout.trim();

/** Adds a hook that refuses commits, and returns its path. */
async function addHook(folder: string): Promise<string> {
  const hook = join(folder, '.git/hooks/pre-commit');
  await mkdir(join(hook, '..'), { recursive: true });
  await writeFile(hook, '#!/bin/sh\necho The linter failed\nexit 1\n', { mode: 0o755 });
  return hook;
}

/** The panel with what three agents changed. */
async function changed(start: Start) {
  const app = await start(threeEditors(), EDITED);
  const { page } = app;
  const opener = page.getByRole('button', { name: /^Changes/ });
  await expect(opener, 'no agent has changed anything').toHaveCount(0);
  await app.send('Have two of you edit it.');
  await app.expectOutcome('completed');
  await opener.focus();
  await page.keyboard.press('Enter');
  // Before, a page that came when a sub-agent had ended would name no number.
  await expect(opener).toHaveAccessibleName('Changes: 4 files to look at');
  const panel = page.getByRole('region', { name: 'Changes' });
  return {
    app,
    page,
    opener,
    panel,
    asked: page.getByRole('dialog'),
    told: panel.getByRole('status'),
    file: (path: string) => readFile(join(app.workspace, path), 'utf8'),
  };
}

test(
  'changes of one agent are undone after a list of conflicts, and redone; the commit dialog lists its programs',
  { tag: '@browser', annotation: SAME_PAGE },
  async ({ start }) => {
    const { app, page, panel, asked, told, file } = await changed(start);
    await expect(panel.getByRole('heading', { level: 3 })).toHaveText([
      /lead.*1 file$/,
      /first-editor.*3 files$/,
      /second-editor.*2 files$/,
    ]);
    await expectAccessibleInBoth(page, 'changes');

    // One of the first editor's files was written over by the second one.
    await panel.getByRole('button', { name: 'Undo all…: first-editor' }).press('Enter');
    await expect(asked.getByRole('list', { name: /^In conflict/ })).toHaveText(
      /clash\.txt – .*(in the way|changed since)/,
    );
    await expect(asked.getByRole('list', { name: /^Taken out/ })).toHaveText('shared.txt');
    await expect(asked.getByRole('list', { name: /^Removed/ })).toHaveText('made/by-first.txt');
    expect(await file('made/by-first.txt'), 'a look changes nothing').toBe('By the first.\n');
    await page.keyboard.press('Escape');
    await expect(panel.getByRole('button', { name: 'Undo all…: first-editor' }), 'the focus is back').toBeFocused();
    await page.keyboard.press('Enter');
    await asked.getByRole('button', { name: 'Undo the others, leave these' }).click();
    await expect(told).toContainText(
      'Undone: 1 file as it was before, 1 file merged with what came since, 1 file left as it is.',
    );
    await expect(file('made/by-first.txt')).rejects.toThrow('ENOENT');
    expect(await file('shared.txt')).toMatch(/^line 1\n[^]*line 20, by the second\n$/);
    expect(await file('clash.txt')).toBe('By the second.\n');
    const redo = told.getByRole('button', { name: 'Redo' });
    await expect(redo, 'the list is loaded').toBeEnabled();
    await redo.press('Enter');
    await expect(told).toContainText('Done again: ');
    await expect(redo).toHaveCount(0);
    await expect(panel.locator(':focus'), 'the focus stays where its button was').toHaveCount(1);
    expect(await file('shared.txt')).toMatch(/^line 1, by the first\n[^]*line 20, by the second\n$/);
    expect(await file('made/by-first.txt')).toBe('By the first.\n');

    await git(app.workspace, 'init', '-q');
    await addHook(app.workspace);
    await panel.getByRole('button', { name: 'Commit…' }).click();
    await expect(asked.getByRole('list', { name: 'Git runs these programs outside the sandbox' })).toHaveText(
      /^Hook pre-commit\s+\.git\/hooks\/pre-commit$/,
    );
  },
);

test(
  'changes of agents are undone by part, accepted, committed, and reverted to the state before a message',
  fullSpec(
    [
      'tests/core/runs/undo.test.ts › undoes one hunk of a file, and marks a committed file as kept',
      'tests/lib/changes/rewind.test.ts › forks and undoes files in one request, and can redo the files',
      'tests/core/workflows/rewind.test.ts › rewinding undoes the files since the message and makes a fork whose next request lacks that message',
    ],
    { tag: '@browser', annotation: SAME_PAGE },
  ),
  async ({ start }) => {
    const { app, page, opener, panel, asked, told, file } = await changed(start);
    // What is undone in the conversation is told here, too.
    await app.workflow().getByRole('button', { name: 'Undo', exact: true }).click();
    await panel.getByRole('button', { name: 'Redo: notes.md by lead' }).click();
    await expect(app.workflow().getByRole('button', { name: 'Undo', exact: true })).toBeVisible();

    // The conflict of one file alone is told with who changed it since.
    await panel.getByRole('button', { name: 'Undo: clash.txt by first-editor' }).click();
    await expect(told).toContainText(/clash\.txt: .*Nothing was undone/);
    await expect(asked).toContainText('Changed since by');
    await asked.getByRole('button', { name: 'Close' }).click();

    await panel.getByRole('button', { name: 'By file' }).click();
    await panel.getByRole('button', { name: 'shared.txt', exact: true }).press('Enter');
    const parts = panel.getByRole('list', { name: 'Parts' });
    await expect(parts).toHaveCount(2);
    await expect(parts.first().getByRole('group', { name: 'shared.txt, part 1' })).toContainText(
      '+ line 1, by the first',
    );
    await expect(parts.first().getByRole('listitem')).toHaveCount(2);
    await parts.first().getByRole('button', { name: 'Undo: part 2' }).click();
    await expect(parts.first().getByRole('listitem').nth(1)).toContainText('undone');
    await expect(panel.getByRole('group', { name: 'shared.txt, part 2' }).first()).toBeFocused();
    expect(await file('shared.txt')).toMatch(
      /^line 1, by the first\nline 2\n[^]*line 10\nline 11\n[^]*line 20, by the second\n$/,
    );
    await expectAccessibleInBoth(page, 'parts of a file');

    await panel.getByRole('button', { name: 'Keep: notes.md by lead' }).click();
    await expect(panel.getByRole('button', { name: 'Keep: notes.md by lead' })).toHaveAttribute('aria-pressed', 'true');
    await expect(opener).toHaveAccessibleName('Changes: 3 files to look at');

    await git(app.workspace, 'init', '-q');
    for (const [name, value] of [
      ['name', 'A Person'],
      ['email', 'person@example.com'],
    ])
      await git(app.workspace, 'config', `user.${name}`, value!);
    const hook = await addHook(app.workspace);
    await panel.getByRole('button', { name: 'Commit…' }).click();
    await expect(asked.getByLabel('Message')).toHaveValue('');
    await asked.getByRole('button', { name: /^Commit / }).click();
    await expect(asked.getByText('Write what the commit is about.')).toBeVisible();
    await expect(asked.getByRole('checkbox', { name: 'notes.md' })).toBeChecked();
    await asked.getByRole('checkbox', { name: 'made/by-first.txt' }).uncheck();
    // A part of it is undone: it is not as an agent left it.
    await expect(asked.getByRole('checkbox', { name: 'shared.txt' })).not.toBeChecked();
    await asked.getByRole('checkbox', { name: 'shared.txt' }).check();
    await asked.getByLabel('Message').fill('Add notes');
    await expectAccessibleInBoth(page, 'commit');
    await asked.getByRole('button', { name: /^Commit / }).click();
    await expect(asked.getByRole('status').first()).toContainText('“The linter failed”');
    await writeFile(hook, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    await asked.getByRole('button', { name: /^Commit / }).click();
    await expect(asked.getByRole('status').first()).toContainText('The programs that this commit runs have changed.');
    await asked.getByRole('button', { name: /^Commit / }).click();
    await expect(told).toContainText(/^Committed 3 files as [0-9a-f]{7,}\./);
    const committed = (await git(app.workspace, 'show', '--name-only', '--format=%s', 'HEAD'))
      .split('\n')
      .filter(Boolean);
    expect(committed).toEqual(['Add notes', 'clash.txt', 'notes.md', 'shared.txt']);

    await panel.getByRole('button', { name: 'Close the changes' }).click();
    await expect(panel).toHaveCount(0);
    await expect(opener).toBeFocused();

    // After a reload the page does not have the calls of sub-agents: it gives no number that could be wrong.
    await page.reload();
    await expect(opener).toHaveAccessibleName('Changes');
    await opener.click();
    // What was committed is kept.
    await expect(opener).toHaveAccessibleName('Changes: 1 file to look at');
    await panel.getByRole('button', { name: 'Close the changes' }).click();

    // Before the message nothing of this was there, and the lead had not heard of it.
    const back = app.workflow().getByRole('button', { name: /^Go back to before this…/ });
    await back.press('Enter');
    await expect(asked.getByRole('list', { name: /^Put back/ })).toContainText('made/by-first.txt');
    await expect(asked.getByRole('checkbox', { name: 'Conversation' })).toBeChecked();
    await asked.getByRole('checkbox', { name: 'Conversation' }).uncheck();
    await asked.getByRole('checkbox', { name: 'Files' }).uncheck();
    await asked.getByRole('button', { name: 'Go back' }).click();
    await expect(asked.getByText('Choose at least one.')).toBeVisible();
    await asked.getByRole('checkbox', { name: 'Conversation' }).check();
    await asked.getByRole('checkbox', { name: 'Files' }).check();
    await expectAccessibleInBoth(page, 'back to before a message');
    await asked.getByRole('button', { name: 'Go back' }).click();
    await expect(page.getByText('Undone: 3 files as they were before, 1 file merged')).toBeVisible();
    // The new conversation ends before the message, which waits there.
    await expect(app.workflow()).toHaveCount(0);
    await expect(page.getByText('Forked from')).toBeVisible();
    await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toHaveValue('Have two of you edit it.');
    expect(await file('clash.txt')).toBe('By the person.\n');
    await expect(file('notes.md')).rejects.toThrow('ENOENT');
    await page.getByRole('button', { name: 'Redo files' }).click();
    await expect(page.getByText('Done again')).toBeVisible();
    expect(await file('clash.txt')).toBe('By the second.\n');
  },
);

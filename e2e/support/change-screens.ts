/** Three agents that change the same files, and the screens on which that is looked at. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { CHILD, LEAD, spawn } from '../../tests/support/fake-model/scenarios.ts';
import { type Block, Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import type { App, AppOptions } from './app.ts';
import type { WorkScreen } from './work-screens.ts';

const LINES = Array.from({ length: 20 }, (_, n) => `line ${n + 1}`);
const write = (path: string, content: string): Block => toolUse('write_file', { path, content });
const edit = (path: string, ...edits: [oldText: string, newText: string][]): Block =>
  toolUse('edit_file', { path, edits: edits.map(([from, to]) => ({ old_text: from, new_text: to })) });

/** The second editor begins when the first one is done; nobody is asked about anything. */
export function threeEditors(): Script {
  const tools = ['read_file', 'write_file', 'edit_file'];
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([write('notes.md', '# Notes\n\nTwo agents edit.\n')])
    .on({ ...LEAD, step: 2 })
    .reply([spawn({ name: 'first-editor', prompt: 'Edit as the first.', tools })])
    .on({ ...LEAD, step: 3 })
    .reply([spawn({ name: 'second-editor', prompt: 'Edit as the second.', tools })])
    .on(LEAD)
    .reply([text('Both have edited.')]);
  const first = { ...CHILD, prompt: /as the first/ };
  const second = { ...CHILD, prompt: /as the second/ };
  script
    .on({ ...first, step: 1 })
    .reply([
      toolUse('read_file', { path: 'shared.txt' }),
      toolUse('read_file', { path: 'clash.txt' }),
      write('made/by-first.txt', 'By the first.\n'),
    ])
    .on({ ...first, step: 2 })
    .reply([
      edit('shared.txt', ['line 1\n', 'line 1, by the first\n'], ['line 11', 'line 11, by the first']),
      write('clash.txt', 'By the first.\n'),
    ])
    .on(first)
    .reply([text('# Report: first')])
    .on({ ...second, step: 1 })
    .reply([toolUse('read_file', { path: 'shared.txt' }), toolUse('read_file', { path: 'clash.txt' })])
    .on({ ...second, step: 2 })
    .reply([edit('shared.txt', ['line 20', 'line 20, by the second']), write('clash.txt', 'By the second.\n')])
    .on(second)
    .reply([text('# Report: second')]);
  return script;
}

export const EDITED: AppOptions = {
  files: { 'shared.txt': `${LINES.join('\n')}\n`, 'clash.txt': 'By the person.\n' },
  before: async ({ home }) => {
    await mkdir(home, { recursive: true, mode: 0o700 });
    await writeFile(join(home, 'config.toml'), '[permissions]\nmode = "auto"\n', { mode: 0o600 });
    return () => Promise.resolve();
  },
};

async function look(app: App, shoot: (screen: string) => Promise<void>): Promise<void> {
  const { page } = app;
  const panel = page.getByRole('region', { name: 'Changes' });
  const asked = page.getByRole('dialog');
  await app.send('Have two of you edit it.');
  await app.expectOutcome('completed');
  await page.getByRole('button', { name: /^Changes/ }).click();
  await expect(panel.getByRole('heading', { level: 3 })).toHaveCount(3);
  await shoot('changes');
  await panel.getByRole('button', { name: 'Undo all…: first-editor' }).click();
  await expect(asked.getByRole('list', { name: /^In conflict/ })).toBeVisible();
  await shoot('changes-preview');
  await asked.getByRole('button', { name: 'Undo the others, leave these' }).click();
  await expect(panel.getByRole('status')).toContainText('Undone');
  await shoot('changes-undone');
  await panel.getByRole('button', { name: 'By file' }).click();
  await panel.getByRole('button', { name: 'shared.txt', exact: true }).click();
  await expect(panel.getByRole('list', { name: 'Parts' })).toHaveCount(2);
  await panel.getByRole('button', { name: 'Keep: notes.md by lead' }).click();
  await shoot('changes-parts');
  await panel.getByRole('button', { name: 'Commit…' }).click();
  await asked.getByLabel('Message').fill('Add notes');
  await shoot('changes-commit');
  await asked.getByRole('button', { name: /^Commit / }).click();
  await expect(asked.getByText('Not committed')).toBeVisible();
  await shoot('changes-commit-failed');
  await page.keyboard.press('Escape');
  await panel.getByRole('button', { name: 'Close the changes' }).click();
  await page.getByRole('button', { name: /^Go back to before this…/ }).click();
  await expect(asked.getByRole('list', { name: /^Put back/ })).toBeVisible();
  await shoot('rewind');
  await asked.getByRole('button', { name: /^Go back/ }).click();
  await expect(page.getByRole('button', { name: 'Redo files' })).toBeVisible();
  await shoot('rewind-done');
}

/** A sub-agent that could write, and did not. */
const nothing: WorkScreen = {
  script: () =>
    new Script()
      .on({ ...LEAD, step: 1 })
      .reply([spawn({ name: 'first-editor', prompt: 'Edit.', tools: ['write_file'] })])
      .on(LEAD)
      .reply([text('Nothing had to be edited.')])
      .on(CHILD)
      .reply([text('# Report: nothing to edit')]),
  options: EDITED,
  go: async (app, shoot) => {
    await app.send('Have it edited.');
    await app.expectOutcome('completed');
    await app.page.getByRole('button', { name: 'Changes' }).click();
    await expect(app.page.getByText('No agent has changed a file')).toBeVisible();
    await shoot('changes-empty');
  },
};

export const CHANGE_SCREENS: readonly WorkScreen[] = [nothing, { script: threeEditors, options: EDITED, go: look }];

/** A workflow of the history names the notes that its agents read and wrote, and those that link to its session now. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LEAD } from '../../tests/support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { expect, fullSpec, test } from '../support/test.ts';

test(
  'the history lists the notes that a session read or wrote, and the notes that link to the session',
  fullSpec([
    'tests/lib/history/mounted.svelte.test.ts › lists notes that were read, written, or link to the session',
    'tests/core/runs/note-links.test.ts › a session lists the notes that its runs read and wrote, and the notes that link to the session',
  ]),
  async ({ start }) => {
    const script = new Script()
      .on({ ...LEAD, step: 1 })
      .reply([
        toolUse('read_note', { note: 'README' }),
        toolUse('write_file', { path: 'docs/plan.md', content: '# Plan\n' }),
      ])
      .on({})
      .reply([text('Done.')]);
    const app = await start(script, { files: { 'docs/log.md': '# Log\n' } });
    const { page } = app;
    await app.send('Plan it.');
    await app.allow();
    await app.expectOutcome('completed');
    const id = app.path.slice(app.path.lastIndexOf('/') + 1);
    await writeFile(join(app.workspace, 'docs/log.md'), `See ${id}.\n`);

    await page.getByRole('link', { name: 'History', exact: true }).click();
    await page.getByRole('list', { name: 'Workflows' }).getByRole('link').click();
    const notes = page.getByRole('region', { name: 'Markdown files' });
    await expect(notes).toHaveText(/Read\s*README\.md\s*Written\s*docs\/plan\.md\s*Link here\s*docs\/log\.md/);
  },
);

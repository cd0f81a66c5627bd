/** A file that the person refuses is not written. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFile } from '../../tests/support/fake-model/scenarios.ts';
import { expect, fullSpec, test } from '../support/test.ts';

test(
  'a rejected write creates no file, and the agent receives the reason',
  fullSpec('tests/core/approvals/approval.test.ts › a rejected write changes nothing and the model reads the reason'),
  async ({ start }) => {
    const app = await start(writeFile({ path: 'new/notes.md', by: 'child' }));
    await app.send('Write notes.');
    await app.allow('writer');
    await expect(app.question.getByRole('heading', { level: 2 })).toContainText('notes.md');
    await expect(app.question, 'who asks').toContainText('writer');
    const changes = app.question.getByLabel('Changes', { exact: true });
    await expect(changes, 'all of a new file').toContainText('Written by an agent.');
    await app.expectCard('writer', 'waiting for you');
    await app.reject('Not in this folder.');
    await app.expectOutcome('completed');
    await expect(readFile(join(app.workspace, 'new/notes.md'))).rejects.toThrow('ENOENT');
    const told = app.model.requests.find(({ seen }) => seen.results.some(({ isError }) => isError));
    expect(told?.seen.results[0]?.text).toContain('Not in this folder.');
  },
);

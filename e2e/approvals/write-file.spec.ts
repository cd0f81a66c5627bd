/** A file is written only after its changes were seen, and as the person left them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFile } from '../../tests/support/fake-model/scenarios.ts';
import { expect, test } from '../support/test.ts';

test('a write shows its diff, takes an edit, and writes exactly what was approved', async ({ start }) => {
  const content = '# Sample\n\nA small project with notes.\n';
  const app = await start(writeFile({ path: 'README.md', content }));
  const file = () => readFile(join(app.workspace, 'README.md'), 'utf8');
  const before = await file();
  await app.send('Improve the README.');

  await expect(app.question.getByRole('heading', { level: 2 })).toContainText('README.md');
  const changes = app.question.getByLabel('Changes', { exact: true });
  await expect(changes).toContainText('A small project.');
  await expect(changes).toContainText('A small project with notes.');
  await expect(app.field('Content')).toHaveValue(content);
  expect(await file(), 'nothing before the answer').toBe(before);

  await app.field('Content').fill('# Sample\n\nEdited by the person.\n');
  await expect(app.question.getByText('edited', { exact: true })).toBeVisible();
  await app.allow();
  await app.expectOutcome('completed');
  expect(await file()).toBe('# Sample\n\nEdited by the person.\n');

  await app.call(/^write_file/).click();
  await expect(app.workflow().getByLabel('Changes', { exact: true })).toContainText('Edited by the person.');
});

test('a rejected write changes nothing', { tag: '@soak' }, async ({ start }) => {
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
});

/** The folder of a session on disk: what an interrupted program left there, and folders that were removed. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeSession } from '#core/host/records/sessions/session-folder.ts';
import { filesBelow } from '../../../../support/session-files.ts';
import { folderWith } from '../../../../support/workspace.ts';

async function* createFiles() {
  yield await Promise.resolve({ name: 'session.md', text: 'whole' });
}

test('replaces the incomplete new folder that an interrupted write left', async () => {
  const base = await folderWith({ 'sessions/.one.tmp/session.md': 'half', 'sessions/.one.tmp/x-0123.md': 'old' });
  expect(await writeSession({ base, folder: 'sessions' }, 'one', createFiles())).toBe(1);
  expect(await filesBelow(join(base, 'sessions'))).toEqual({ 'one/session.md': 'whole' });
});

test('rejects a root whose folder was removed, and does not create the folder again', async () => {
  const folder = await folderWith({});
  const base = join(folder, 'project');
  await expect(writeSession({ base, folder: '.triad/sessions' }, 'one', createFiles())).rejects.toMatchObject({
    code: 'not_found',
    message: `${base} is not there any more`,
  });
  expect(await filesBelow(folder)).toEqual({});
});

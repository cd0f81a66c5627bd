/** Without the program that checks copies no copy is taken for a backup. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lookInto } from '#core/store/backups/copy.ts';
import { testFolder } from '../support.ts';

test('rejects a backup copy if the check program is missing, with the reason', async () => {
  const folder = await testFolder();
  const check = join(folder, 'check-copy.js');
  await expect(lookInto(folder, check)).rejects.toMatchObject({
    code: 'internal',
    message: `Copies of the store cannot be checked, because ${check} is missing: install Triad again.`,
  });
});

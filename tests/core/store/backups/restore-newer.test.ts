/** What a newer program made is not put in the place of a store that works. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { restore } from '#core/store/backups/restore.ts';
import { readMigrations } from '#core/store/opening/migrate.ts';
import { connect } from '#core/store/surreal.ts';
import { schemaDir, testFolder } from '../support.ts';

test('rejects a backup whose schema is newer than the program', async () => {
  const base = await testFolder();
  const newer = join(base, 'newer');
  const database = await connect(`rocksdb://${newer}`, { timeoutMs: 10_000 });
  const version = (await readMigrations(schemaDir)).length + 1;
  await database.query(
    `DEFINE TABLE workflow; DEFINE TABLE event; CREATE conversation:a; CREATE meta:schema SET version = ${version};`,
  );
  await database.close();
  const data = join(base, 'data');
  await mkdir(data);
  await writeFile(join(data, 'own'), '');
  await expect(restore(data, newer)).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringMatching(
      /was made by a newer Triad \(schema version \d+, this one knows \d+\): restore it with that one\.$/,
    ) as string,
  });
  expect(await readdir(data)).toEqual(['own']);
});

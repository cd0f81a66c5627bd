/** Migrations: forward only, each executed once, as one transaction. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { migrate, readMigrations } from '#core/store/opening/migrate.ts';
import { connect, openStore } from '#core/store/surreal.ts';
import { conversationRow, put, schemaDir, testFolder, openStoreOn } from '../support.ts';

const first = 'DEFINE TABLE a SCHEMAFULL; DEFINE FIELD n ON a TYPE int;';

test('applies each migration file once', async () => {
  const database = await connect('mem://', { timeoutMs: 5000 });
  const one = [{ version: 1, sql: `${first} CREATE a:1 SET n = 1;` }];
  expect(await migrate(database, one)).toBe(1);
  expect(await migrate(database, one)).toBe(1);
  const two = [...one, { version: 2, sql: '-- A comment; with a semicolon.\nUPDATE a SET n += 1;' }];
  expect(await migrate(database, two)).toBe(2);
  expect(await migrate(database, two)).toBe(2);
  expect(await database.query('SELECT VALUE n FROM a')).toEqual([[2]]);
  await expect(migrate(database, one)).rejects.toMatchObject({
    code: 'store_failed',
    message: 'The store has schema version 2, but this Triad knows only 1: use the newer Triad that wrote it.',
  });
  await database.close();
});

test('a failed migration file changes nothing', async () => {
  const database = await connect('mem://', { timeoutMs: 5000 });
  const broken = [{ version: 1, sql: `${first} CREATE a:1 SET n = 'x';` }];
  await expect(migrate(database, broken)).rejects.toThrow(/Expected `int`/);
  expect(await migrate(database, [{ version: 1, sql: first }])).toBe(1);
  await database.close();
});

test('applying the schema again to a store with rows changes no row', async () => {
  const database = await connect('mem://', { timeoutMs: 5000 });
  const migrations = await readMigrations(schemaDir);
  await migrate(database, migrations);
  const row = conversationRow();
  await openStoreOn(database).commit([put('conversation', row)]);
  await migrate(database, migrations);
  expect(await openStoreOn(database).conversation(row.id)).toEqual(row);
  await database.close();
});

test('rejects missing or misnumbered schema files', async () => {
  const folder = await testFolder();
  await expect(openStore({ url: 'mem://', schemaDir: folder })).rejects.toMatchObject({
    code: 'store_failed',
  });
  await writeFile(join(folder, '0002_second.surql'), first);
  await expect(openStore({ url: 'mem://', schemaDir: folder })).rejects.toThrow(/numbered schema files/);
});

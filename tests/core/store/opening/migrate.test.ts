/** Migrations: forward only, each once and whole, with a copy of the store before. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Database } from '#core/store/database.ts';
import { migrate, readMigrations } from '#core/store/opening/migrate.ts';
import { storeOn } from '#core/store/store-on.ts';
import { connect, openStore } from '#core/store/surreal.ts';
import { conversationRow, put, schemaDir, testFolder } from '../support.ts';

const first = 'DEFINE TABLE a SCHEMAFULL; DEFINE FIELD n ON a TYPE int;';

test('each file is carried out once', async () => {
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

test('a file that fails changes nothing', async () => {
  const database = await connect('mem://', { timeoutMs: 5000 });
  const broken = [{ version: 1, sql: `${first} CREATE a:1 SET n = 'x';` }];
  await expect(migrate(database, broken)).rejects.toThrow(/Expected `int`/);
  expect(await migrate(database, [{ version: 1, sql: first }])).toBe(1);
  await database.close();
});

test('a store that has rows takes the schema of this program again without harm', async () => {
  const database = await connect('mem://', { timeoutMs: 5000 });
  const migrations = await readMigrations(schemaDir);
  await migrate(database, migrations);
  const row = conversationRow();
  await storeOn(database).store.commit([], [put('conversation', row)]);
  await migrate(database, migrations);
  expect(await storeOn(database).store.conversation(row.id)).toEqual(row);
  await database.close();
});

/** What the engine says of every table, which names each field and index as it was defined. */
async function definitions(database: Database): Promise<unknown[]> {
  const [{ tables }] = (await database.query('INFO FOR DB')) as [{ tables: Record<string, string> }];
  const names = Object.keys(tables).sort();
  return Promise.all(names.map(async (name) => [tables[name], await database.query(`INFO FOR TABLE ${name}`)]));
}

test('a new store begins with what all files before make', async () => {
  const migrations = await readMigrations(schemaDir);
  expect(migrations.some(({ baseline }) => baseline !== undefined)).toBe(true);
  const [begun, migrated] = [
    await connect('mem://', { timeoutMs: 5000 }),
    await connect('mem://', { timeoutMs: 5000 }),
  ];
  await migrate(begun, migrations);
  await migrate(
    migrated,
    migrations.map(({ version, sql }) => ({ version, sql })),
  );
  expect(await definitions(begun)).toEqual(await definitions(migrated));
  await begun.close();
  await migrated.close();
});

test('files that are missing or misnumbered are an error', async () => {
  const folder = await testFolder();
  await expect(openStore({ url: 'mem://', schemaDir: folder })).rejects.toMatchObject({
    code: 'store_failed',
  });
  await writeFile(join(folder, '0002_second.surql'), first);
  await expect(openStore({ url: 'mem://', schemaDir: folder })).rejects.toThrow(/numbered schema files/);
});

/** Migrations: forward only, each once and whole, with a copy of the store before. */
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newId } from '#core/ids.ts';
import { migrate, readMigrations } from '#core/store/migrate.ts';
import { connect, openStore, storeOn } from '#core/store/surreal.ts';
import { startChild } from './child/run.ts';
import { conversationRow, put, schemaDir, testFolder } from './support.ts';

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
    message:
      'The store has schema version 2, but this Triad knows only 1: use the newer Triad that wrote it.',
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
  await storeOn(database).commit([], [put('conversation', row)]);
  await migrate(database, migrations);
  expect(await storeOn(database).conversation(row.id)).toEqual(row);
  await database.close();
});

test('files that are missing or misnumbered are an error', async () => {
  const folder = await testFolder();
  await expect(openStore({ url: 'mem://', schemaDir: folder })).rejects.toMatchObject({
    code: 'store_failed',
  });
  await writeFile(join(folder, '0002_second.surql'), first);
  await expect(openStore({ url: 'mem://', schemaDir: folder })).rejects.toThrow(/numbered schema files/);
});

test('before a folder is migrated it is copied, and an older program refuses it afterwards', async () => {
  const base = await testFolder();
  const [store, newer] = [join(base, 'data', 'store'), join(base, 'schema')];
  const write = async (...args: string[]) => {
    const child = startChild('store.ts', ['open', store, newId(), ...args]);
    const line = await child.line();
    await child.ended;
    return line;
  };
  expect(await write()).toBe('opened');
  expect(await readFile(`${store}.schema-version`, 'utf8')).toBe('1\n');
  await mkdir(newer);
  await cp(schemaDir, newer, { recursive: true });
  await writeFile(join(newer, '0002_second.surql'), first);
  expect(await write(newer)).toBe('opened');
  expect(await readFile(`${store}.schema-version`, 'utf8')).toBe('2\n');
  expect((await readdir(join(base, 'data'))).sort()).toEqual([
    'store',
    'store.backup-v1',
    'store.schema-version',
  ]);
  expect(await readdir(`${store}.backup-v1`)).toContain('CURRENT');
  expect(await write()).toContain('use the newer Triad that wrote it');
  // Also where the version beside it was lost: the store knows it as well.
  await writeFile(`${store}.schema-version`, '');
  expect(await write()).toContain('use the newer Triad that wrote it');
  await cp(`${store}.backup-v1`, join(base, 'restored'), { recursive: true });
  const restored = startChild('store.ts', ['open', join(base, 'restored')]);
  expect(await restored.line()).toBe('opened');
});

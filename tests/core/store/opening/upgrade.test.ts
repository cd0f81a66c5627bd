/** A verified backup is made before an upgrade. The migrated store has all rows, and refuses an older program. */
import { cp, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { newId } from '#core/base/ids.ts';
import { backupsOf } from '#core/store/backups/backups.ts';
import { connect } from '#core/store/surreal.ts';
import { startChild } from '../child/run.ts';
import { builtProgram, ROOT } from '../../../support/program.ts';
import { fullTest } from '../../../support/samples.ts';
import { makeFilledStore } from '../finished.ts';
import { copiedStore, extendSchema, newestSchema, schemaDir, testFolder } from '../support.ts';

const CHECK = builtProgram(join(ROOT, 'src/core/store/backups/check-copy.ts'));
const isRoot = process.getuid?.() === 0;

/** What a process of its own says of tasks on a store, a line for each. */
async function lines(tasks: string, store: string, schema = schemaDir): Promise<string[]> {
  const child = startChild('store.ts', [tasks, store, newId(), schema]);
  await child.ended;
  return child.lines;
}
async function open(store: string, schema?: string): Promise<string> {
  const said = await lines('open', store, schema);
  expect(said).toHaveLength(1);
  return said[0] ?? '';
}
async function look(store: string, schema?: string): Promise<unknown> {
  const [line = ''] = await lines('look', store, schema);
  return JSON.parse(line);
}
/** What the copy of a store holds, as the check says that every backup has to pass. */
async function heldBy(copy: string): Promise<unknown> {
  const child = spawn(process.execPath, [CHECK, copy], { stdio: ['pipe', 'pipe', 'inherit'] });
  return json(child.stdout);
}
/** The column of each workflow that the first added schema file defines. */
async function addedIn(store: string): Promise<unknown> {
  // The engine keeps the lock of a folder until the process ends.
  const copy = join(await testFolder(), 'store');
  await cp(store, copy, { recursive: true });
  const database = await connect(`rocksdb://${copy}`, { timeoutMs: 30_000 });
  const [rows] = await database.query('SELECT VALUE added_1 FROM workflow');
  await database.close();
  return rows;
}
async function versionOf(store: string): Promise<number> {
  return Number(await readFile(`${store}.schema-version`, 'utf8'));
}
async function backupNames(base: string): Promise<string[]> {
  return (await readdir(join(base, 'backups')).catch(() => [])).sort();
}
test('migrates a store after a verified backup, and an older program refuses the migrated store', async () => {
  const base = await testFolder();
  const store = await makeFilledStore(base);
  const before = await look(store);
  expect(await versionOf(store)).toBe(newestSchema);
  const schema = await extendSchema(base, 1);
  expect(await open(store, schema)).toBe('opened');
  expect(await versionOf(store)).toBe(newestSchema + 1);
  expect(await look(store, schema)).toEqual(before);
  expect(await addedIn(store)).toEqual([1, 1, 1]);
  const [backup = '', ...others] = await backupNames(base);
  expect([backup, ...others]).toEqual([expect.stringMatching(/^upgrade-\d{14}-[0-9a-f]{8}$/)]);
  expect((await stat(join(base, 'backups', backup))).mode & 0o777).toBe(0o700);
  const holds = { conversations: 2, workflows: 3, events: expect.any(Number) as number };
  expect(backupsOf(base)).toMatchObject([{ schema: newestSchema, holds, missing: null }]);
  const copy = join(base, 'backups', backup, 'store');
  expect(await heldBy(copy)).toMatchObject({ ...holds, version: newestSchema, missing: null });
  await expect(addedIn(copy)).resolves.toEqual([undefined, undefined, undefined]);
  const refusal = {
    code: 'store_failed',
    message: `The store has schema version ${newestSchema + 1}, but this Triad knows only ${newestSchema}: use the newer Triad that wrote it.`,
  };
  expect(JSON.parse(await open(store))).toEqual(refusal);
  // The store itself also has its version.
  await rm(`${store}.schema-version`);
  expect(JSON.parse(await open(store))).toEqual(refusal);
});

fullTest(
  'tests/core/store/backups/prune.test.ts › the end of an upgrade removes all upgrade backups except the newest two',
)('keeps the backups of the last two upgrades', async () => {
  const base = await testFolder();
  const store = join(base, 'store');
  expect(await open(store)).toBe('opened');
  expect(await backupNames(base)).toEqual([]);
  for (const count of [1, 2, 3]) expect(await open(store, await extendSchema(base, count))).toBe('opened');
  expect(backupsOf(base).map(({ schema }) => schema)).toEqual([newestSchema + 2, newestSchema + 1]);
  expect(await versionOf(store)).toBe(newestSchema + 3);
});

test('an unreadable copy stops the upgrade, and leaves the store unchanged without a partial backup', async () => {
  const base = await testFolder();
  const store = await makeFilledStore(base);
  const schema = await extendSchema(base, 1);
  const manifest = (await readdir(store)).find((name) => name.startsWith('MANIFEST')) ?? '';
  await truncate(join(store, manifest), 10);
  const before = await readFile(join(store, manifest));
  expect(JSON.parse(await open(store, schema))).toMatchObject({
    code: 'store_failed',
    message: expect.stringMatching(/is damaged: there is no backup of it/) as string,
  });
  expect(await backupNames(base)).toEqual([]);
  expect([await versionOf(store), await readFile(join(store, manifest))]).toEqual([newestSchema, before]);
});

test.runIf(isRoot)(
  'changes nothing without disk space for the backup, and upgrades once there is space',
  async ({ skip }) => {
    const base = await testFolder();
    const disk = join(base, 'disk');
    await mkdir(disk);
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'tmpfs', disk]).status !== 0)
      skip('no file system can be mounted here');
    onTestFinished(() => void spawnSync('umount', [disk]));
    await makeFilledStore(base);
    const store = await copiedStore(base, 'disk');
    const schema = await extendSchema(base, 1);
    await writeFile(join(store, 'ballast'), Buffer.alloc(5_000_000));
    await writeFile(join(disk, 'ballast'), Buffer.alloc(8_000_000));
    const full = {
      code: 'store_unwritable',
      message: expect.stringMatching(/no room for a copy .* MB are needed/) as string,
    };
    expect(JSON.parse(await open(store, schema))).toMatchObject(full);
    expect([await backupNames(disk), await versionOf(store)]).toEqual([[], newestSchema]);
    await rm(join(disk, 'ballast'));
    expect(await open(store, schema)).toBe('opened');
    expect(await backupNames(disk)).toHaveLength(1);
    expect(existsSync(join(disk, 'store', 'CURRENT'))).toBe(true);
  },
);

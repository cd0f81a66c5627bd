/** Opening either works or fails with one sentence that says what to do. */
import { rmSync } from 'node:fs';
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { newId } from '#core/base/ids.ts';
import { connect, openStore } from '#core/store/surreal.ts';
import { startChild } from '../child/run.ts';
import { fullTest } from '../../../support/samples.ts';
import { schemaDir, testFolder } from '../support.ts';

/**
 * What a process of its own says of each folder. `nobodysSchema`: a copy of the schema for a process without the rights
 * of root, which may not enter the checkout.
 */
async function answersOf(
  folders: readonly string[],
  { nobodysSchema }: { nobodysSchema?: string } = {},
): Promise<unknown[]> {
  const args = ['open', folders.join('\n'), ...(nobodysSchema === undefined ? [] : [newId(), nobodysSchema])];
  const child = startChild('store.ts', args, { nobody: nobodysSchema !== undefined });
  await child.ended;
  expect(child.lines).toHaveLength(folders.length);
  return child.lines.map((line) => (line === 'opened' ? line : (JSON.parse(line) as unknown)));
}
const answerOf = async (folder: string) => (await answersOf([folder]))[0];
const refusal = (code: string, message: RegExp) => ({
  code,
  message: expect.stringMatching(message) as string,
});
const isRoot = process.getuid?.() === 0;

let making: Promise<string> | undefined;
/** A store that was made, to be copied. */
const made = () => (making ??= make());
async function make(): Promise<string> {
  const folder = join(await mkdtemp(join(tmpdir(), 'triad-store-')), 'made');
  expect(await answerOf(folder)).toBe('opened');
  return folder;
}
afterAll(async () => making && rm(dirname(await making), { recursive: true }));

test('creates a private folder with any name, and rejects a folder that another process has open', async () => {
  const base = await testFolder();
  await chmod(base, 0o755);
  const folder = join(base, 'sp ace', 'ünï#%41 (x)');
  const holder = startChild('store.ts', ['hold', folder]);
  expect(await holder.line()).toBe('opened');
  expect(await readdir(folder)).toContain('CURRENT');
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect((await readdir(join(folder, '..'))).sort()).toEqual(['ünï#%41 (x)', 'ünï#%41 (x).schema-version']);
  await expect(openStore({ url: `rocksdb://${folder}` })).rejects.toMatchObject(
    refusal('store_locked', /open in another process: close it or set TRIAD_HOME/),
  );
  holder.process.kill('SIGKILL');
  await holder.ended;
  // One that it may write is fine, whoever owns it.
  if (isRoot) await chown(folder, 65534, 65534);
  await chmod(folder, 0o777);
  expect(await answerOf(folder)).toBe('opened');
});

async function readableSchema(folder: string): Promise<string> {
  const copy = join(folder, 'schema');
  await cp(schemaDir, copy, { recursive: true });
  await chmod(copy, 0o755);
  for (const name of await readdir(copy)) await chmod(join(copy, name), 0o644);
  return copy;
}

test.runIf(isRoot)('rejects a store folder or file without write permission', async () => {
  const base = await testFolder();
  await chmod(base, 0o755);
  const nobodysSchema = await readableSchema(base);
  const unwritable = refusal('store_unwritable', /cannot be written \(EACCES\): check its owner and permissions/);
  const folder = join(base, 'mine');
  for (const end of ['', '.schema-version']) await cp((await made()) + end, folder + end, { recursive: true });
  await chmod(folder, 0o777);
  // Both by the same process.
  const answers = await answersOf([join(base, 'store'), folder], { nobodysSchema });
  expect(answers).toEqual([unwritable, unwritable]);
});

/** Only root may mount, and not in every container. */
function smallDisk(folder: string, size: string): boolean {
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]).status === 0;
  if (mounted) onTestFinished(() => void spawnSync('umount', [folder]));
  return mounted;
}

test.runIf(isRoot)('rejects a disk without space', async ({ skip }) => {
  const disk = await testFolder();
  if (!smallDisk(disk, '4m')) skip('no file system can be mounted here');
  const full = refusal('store_unwritable', /is full: free some space/);
  await expect(openStore({ url: `rocksdb://${join(disk, 'store')}` })).rejects.toMatchObject(full);
});

test('a failed query reports a full disk or damaged files', async () => {
  const folder = join(await testFolder(), 'store');
  const file = await connect(`rocksdb://${folder}`, { timeoutMs: 10_000 });
  const memory = await connect('mem://', { timeoutMs: 10_000 });
  const noSpace = "THROW 'IO error: No space left on device';";
  const full = refusal('store_unwritable', /disk of .*store is full/);
  for (const database of [file, memory]) await expect(database.transaction(noSpace)).rejects.toMatchObject(full);
  const damages = ['Corruption: block checksum mismatch', 'IO error: No such file or directory: While stat a file'];
  for (const text of damages) {
    const damaged = refusal('store_failed', /is damaged: .* triad restore /);
    await expect(file.query(`THROW '${text}'`), text).rejects.toMatchObject({
      ...damaged,
      detail: expect.any(String) as string,
    });
  }
  const partly = refusal('store_failed', /a part of the history cannot be read/i);
  await expect(memory.query(`THROW '${damages[0]}'`)).rejects.toMatchObject(partly);
  await Promise.all([file.close(), memory.close()]);
});

const QUERY_FAILURES = 'tests/core/store/opening/opening.test.ts › a failed query reports a full disk or damaged files';

fullTest(QUERY_FAILURES, isRoot)('reports a disk that becomes full during writes', async ({ skip }) => {
  const disk = await testFolder();
  if (!smallDisk(disk, '48m')) skip('no file system can be mounted here');
  const writer = startChild('store.ts', ['fill', join(disk, 'store'), newId()]);
  expect(JSON.parse(await writer.line())).toMatchObject(
    refusal('store_unwritable', /disk of .*store is full \(\d+ MB left\): free some space/),
  );
  await writer.ended;
});

test('rejects a path that is a file or inside a file', async () => {
  const base = await testFolder();
  await writeFile(join(base, 'file'), '');
  for (const path of ['file', 'file/store']) {
    const url = `rocksdb://${join(base, path)}`;
    await expect(openStore({ url })).rejects.toMatchObject(refusal('store_unwritable', /cannot be written/));
  }
});

test('rejects a damaged store folder and suggests a restore', async () => {
  const base = await testFolder();
  for (const [index, damaged] of [/^MANIFEST/, /^CURRENT$/].entries()) {
    const folder = join(base, `store-${index}`);
    for (const end of ['', '.schema-version']) await cp((await made()) + end, folder + end, { recursive: true });
    const name = (await readdir(folder)).find((file) => damaged.test(file)) ?? '';
    await writeFile(join(folder, name), 'garbage');
    await expect(openStore({ url: `rocksdb://${folder}` })).rejects.toMatchObject(
      refusal('store_failed', /is damaged: there is no backup of it; .* triad restore /),
    );
  }
});

test('a store without a recorded version is finished if it is empty, and set aside if it is damaged', async () => {
  const base = await testFolder();
  const empty = join(base, 'empty');
  // A process opens a folder only once.
  const unused = join(await testFolder(), 'unused');
  await (await connect(`rocksdb://${unused}`, { timeoutMs: 10_000 })).close();
  await cp(unused, empty, { recursive: true });
  const damaged = join(base, 'damaged');
  await mkdir(damaged);
  await writeFile(join(damaged, 'CURRENT'), 'garbage');
  const warnings: string[] = [];
  for (const folder of [empty, damaged]) {
    const store = await openStore({ url: `rocksdb://${folder}`, warn: (line) => warnings.push(line) });
    await store.close();
    expect(await readFile(`${folder}.schema-version`, 'utf8')).toMatch(/^\d+\n$/);
  }
  expect(warnings).toEqual([expect.stringMatching(/damaged was never finished .* set aside as /)]);
  const names = (await readdir(base)).filter((name) => !name.endsWith('.schema-version')).sort();
  expect(names).toEqual(['damaged', expect.stringMatching(/^damaged\.set-aside-/), 'empty']);
});

test('rejects a store with a newer recorded version', async () => {
  const folder = join(await testFolder(), 'store');
  await writeFile(`${folder}.schema-version`, '999\n');
  await expect(openStore({ url: `rocksdb://${folder}` })).rejects.toMatchObject(
    refusal('store_failed', /schema version 999, .*: use the newer Triad that wrote it/),
  );
  expect(await readdir(folder)).toEqual([]);
});

test('rejects a URL that names no store', async () => {
  for (const url of ['', 'mem://x', 'rocksdb://', 'rocksdb:///a?sync=never', 'http://localhost', '/tmp/x']) {
    await expect(openStore({ url }), url).rejects.toMatchObject({ code: 'bad_input' });
  }
});

test('does not repeat a user name or password of an invalid URL in the error', async () => {
  await expect(openStore({ url: 'wss://ada:s3cret@db.example/x' })).rejects.toMatchObject({
    message: expect.not.stringMatching(/ada|s3cret/) as string,
  });
});

test('stops the opening at an abort or at the time limit', async () => {
  const lateFolder = await mkdtemp(join(tmpdir(), 'triad-store-'));
  // Goes with the process: the engine may still be at work in it.
  process.on('exit', () => rmSync(lateFolder, { recursive: true, force: true }));
  const gone = AbortSignal.abort(new Error('stop it'));
  await expect(openStore({ url: 'mem://', signal: gone })).rejects.toThrow('stop it');
  const controller = new AbortController();
  const opening = connect('mem://', { signal: controller.signal, timeoutMs: 10_000 });
  controller.abort(new Error('stop it now'));
  await expect(opening).rejects.toThrow('stop it now');
  // The engine needs some milliseconds.
  const late = openStore({ url: `rocksdb://${join(lateFolder, 'store')}`, timeoutMs: 0 });
  await expect(late).rejects.toMatchObject(refusal('store_failed', /did not open within 0 s/));
});

/** Opening either works or fails in time with one sentence that says what to do. */
import { chmod, chown, cp, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { newId } from '#core/base/ids.ts';
import { connect, openStore } from '#core/store/surreal.ts';
import { startChild } from '../child/run.ts';
import { inSoak } from '../../../support/samples.ts';
import { schemaDir, testFolder } from '../support.ts';

/** `nobodysSchema`: a copy of the schema for a process without the rights of root, which may not enter the checkout. */
async function answerOf(folder: string, { nobodysSchema }: { nobodysSchema?: string } = {}): Promise<unknown> {
  const started = performance.now();
  const args = ['open', folder, ...(nobodysSchema === undefined ? [] : [newId(), nobodysSchema])];
  const child = startChild('store.ts', args, { nobody: nobodysSchema !== undefined });
  const line = await child.line();
  await child.ended;
  expect(performance.now() - started).toBeLessThan(10_000);
  expect(child.lines).toHaveLength(1);
  return line === 'opened' ? line : JSON.parse(line);
}
const refusal = (code: string, message: RegExp) => ({
  code,
  message: expect.stringMatching(message) as string,
});
const isRoot = process.getuid?.() === 0;

test('a folder with any name is made, and only its user may look into it', async () => {
  const folder = join(await testFolder(), 'sp ace', 'ünï#%41 (x)');
  expect(await answerOf(folder)).toBe('opened');
  if (inSoak) expect(await answerOf(folder)).toBe('opened');
  expect(await readdir(folder)).toContain('CURRENT');
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect((await readdir(join(folder, '..'))).sort()).toEqual(['ünï#%41 (x)', 'ünï#%41 (x).schema-version']);
});

test('a folder that another process has open', async () => {
  const folder = join(await testFolder(), 'store');
  const holder = startChild('store.ts', ['hold', folder]);
  expect(await holder.line()).toBe('opened');
  expect(await answerOf(folder)).toEqual(
    refusal('store_locked', /open in another process: close it or set TRIAD_HOME/),
  );
  holder.process.kill('SIGKILL');
  await holder.ended;
  expect(await answerOf(folder)).toBe('opened');
});

async function readableSchema(folder: string): Promise<string> {
  const copy = join(folder, 'schema');
  await cp(schemaDir, copy, { recursive: true });
  await chmod(copy, 0o755);
  for (const name of await readdir(copy)) await chmod(join(copy, name), 0o644);
  return copy;
}

test.runIf(isRoot)('a folder, or a file in it, that may not be written', async () => {
  const base = await testFolder();
  await chmod(base, 0o755);
  const nobodysSchema = await readableSchema(base);
  const unwritable = refusal('store_unwritable', /cannot be written \(EACCES\): check its owner and permissions/);
  expect(await answerOf(join(base, 'store'), { nobodysSchema })).toEqual(unwritable);
  const folder = join(base, 'mine');
  expect(await answerOf(folder)).toBe('opened');
  await chmod(folder, 0o777);
  expect(await answerOf(folder, { nobodysSchema })).toEqual(unwritable);
});

/** Only root may mount, and not in every container. */
function smallDisk(folder: string, size: string): boolean {
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]).status === 0;
  if (mounted) onTestFinished(() => void spawnSync('umount', [folder]));
  return mounted;
}

test.runIf(isRoot)('a disk without space', async ({ skip }) => {
  const disk = await testFolder();
  if (!smallDisk(disk, '4m')) skip('no file system can be mounted here');
  const full = refusal('store_unwritable', /is full: free some space/);
  expect(await answerOf(join(disk, 'store'))).toEqual(full);
});

test.runIf(isRoot && inSoak)('a disk that fills up while it is written', async ({ skip }) => {
  const disk = await testFolder();
  if (!smallDisk(disk, '48m')) skip('no file system can be mounted here');
  const writer = startChild('store.ts', ['fill', join(disk, 'store'), newId()]);
  expect(JSON.parse(await writer.line())).toEqual(refusal('store_unwritable', /disk of the store is full/));
  await writer.ended;
});

test('a path that is a file', async () => {
  const base = await testFolder();
  await writeFile(join(base, 'file'), '');
  for (const path of ['file', 'file/store']) {
    const url = `rocksdb://${join(base, path)}`;
    await expect(openStore({ url })).rejects.toMatchObject(refusal('store_unwritable', /cannot be written/));
  }
});

test('a damaged folder', async () => {
  const base = await testFolder();
  const made = join(base, 'made');
  expect(await answerOf(made)).toBe('opened');
  for (const [index, damaged] of [/^MANIFEST/, ...(inSoak ? [/^CURRENT$/] : [])].entries()) {
    const folder = join(base, `store-${index}`);
    for (const end of ['', '.schema-version']) await cp(made + end, folder + end, { recursive: true });
    const name = (await readdir(folder)).find((file) => damaged.test(file)) ?? '';
    await writeFile(join(folder, name), 'garbage');
    expect(await answerOf(folder)).toEqual(
      refusal('store_failed', /is damaged: there is no backup of it; .* triad restore /),
    );
  }
});

test('a URL that names no store', async () => {
  for (const url of ['', 'mem://x', 'rocksdb://', 'rocksdb:///a?sync=never', 'http://localhost', '/tmp/x']) {
    await expect(openStore({ url }), url).rejects.toMatchObject({ code: 'bad_input' });
  }
});

test('a name and password in such a URL are not repeated', async () => {
  await expect(openStore({ url: 'wss://ada:s3cret@db.example/x' })).rejects.toMatchObject({
    message: expect.not.stringMatching(/ada|s3cret/) as string,
  });
});

test('an abort ends the wait, and a time limit does', async () => {
  const gone = AbortSignal.abort(new Error('stop it'));
  await expect(openStore({ url: 'mem://', signal: gone })).rejects.toThrow('stop it');
  const controller = new AbortController();
  const opening = connect('mem://', { signal: controller.signal, timeoutMs: 10_000 });
  controller.abort(new Error('stop it now'));
  await expect(opening).rejects.toThrow('stop it now');
  // The engine needs some milliseconds.
  const late = startChild('store.ts', ['open', join(await testFolder(), 'store'), newId(), schemaDir, '0']);
  expect(JSON.parse(await late.line())).toEqual(refusal('store_failed', /did not open within 0 s/));
  await late.ended;
});

test('a folder of another user that may be written is fine', async () => {
  const base = await testFolder();
  await chmod(base, 0o755);
  const folder = join(base, 'theirs');
  await mkdir(folder);
  if (isRoot) await chown(folder, 65534, 65534);
  await chmod(folder, 0o777);
  expect(existsSync(folder)).toBe(true);
  expect(await answerOf(folder)).toBe('opened');
});
